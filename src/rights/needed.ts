/**
 * Every right that the operator needs, and why. The chart, config/deploy and config/remote-host grant these and no other,
 * and the operator compares what it has with them.
 */
import { GROUP, PLURAL } from '../api/karmada.ts';
import type { Right, Verb } from './right.ts';

/** A role of this repository. */
export type RoleName = 'operator' | 'leader' | 'one-operator' | 'remote' | 'remote-port-forward';

/** What a right is needed for. */
interface Use {
  readonly verbs: readonly Verb[];
  /** Module that needs it, below src/. */
  readonly module: string;
  readonly reason: string;
}

export interface NeededRight extends Right, Pick<Use, 'module' | 'reason'> {
  /** Who grants it. */
  readonly roles: readonly RoleName[];
}

type Resources = readonly [group: string, ...resources: string[]];

/** @param name the only object that it is needed for */
function need(roles: readonly RoleName[], of: Resources, use: Use, name?: string): NeededRight[] {
  const [group, ...resources] = of;
  const { verbs, module, reason } = use;
  const common = { roles, group, module, reason, ...(name !== undefined && { name }) };
  return resources.flatMap((resource) => verbs.map((verb) => ({ ...common, verb, resource })));
}

const CACHE: Use = {
  verbs: ['list', 'watch'],
  module: 'hosts/host.ts',
  reason: 'fills caches',
};

/** An object that is applied and does not exist is authorized for create as well. */
const APPLY: Use = {
  verbs: ['get', 'create', 'patch'],
  module: 'kubernetes/apply.ts',
  reason: 'creates and repairs objects',
};

const REPLACE: Use = {
  verbs: ['update'],
  module: 'kubernetes/apply.ts',
  reason:
    'repairs a field of a union of which another one was set, such as a probe of another kind',
};

const PRUNE: Use = {
  verbs: ['delete'],
  module: 'kubernetes/prune.ts',
  reason: 'deletes what is no longer desired',
};

const BOTH: readonly RoleName[] = ['operator', 'remote'];
const OPERATOR: readonly RoleName[] = ['operator'];
const KARMADAS: Resources = [GROUP, PLURAL];
const WORKLOADS: Resources = ['apps', 'deployments', 'statefulsets'];
const BUDGETS: Resources = ['policy', 'poddisruptionbudgets'];
const OTHERS: Resources = ['', 'secrets', 'services'];
const LEASES: Resources = ['coordination.k8s.io', 'leases'];
const CLAIMS: Resources = ['', 'persistentvolumeclaims'];

/** All of them, one for each verb and resource. */
export const NEEDED_RIGHTS: readonly NeededRight[] = [
  need(OPERATOR, KARMADAS, CACHE),
  need(OPERATOR, KARMADAS, {
    verbs: ['get', 'patch'],
    module: 'reconcile/prepare.ts',
    reason: 'stores defaults and the finalizer',
  }),
  need(OPERATOR, [GROUP, `${PLURAL}/status`], {
    verbs: ['patch'],
    module: 'reconcile/status/status-writer.ts',
    reason: 'writes the status',
  }),
  need(
    OPERATOR,
    ['apiextensions.k8s.io', 'customresourcedefinitions'],
    {
      verbs: ['get'],
      module: 'served-crd/served-crd.ts',
      reason: 'compares the CRD in the cluster with the one that this build was made for',
    },
    `${PLURAL}.${GROUP}`,
  ),
  ...[WORKLOADS, BUDGETS].flatMap((of) =>
    [CACHE, APPLY, REPLACE, PRUNE].map((use) => need(BOTH, of, use)),
  ),
  ...[CACHE, APPLY, PRUNE].map((use) => need(BOTH, OTHERS, use)),
  need(OPERATOR, ['', 'configmaps'], {
    verbs: ['get'],
    module: 'archives/object-source.ts',
    reason: 'reads a CRD archive that a Karmada names',
  }),
  need(BOTH, CLAIMS, CACHE),
  need(BOTH, CLAIMS, {
    verbs: ['get', 'delete'],
    module: 'kubernetes/prune.ts',
    reason: 'deletes claims of etcd that were never bound, and others when the Karmada says so',
  }),
  need(BOTH, CLAIMS, {
    verbs: ['patch'],
    module: 'reconcile/etcd/birth/annotate-claim.ts',
    reason: 'annotates claims with the etcd member whose data they hold',
  }),
  need(BOTH, ['', 'persistentvolumes'], {
    verbs: ['list'],
    module: 'reconcile/etcd/birth/evidence.ts',
    reason: 'looks for volumes with data of etcd before a new etcd is created',
  }),
  need(BOTH, ['', 'pods', 'namespaces', 'nodes'], CACHE),
  need(BOTH, ['storage.k8s.io', 'storageclasses'], CACHE),
  need(BOTH, ['', 'pods'], {
    verbs: ['delete'],
    module: 'reconcile/etcd/restart-member.ts',
    reason: 'restarts members of etcd one at a time, and ends pods of a deleted Karmada',
  }),
  // For a WebSocket Kubernetes asks for get, and from 1.35 on for create as well.
  need(['remote-port-forward'], ['', 'pods/portforward'], {
    verbs: ['get', 'create'],
    module: 'kubernetes/port-forward.ts',
    reason: 'reaches an API server that is not exposed',
  }),
  need(BOTH, ['', 'namespaces'], {
    verbs: ['get'],
    module: 'hosts/host.ts',
    reason: 'sees that a namespace is being deleted',
  }),
  need(['remote'], ['', 'namespaces'], {
    verbs: ['create'],
    module: 'reconcile/remote/remote.ts',
    reason: 'creates the namespace of the Karmada on the host cluster',
  }),
  need(OPERATOR, ['events.k8s.io', 'events'], {
    verbs: ['create', 'patch'],
    module: 'kubernetes/events.ts',
    reason: 'records Events, and counts repeated ones',
  }),
  need(['leader'], LEASES, {
    verbs: ['get', 'create', 'update'],
    module: 'kubernetes/leader.ts',
    reason: 'elects a leader',
  }),
  need(
    ['one-operator'],
    LEASES,
    {
      verbs: ['get', 'update'],
      module: 'one-operator.ts',
      reason: 'holds the lease that only one operator of a cluster has',
    },
    `${PLURAL}.${GROUP}`,
  ),
  // RBAC cannot name an object that does not exist.
  need(['one-operator'], LEASES, {
    verbs: ['create'],
    module: 'one-operator.ts',
    reason: 'creates this lease',
  }),
].flat();

/** Those that the roles grant together. */
export const rightsOf = (...roles: readonly RoleName[]): readonly NeededRight[] =>
  NEEDED_RIGHTS.filter((right) => right.roles.some((role) => roles.includes(role)));
