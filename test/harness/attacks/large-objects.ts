/** Attacks with the size and the number of objects. */
import { INSTANCE, MANAGED_BY, MANAGER } from '../../../src/api/labels.ts';
import { releaseArchive } from '../../../src/controlplane/__fixtures__/tar.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { numbered } from '../hosts/fleet.ts';
import { runsAll } from '../sample.ts';
import { untilTold, type Attack } from './attack.ts';
import { karmadaIn, podLimit } from './objects.ts';

const LARGE = 'attack-large';
const CROWD = 'attack-crowd';
const ARCHIVES = 'attack-archives';

/** Bytes of a Secret; an API server accepts 1 MiB. */
const SECRET = 1_000_000;

const labelledSecret = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: LARGE, labels: { [MANAGED_BY]: MANAGER, [INSTANCE]: LARGE } },
  data: { content: Buffer.alloc(SECRET, name).toString('base64') },
});

/** @param most number of Secrets; defaults to that of a sample, or of a complete run */
export const labelledSecretsAttack = (most = runsAll ? 300 : 100): Attack => ({
  namespaces: [LARGE],
  objects: [
    podLimit(LARGE, 0),
    karmadaIn(LARGE, LARGE, {}),
    ...numbered('large', most).map(labelledSecret),
  ],
  reached: (client) =>
    untilTold(client, { namespace: LARGE, name: LARGE }, 'Ready', 'NamespaceLimitExceeded'),
});

/** Many control planes, whose Karmadas change continuously. */
export const crowdAttack = (most = 40): Attack => ({
  namespaces: [CROWD],
  objects: [
    podLimit(CROWD, 0),
    ...numbered('crowd', most).map((name) => karmadaIn(CROWD, name, {})),
  ],
  async reached(client) {
    const told = numbered('crowd', most).map((name) =>
      untilTold(client, { namespace: CROWD, name }, 'Ready', ...INSTALLING),
    );
    return (await Promise.all(told)).at(-1) ?? '';
  },
});

/** Their Pods exceed the quota, so an installation that was named as failed has been observed too. */
const INSTALLING: readonly string[] = [
  'Progressing',
  'QuotaExceeded',
  'Waiting',
  'EtcdPending',
  'Degraded',
  'Failed',
];

/** Number of empty objects in the file of an archive: parsed, they need many times the 3 bytes of each. */
const VALUES = 150_000;

/** An archive with a CRD whose schema contains many values. */
async function archive(marker: string): Promise<string> {
  const values = `[${'{},'.repeat(VALUES)}{}]`;
  const name = `crds/bases/policy/policy.karmada.io_${marker}.yaml`;
  const content = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${marker}.policy.karmada.io}
spec:
  group: policy.karmada.io
  scope: Namespaced
  names: {kind: Thing, plural: ${marker}}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, default: {content: ${values}}}}
`;
  return (await releaseArchive([[{ name }, content]])).toString('base64');
}

/** Ten archives, each with a file of 0.5 MB that is as small as possible compressed, and as large as possible parsed. */
export async function archivesAttack(): Promise<Attack> {
  const names = numbered('archive', 10);
  const archives = await Promise.all(names.map((_, index) => archive(`things${String(index)}`)));
  return {
    namespaces: [ARCHIVES],
    objects: [
      podLimit(ARCHIVES, 0),
      ...names.flatMap((name, index): KubernetesObject[] => [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: ARCHIVES },
          binaryData: { 'crds.tar.gz': archives[index] },
        },
        karmadaIn(ARCHIVES, name, {
          crdTarball: { configMapRef: { name, key: 'crds.tar.gz' } },
        }),
      ]),
    ],
    // The operator keeps so little of each archive that it accepts all; only then it creates the StatefulSet of etcd.
    reached: (client) =>
      untilTold(
        ...([client, { namespace: ARCHIVES, name: names.at(-1) ?? '' }, 'Ready'] as const),
        ...['Failed', 'CrdArchiveLimitExceeded', 'CrdArchiveRefused'],
      ),
  };
}
