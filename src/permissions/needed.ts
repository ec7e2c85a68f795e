/**
 * Every RBAC permission that the operator needs, and why (least privilege). The chart, config/deploy and
 * config/remote-host grant exactly these. At runtime the operator compares its permissions with this list.
 */
import { GROUP, PLURAL } from '../api/karmada.ts';
import { BACKUP_PERMISSIONS } from './backup-permissions.ts';
import { need, type NeededPermission, type Resources, type RoleName, type Use } from './need.ts';

const CACHE: Use = {
  verbs: ['list', 'watch'],
  module: 'host-clusters/host.ts',
  reason: 'fills caches',
};

/** Server-side apply of an object that does not exist also requires create. */
const APPLY: Use = {
  verbs: ['get', 'create', 'patch'],
  module: 'kubernetes/apply/apply.ts',
  reason: 'creates and repairs objects',
};

const REPLACE: Use = {
  verbs: ['update'],
  module: 'kubernetes/apply/apply.ts',
  reason: 'repairs an object in which another union field was set, such as a probe of another type',
};

const PRUNE: Use = {
  verbs: ['delete'],
  module: 'kubernetes/apply/prune.ts',
  reason: 'deletes objects that are no longer desired',
};

const BOTH: readonly RoleName[] = ['operator', 'remote'];
const OPERATOR: readonly RoleName[] = ['operator'];
const KARMADAS: Resources = [GROUP, PLURAL];
const WORKLOADS: Resources = ['apps', 'deployments', 'statefulsets'];
const BUDGETS: Resources = ['policy', 'poddisruptionbudgets'];
const POLICIES: Resources = ['networking.k8s.io', 'networkpolicies'];
const OTHERS: Resources = ['', 'secrets', 'services'];
const LEASES: Resources = ['coordination.k8s.io', 'leases'];
const CLAIMS: Resources = ['', 'persistentvolumeclaims'];

/** All permissions, one entry for each verb and resource. */
export const NEEDED_PERMISSIONS: readonly NeededPermission[] = [
  need(OPERATOR, KARMADAS, CACHE),
  need(OPERATOR, KARMADAS, {
    verbs: ['get', 'patch'],
    module: 'controllers/karmada/store-defaults.ts',
    reason: 'stores defaults and the finalizer',
  }),
  need(OPERATOR, [GROUP, `${PLURAL}/status`], {
    verbs: ['patch'],
    module: 'features/status/status-writer.ts',
    reason: 'writes the status',
  }),
  need(
    OPERATOR,
    ['apiextensions.k8s.io', 'customresourcedefinitions'],
    {
      verbs: ['get'],
      module: 'served-crd/served-crd.ts',
      reason: 'compares the CRD in the cluster with the CRD of this operator version',
    },
    `${PLURAL}.${GROUP}`,
  ),
  ...[WORKLOADS, BUDGETS].flatMap((of) =>
    [CACHE, APPLY, REPLACE, PRUNE].map((use) => need(BOTH, of, use)),
  ),
  need(BOTH, ['apps', 'deployments/finalizers', 'statefulsets/finalizers'], {
    verbs: ['update'],
    module: 'features/components/disruption-budgets.ts',
    reason:
      'makes a workload the owner of its PodDisruptionBudget, in clusters with OwnerReferencesPermissionEnforcement',
  }),
  ...[OTHERS, POLICIES].flatMap((of) => [CACHE, APPLY, PRUNE].map((use) => need(BOTH, of, use))),
  need(OPERATOR, ['', 'configmaps'], {
    verbs: ['get'],
    module: 'crd-archives/object-source.ts',
    reason: 'reads a CRD archive that a Karmada references',
  }),
  need(BOTH, CLAIMS, CACHE),
  need(BOTH, CLAIMS, {
    verbs: ['get', 'delete'],
    module: 'kubernetes/apply/prune.ts',
    reason:
      'deletes unbound etcd PVCs, those of replaced members, and others if the retention policy says so',
  }),
  need(BOTH, CLAIMS, {
    verbs: ['patch'],
    module: 'features/etcd-bootstrap/annotate-claim.ts',
    reason: 'annotates PVCs with the etcd member whose data they contain, and expands them',
  }),
  need(BOTH, ['', 'persistentvolumeclaims', 'pods'], {
    verbs: ['create'],
    module: 'features/etcd-recovery/execute-step.ts',
    reason:
      'restores etcd, if a user asks for it; Pods also for backups and probes of their stores',
  }),
  BACKUP_PERMISSIONS,
  need(BOTH, ['', 'persistentvolumes'], {
    verbs: ['list'],
    module: 'features/etcd-bootstrap/evidence.ts',
    reason: 'searches for volumes with etcd data before it creates a new etcd',
  }),
  need(BOTH, ['', 'pods', 'namespaces', 'nodes'], CACHE),
  need(BOTH, ['storage.k8s.io', 'storageclasses'], CACHE),
  need(BOTH, ['', 'pods/status'], {
    verbs: ['patch'],
    module: 'features/etcd-members/exclude-member.ts',
    reason: 'excludes an etcd member that responds to nothing from Services',
  }),
  need(BOTH, ['', 'pods'], {
    verbs: ['patch'],
    module: 'features/etcd-members/change-objects.ts',
    reason: 'lets a Pod without data join an etcd cluster',
  }),
  need(BOTH, ['', 'pods'], {
    verbs: ['delete'],
    module: 'features/etcd-members/restart-member.ts',
    reason: 'restarts etcd members one at a time, and deletes Pods of a deleted Karmada',
  }),
  // Kubernetes authorizes a WebSocket as get, and since 1.35 also as create.
  need(['remote-port-forward'], ['', 'pods/portforward'], {
    verbs: ['get', 'create'],
    module: 'kubernetes/client/port-forward.ts',
    reason:
      'connects to an API server that is not exposed, to etcd members, and in a rotation to all servers',
  }),
  need(BOTH, ['', 'namespaces'], {
    verbs: ['get'],
    module: 'host-clusters/host.ts',
    reason: 'detects that a namespace is terminating',
  }),
  need(['remote'], ['', 'namespaces'], {
    verbs: ['create'],
    module: 'features/remote-host/remote-host.ts',
    reason: 'creates the namespace of the Karmada on the host cluster',
  }),
  need(BOTH, ['events.k8s.io', 'events'], {
    verbs: ['list'],
    module: 'features/causes/event-reader.ts',
    reason: 'finds out why Pods, PVCs and Services are not ready',
  }),
  need(OPERATOR, ['events.k8s.io', 'events'], {
    verbs: ['create', 'patch'],
    module: 'kubernetes/client/events.ts',
    reason: 'records Events, and counts repeated ones',
  }),
  need(
    OPERATOR,
    LEASES,
    {
      verbs: ['list'],
      module: 'features/adoption/go-operator-lease.ts',
      reason: 'detects a running Go operator before it adopts a control plane',
    },
    'karmada-operator',
  ),
  need(['leader'], LEASES, {
    verbs: ['get', 'create', 'update'],
    module: 'kubernetes/leader-election/leader.ts',
    reason: 'elects a leader',
  }),
  need(
    ['one-operator'],
    LEASES,
    {
      verbs: ['get', 'update'],
      module: 'operator/one-operator.ts',
      reason: 'holds the lease that allows only one operator per cluster',
    },
    `${PLURAL}.${GROUP}`,
  ),
  // RBAC cannot name an object that does not exist.
  need(['one-operator'], LEASES, {
    verbs: ['create'],
    module: 'operator/one-operator.ts',
    reason: 'creates this lease',
  }),
].flat();

/** Returns the permissions that at least one of the roles grants. */
export const permissionsOf = (...roles: readonly RoleName[]): readonly NeededPermission[] =>
  NEEDED_PERMISSIONS.filter((right) => right.roles.some((role) => roles.includes(role)));
