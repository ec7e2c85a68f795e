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
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { migrateManagedFields } from '../../src/kubernetes/apply/migrate-managed-fields.ts';
import { isOlderVersion } from '../../src/kubernetes/objects/resource-version.ts';
import { orphansIn } from '../../src/orphans/orphans.ts';
import {
  karmadaOf,
  live,
  snapshotOf,
  statefulSetOf,
  VIEW,
  wishOf,
} from '../../src/instance/__fixtures__/instance.ts';
import { backupFacts } from '../../src/controllers/backups/schedule/backup-facts.ts';
import type { Subject } from '../../src/causes/cause.ts';
import { createQuoter } from '../../src/causes/quote.ts';
import { schedulingCause } from '../../src/causes/scheduling.ts';
import { claimUsersOf } from '../../src/controllers/karmada/deletion/remaining-objects.ts';
import { claimGrowth, pendingExpansions } from '../../src/features/etcd-storage/claim-growth.ts';
import { desiredObject, type DesiredObject } from '../../src/instance/desired-objects.ts';
import { withBudgetOwners } from '../../src/features/components/disruption-budgets.ts';
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

const named = (object: KubernetesObject, name: string): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, name },
});

const asEtcdClaim = (claim: KubernetesObject, index: number): KubernetesObject =>
  named(claim, `etcd-data-karmada-demo-etcd-${String(index)}`);

/** A Deployment that selects all Pods with its labels. */
function asWorkload(object: KubernetesObject): KubernetesObject {
  const { labels = {} } = object.metadata;
  const template = { metadata: { labels }, spec: { containers: [] } };
  return {
    ...object,
    apiVersion: 'apps/v1',
    spec: { selector: { matchLabels: labels }, template },
  };
}

const storageOf = (storage: string, storageClassName?: string): object => ({
  ...(storageClassName !== undefined && { storageClassName }),
  resources: { requests: { storage } },
});

const statefulSetWith = (storage: string): DesiredObject =>
  statefulSetOf({ replicas: 3, volumeData: { volumeClaim: { spec: storageOf(storage) } } });
const SET = live(statefulSetWith('8Gi'));
const EXPANDABLE = { allowVolumeExpansion: true };

/** A Pod that waits for a PVC. */
const UNBOUND: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'team' },
  status: {
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: 'pod has unbound immediate PersistentVolumeClaims',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
};
const NOW = Date.parse('2026-01-02T00:00:00Z');
const SUBJECT: Subject = {
  name: 'etcd',
  field: 'spec.components.etcd.local',
  flags: [],
  workload: undefined,
  quoter: createQuoter(() => (text) => text),
  paths: () => [],
};

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
    (backups) => backupFacts(backups, [], () => undefined),
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
  'PVCs that grow, and StorageClasses': measured(
    524_288,
    (length) => {
      const storageClasses = objectsOf(length, 'StorageClass', 'etcd', EXPANDABLE);
      const spec = storageOf('8Gi', storageClasses.at(-1)?.metadata.name);
      const claims = objectsOf(length, 'PersistentVolumeClaim', 'etcd', { spec }).map(asEtcdClaim);
      return { claims, storageClasses };
    },
    (found) => claimGrowth('karmada-demo', statefulSetWith('16Gi'), { ...found, statefulSet: SET }),
  ),
  'PVCs that are not bound, and StorageClasses': measured(
    524_288,
    (length) => {
      const storageClasses = objectsOf(length, 'StorageClass', 'etcd');
      const spec = { storageClassName: storageClasses.at(-1)?.metadata.name };
      const claims = objectsOf(length, 'PersistentVolumeClaim', 'etcd', { spec });
      return {
        claims: claims.map((claim) => named(claim, `${claim.metadata.name}-p`)),
        storageClasses,
      };
    },
    (found) => schedulingCause(UNBOUND, SUBJECT, { pods: [], events: [], now: NOW, ...found }),
  ),
  'PodDisruptionBudgets, workloads and Pods': measured(
    524_288,
    (length) => {
      const workloads = objectsOf(length, 'Deployment', 'karmada-webhook').map(asWorkload);
      const objects = workloads.map((workload) =>
        desiredObject('host', 'karmada-webhook', { ...workload, kind: 'PodDisruptionBudget' }),
      );
      const pods = objectsOf(length, 'Pod', 'karmada-webhook');
      return { objects, host: { objects: workloads.toReversed(), pods, claims: [] } };
    },
    ({ objects, host }) => withBudgetOwners({ objects, steps: new Set() }, { host }),
  ),
  'managed fields of an object': measured(
    524_288,
    (length) => {
      const managedFields = objectsOf(length, '', '').map(({ metadata: { name } }) => ({
        manager: 'new',
        operation: 'Update',
        fieldsV1: { [`f:${name}`]: {}, 'f:all': {} },
      }));
      return { ...UNBOUND, metadata: { ...UNBOUND.metadata, managedFields } };
    },
    (object) => migrateManagedFields(object, 'new'),
  ),
  'quantities of any length': measured(
    DIGITS,
    (length) =>
      objectsOf(OBJECT_BYTES * TIMES.length, 'PersistentVolumeClaim', 'etcd', {
        spec: storageOf('8Gi'),
        status: { phase: 'Bound', capacity: { storage: `-${'9'.repeat(length)}` } },
      }).map(asEtcdClaim),
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
