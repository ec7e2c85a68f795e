import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { karmadaOf, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import { pruning } from '../components/plan-prune.ts';
import { copyOf, isPullSecret } from './pull-secrets.ts';

const secret = (type: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'registry',
    namespace: 'team',
    labels: { theirs: 'yes' },
    annotations: { theirs: 'yes' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b' }],
  },
  type,
  data: { '.dockerconfigjson': 'e30=' },
});

describe('image pull Secrets on a remote host cluster', () => {
  it('are copied with type and data only', () => {
    expect(copyOf(secret('kubernetes.io/dockerconfigjson'), karmadaOf())).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'registry',
        namespace: 'team',
        labels: {
          'app.kubernetes.io/managed-by': 'karmada-operator',
          'app.kubernetes.io/instance': 'karmada-demo',
          'app.kubernetes.io/name': 'pull-secret',
        },
      },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': 'e30=' },
    });
  });

  it.each(['Opaque', 'kubernetes.io/tls', 'kubernetes.io/service-account-token'])(
    'are not copied when the type is %s',
    (type) => {
      expect(copyOf(secret(type), karmadaOf())).toBeUndefined();
    },
  );

  it.each([
    ['keep their copies while the spec names them', [{ name: 'registry' }], []],
    ['lose their copies when the spec no longer names them', [], ['registry']],
  ])('%s', (_, imagePullSecrets, removed) => {
    const copy = copyOf(secret('kubernetes.io/dockerconfigjson'), karmadaOf());
    const spec = { imagePullSecrets };
    const desiredState = wishOf(spec);
    const snapshot = snapshotOf(desiredState, [...desiredState.steps], {
      karmada: karmadaOf(spec),
    });
    const objects = [...snapshot.host.objects, ...(copy ? [copy] : [])];
    const { removals } = pruning(
      {
        ...snapshot,
        spec: defaultSpec(spec, { defaultStorageClass: false }),
        host: { ...snapshot.host, objects },
      },
      desiredState,
      VIEW,
    );
    expect(removals.map(({ object }) => object.metadata.name)).toEqual(removed);
    expect(copy && isPullSecret(copy)).toBe(true);
  });
});
