import { expect, it } from '@jest/globals';
import type { Applier } from '../../kubernetes/apply/apply.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { applyObject } from './apply-object.ts';

const statefulSet = (resourceVersion: string): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { namespace: 'team', name: 'demo-etcd', uid: 'one', resourceVersion },
});

it.each<[string, KubernetesObject | undefined, readonly string[]]>([
  ['the result of an earlier write when the watch cache lacks it', statefulSet('5'), ['7']],
  ['nothing when the watch cache contains it', statefulSet('7'), []],
  ['an object that the watch cache does not contain', undefined, ['7']],
])('returns %s', async (_, cached, expected) => {
  const applier = {
    apply: async () => ({ outcome: 'unchanged', object: statefulSet('7') }),
  } as unknown as Applier;
  const client = {} as unknown as KubernetesClient;
  const object = statefulSet('');
  const done = await applyObject(
    {
      instance: { settled: new Map() },
      name: 'demo',
      host: { client, applier },
      controlPlane: undefined,
    },
    {
      kind: 'apply',
      target: { cluster: 'host', step: 'etcd', id: 'demo-etcd', hash: 'hash', object },
      cached,
    },
  );
  const live = done.live === undefined ? [] : [done.live[1].metadata.resourceVersion];
  expect(live).toEqual(expected);
});
