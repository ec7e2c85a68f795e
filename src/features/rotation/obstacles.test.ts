import { describe, expect, it } from '@jest/globals';
import { snapshotOf, statefulSetOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { INPUTS } from '../../pki/fixture.test-data.ts';
import { obstaclesOf } from './obstacles.ts';

const SNAPSHOT = snapshotOf(wishOf(), [...wishOf().steps]);
const CLAIM = { volumeData: { volumeClaim: { spec: {} } } };

/** The StatefulSet with other flags of etcd. */
function withFlags(replace: (flag: string) => string): KubernetesObject {
  const { object } = statefulSetOf(CLAIM);
  const text = JSON.stringify(object, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('--') ? replace(value) : value,
  );
  return JSON.parse(text) as KubernetesObject;
}

describe('a rotation of etcd-ca', () => {
  it.each<[string, KubernetesObject | undefined, string | undefined]>([
    ['possible for members with TLS and a PVC', statefulSetOf(CLAIM).object, undefined],
    [
      'possible for members whose data is on nodes',
      statefulSetOf({ volumeData: { hostPath: { path: '/x' } } }).object,
      undefined,
    ],
    ['not decided without a StatefulSet', undefined, undefined],
    [
      'refused for members that accept each other over http',
      withFlags((flag) => (flag.includes('peer-urls') ? flag.replaceAll('https:', 'http:') : flag)),
      'without TLS',
    ],
    [
      'refused for members without a certificate for each other',
      withFlags((flag) => flag.replace('--peer-cert-file', '--other')),
      'without TLS',
    ],
    [
      'refused for members whose data a restart would lose',
      statefulSetOf({ volumeData: { emptyDir: {} } }).object,
      'a restart would lose it',
    ],
  ])('is %s', (_, etcd, cause) => {
    const workloads = etcd === undefined ? [] : [etcd];
    const seen = { snapshot: SNAPSHOT, view: VIEW, inputs: INPUTS, workloads, authorities: [] };
    const found = obstaclesOf(seen, undefined).unsupported?.get('etcd-ca');
    if (cause === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(cause);
  });
});
