/**
 * Lists and texts that a host cluster reports cost time in proportion to their length: groups of objects, decisions about objects that
 * are no longer desired, and numbers of any length.
 *
 * @size medium
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import { COMPONENT, INSTANCE, MANAGED_BY, MANAGER } from '../../src/api/labels.ts';
import type { KarmadaBackup } from '../../src/api/backup/kinds.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { isOlderVersion } from '../../src/kubernetes/resource-version.ts';
import { orphansIn } from '../../src/orphans/orphans.ts';
import { karmadaOf, snapshotOf, VIEW, wishOf } from '../../src/instance/__fixtures__/instance.ts';
import { backupFacts } from '../../src/controllers/backups/schedule/backup-facts.ts';
import { claimUsersOf } from '../../src/controllers/karmada/deletion/remaining-objects.ts';
import { pendingExpansions } from '../../src/features/etcd-storage/claim-growth.ts';
import { pruning } from '../../src/features/components/plan-prune.ts';
import type { Snapshot } from '../../src/instance/snapshot.ts';
import { growthOf, LARGEST_GROWTH, type Measured } from './growth.ts';

/** Length of an object in a list of these. */
const OBJECT_BYTES = 128;

type Made = Omit<Partial<KubernetesObject>, 'metadata'>;

/** As many objects of the control plane as have this length. */
function objectsOf(
  length: number,
  kind: string,
  component: string,
  more: Made = {},
): readonly KubernetesObject[] {
  const labels = { [MANAGED_BY]: MANAGER, [INSTANCE]: 'karmada-demo', [COMPONENT]: component };
  return Array.from({ length: Math.ceil(length / OBJECT_BYTES) }, (_, index) => {
    const metadata = { name: `o-${String(index)}`, namespace: 'team', labels };
    return { apiVersion: 'v1', kind, metadata, ...more };
  });
}

interface Lists {
  readonly host: readonly KubernetesObject[];
  readonly controlPlane?: readonly KubernetesObject[];
  readonly imagePullSecrets?: readonly { readonly name: string }[];
}

const WISH = wishOf();

/** A control plane that is as desired, and these objects. */
function snapshotWith({ host, controlPlane = [], imagePullSecrets = [] }: Lists): Snapshot {
  const found = snapshotOf(WISH, [...WISH.steps], { karmada: karmadaOf() });
  return {
    ...found,
    spec: { ...found.spec, imagePullSecrets: [...imagePullSecrets] },
    host: { ...found.host, objects: [...found.host.objects, ...host] },
    controlPlane: {
      ...found.controlPlane,
      objects: [...found.controlPlane.objects, ...controlPlane],
    },
  };
}

/** @param length of the list, in bytes */
const measured = <T>(
  length: number,
  input: (length: number) => T,
  run: (input: T) => unknown,
): Measured<unknown> => ({ length, input, run: (made) => run(made as T) });

const prunes = (listsOf: (length: number) => Lists): Measured<unknown> =>
  measured(
    524_288,
    (length) => snapshotWith(listsOf(length)),
    (snapshot) => pruning(snapshot, WISH, VIEW),
  );

const CLAIM = { persistentVolumeClaim: { claimName: 'data' } };
const DIGITS = 65_536;
const TIMES = Array.from({ length: 20 });

const CASES: Readonly<Record<string, Measured<unknown>>> = {
  'workloads of one control plane without a Karmada': measured(
    1_048_576,
    (length) => objectsOf(length, 'Deployment', 'etcd'),
    (workloads) => orphansIn(workloads, new Set()),
  ),
  'backups of one control plane': measured(
    1_048_576,
    (length) =>
      objectsOf(length, 'KarmadaBackup', 'backup', {
        spec: { karmadaRef: { name: 'demo' } },
      }) as readonly KarmadaBackup[],
    (backups) => backupFacts(backups, []),
  ),
  'Pods with the same PVC': measured(
    1_048_576,
    (length) => objectsOf(length, 'Pod', 'etcd', { spec: { volumes: [CLAIM] } }),
    claimUsersOf,
  ),
  'volumes of a Pod with the same PVC': measured(
    1_048_576,
    (length) => {
      const volumes = Array.from({ length: Math.ceil(length / OBJECT_BYTES) }, () => CLAIM);
      return objectsOf(1, 'Pod', 'etcd', { spec: { volumes } });
    },
    claimUsersOf,
  ),
  'Deployments of an addon, and APIServices': prunes((length) => ({
    host: objectsOf(length, 'Deployment', 'karmada-search'),
    controlPlane: objectsOf(length, 'APIService', 'other'),
  })),
  'Secrets, and Deployments': prunes((length) => ({
    host: [
      ...objectsOf(length, 'Secret', 'karmada-search'),
      ...objectsOf(length, 'Deployment', 'other'),
    ],
  })),
  'pull Secrets, and names of others': prunes((length) => ({
    host: objectsOf(length, 'Secret', 'pull-secret'),
    imagePullSecrets: objectsOf(length, 'Secret', '').map(({ metadata: { name } }) => ({
      name: `other-${name}`,
    })),
  })),
  'resourceVersions of any length': measured(
    DIGITS,
    (length) => '9'.repeat(length),
    (version) => TIMES.map(() => isOlderVersion(version, `${version}1`)),
  ),
  'quantities of any length': measured(
    DIGITS,
    (length) =>
      objectsOf(OBJECT_BYTES * TIMES.length, 'PersistentVolumeClaim', 'etcd').map(
        (claim, index) => ({
          ...claim,
          metadata: { ...claim.metadata, name: `etcd-data-karmada-demo-etcd-${String(index)}` },
          spec: { resources: { requests: { storage: '8Gi' } } },
          status: { phase: 'Bound', capacity: { storage: `-${'9'.repeat(length)}` } },
        }),
      ),
    (claims) => pendingExpansions('karmada-demo', claims),
  ),
};

describe('lists and texts of a host cluster', () => {
  it.each(Object.entries(CASES))(
    'take time in proportion to their length: %s',
    async (_, case_) => {
      expect(await growthOf(case_)).toBeLessThanOrEqual(LARGEST_GROWTH);
    },
  );
});
