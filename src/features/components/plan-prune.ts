/** Pruning: objects of a control plane that are no longer part of the desired state: pure. */
import type { Reason } from '../../api/reasons/condition-reasons.ts';
import { isNamedForEtcd } from '../../api/external-etcd.ts';
import { COMPONENT_SUFFIX, instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { rollsBack } from '../../api/versions/upgrade-policy.ts';
import { COMPONENTS, isPerCluster } from '../../components/registry.ts';
import { componentOfRole } from '../../controlplane/component-roles.ts';
import { nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { prunable } from '../../kubernetes/apply/prune.ts';
import type { Remove } from '../../actions/action.ts';
import type { DesiredObjects } from '../../instance/desired-objects.ts';
import type { TargetCluster } from '../../control-plane-access/target-cluster.ts';
import { areUncertain, isAccessSecret, isEstimators } from '../member-access/estimators.ts';
import { isUsed } from '../external-etcd/external-etcd-rollout-gate.ts';
import { COMPONENT, isOurs } from '../../api/labels.ts';
import { isPaused, PAUSE_REPAIR } from '../../instance/pause.ts';
import { isPullSecret } from '../remote-host/pull-secrets.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import { recordName } from '../../instance/ready-record.ts';

export interface Pruning {
  readonly removals: readonly Remove[];
  readonly blockedChanges: readonly BlockedChange[];
}

/**
 * Kinds in the Karmada API that pruning keeps because they contain data of others: custom resources of users (a newer
 * archive may lack their CRD), and token signatures in the ConfigMap cluster-info, which is not rendered while the
 * external address is unknown. FlowSchemas are not rendered for an image tag without a version.
 */
const KEPT_KINDS: ReadonlySet<string> = new Set([
  'CustomResourceDefinition',
  'Namespace',
  'ConfigMap',
  'FlowSchema',
]);

/**
 * Returns the objects to delete, and those whose deletion is blocked.
 *
 * Deletes an addon in the order APIService, workload, Secrets. The garbage collector of the control plane stops at an
 * APIService without a backend, and running Pods may restart and need their Secrets.
 */
export function pruning(
  snapshot: Snapshot,
  desired: DesiredObjects,
  view: CertificatesView,
): Pruning {
  // Rendering never returns an empty result, so an empty one deletes nothing.
  if (desired.objects.length === 0) return { removals: [], blockedChanges: [] };
  const users = usersIn(snapshot);
  const decided = undesired(snapshot, desired, { view, users }).map((removal) => ({
    removal,
    blockedChange: blockedRemoval(removal, snapshot, users),
  }));
  return {
    removals: decided.flatMap(({ removal, blockedChange }) => (blockedChange ? [] : [removal])),
    blockedChanges: decided.flatMap(({ blockedChange }) => blockedChange ?? []),
  };
}

/** What the gates ask for each object, computed once. */
interface Users {
  /** Components that an APIService refers to. */
  readonly routed: ReadonlySet<string>;
  /** Kind and component of each object in the host cluster. */
  readonly running: ReadonlySet<string>;
}

const usersIn = ({ controlPlane, host }: Snapshot): Users => ({
  routed: new Set(
    controlPlane.objects
      .filter(({ kind }) => kind === 'APIService')
      .flatMap(({ metadata }) => metadata.labels?.[COMPONENT] ?? []),
  ),
  running: new Set(
    host.objects.map(({ kind, metadata }) => runningKey(kind, metadata.labels?.[COMPONENT])),
  ),
});

const runningKey = (kind: string, component = ''): string => `${kind}/${component}`;

/** Objects of the control plane that are no longer desired and that pruning does not keep. */
function undesired(
  snapshot: Snapshot,
  { objects }: DesiredObjects,
  { view, users }: { readonly view: CertificatesView; readonly users: Users },
): readonly Remove[] {
  const { karmada, controlPlane, host } = snapshot;
  const owns = (object: KubernetesObject): boolean => isOurs(object, karmada.metadata.name);
  const pulls = new Set(snapshot.spec.imagePullSecrets?.map(({ name }) => name));
  const wantedIn = (wanted: TargetCluster): readonly KubernetesObject[] =>
    objects.filter(({ cluster }) => cluster === wanted).map(({ object }) => object);
  const inside = prunable(
    { live: controlPlane.objects, complete: controlPlane.state === 'ready' },
    wantedIn('controlPlane'),
    { owns, keep: (object) => KEPT_KINDS.has(object.kind) || isRoleInUse(object, users) },
  );
  const outside = prunable({ live: host.objects, complete: true }, wantedIn('host'), {
    owns,
    deletesControlled: ({ kind }) => kind === 'PodDisruptionBudget',
    // The operator revokes the credentials in the member cluster before it deletes this Secret (`src/members`).
    keep: (object) =>
      isAccessSecret(object) ||
      (object.kind === 'Secret' &&
        (isPullSecret(object) ? pulls.has(object.metadata.name) : isKept(object, snapshot, view))),
  });
  return [
    ...inside.map((object) => removeOf('controlPlane', object)),
    ...outside.map((object) => removeOf('host', object)),
  ];
}

const removeOf = (cluster: TargetCluster, object: KubernetesObject): Remove => ({
  kind: 'remove',
  cluster,
  object,
  ...(isUnawaited(cluster, object) && { isUnawaited: true }),
});

/**
 * Whether nothing waits for the deletion: estimators do not count for the readiness, and a control plane serves as before with an
 * RBAC object too many. A new version of the operator may replace many of them at once.
 */
const isUnawaited = (cluster: TargetCluster, { kind, metadata }: KubernetesObject): boolean =>
  isPerCluster(metadata.labels?.[COMPONENT] ?? '') ||
  (cluster === 'controlPlane' && RBAC_KINDS.has(kind));

/** Whether an object is a role or binding of a component whose workload still exists, such as a disabled add-on with an APIService. */
function isRoleInUse({ kind, metadata }: KubernetesObject, { running }: Users): boolean {
  const owner = RBAC_KINDS.has(kind) ? componentOfRole(metadata.name) : undefined;
  return owner !== undefined && running.has(runningKey(owner.readiness.kind, owner.name));
}

const RBAC_KINDS: ReadonlySet<string> = new Set([
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
]);

/** Condition for a deletion. @returns undefined if the gate allows it */
type Gate = (object: KubernetesObject, snapshot: Snapshot, users: Users) => Stay | undefined;

interface Stay {
  readonly reason: Reason;
  /** What must be true before the operator deletes the object. */
  readonly until: string;
}

const etcdSplit: Gate = (_object, { etcd }) =>
  etcd?.splitBrain && { reason: 'SplitBrain', until: 'the etcd members agree on one cluster' };

const paused: Gate = (object) =>
  isPaused(object)
    ? { reason: 'RepairPaused', until: `its annotation ${PAUSE_REPAIR} is removed` }
    : undefined;

const stillRouted: Gate = (object, snapshot, users) =>
  isRouted(object, snapshot, users)
    ? { reason: 'StillRouted', until: 'no APIService refers to it' }
    : undefined;

const stillMounted: Gate = (object, snapshot, users) =>
  isMounted(object, snapshot, users)
    ? { reason: 'StillMounted', until: 'no workload mounts it' }
    : undefined;

const membersUnknown: Gate = (object, { members }) =>
  areUncertain(members) && isEstimators(object)
    ? { reason: 'MembersUnknown', until: 'the member clusters can be listed' }
    : undefined;

/** In order of precedence. */
const GATES: Readonly<Record<TargetCluster, readonly Gate[]>> = {
  controlPlane: [etcdSplit, paused],
  host: [etcdSplit, paused, stillRouted, stillMounted, membersUnknown],
};

/** Asks all gates. @returns undefined if the operator may delete the object now */
function blockedRemoval(
  { cluster, object }: Remove,
  snapshot: Snapshot,
  users: Users,
): BlockedChange | undefined {
  for (const gate of GATES[cluster]) {
    const stay = gate(object, snapshot, users);
    if (stay === undefined) continue;
    const message = `${nameOf(object)}: not deleted until ${stay.until}`;
    return { step: 'prune', reason: stay.reason, message };
  }
  return undefined;
}

/**
 * Whether pruning keeps a Secret that is no pull Secret: certificates, and Secrets of an external etcd. Never deletes a
 * Secret of a user.
 */
function isKept(
  object: KubernetesObject,
  { karmada, externalEtcd }: Snapshot,
  { secretNames }: CertificatesView,
): boolean {
  const { metadata } = object;
  const { name } = metadata;
  const copied = externalEtcd?.secret.copied === true && externalEtcd.secret.mounted === name;
  const isRecord = rollsBack(karmada.spec ?? {}) && name === recordName(karmada);
  return isRecord || copied || secretNames.includes(name) || isNamedForEtcd(karmada, metadata);
}

/** Whether a workload still needs a Secret: an addon that is not deleted yet, or a client of an external etcd. */
function isMounted(
  object: KubernetesObject,
  { karmada, host }: Snapshot,
  { running }: Users,
): boolean {
  const { kind, metadata } = object;
  if (kind !== 'Secret') return false;
  if (metadata.name === instanceName(karmada.metadata.name, SECRET_SUFFIX.etcdClient))
    return isUsed(object, host.objects);
  const owner = COMPONENTS.find(({ name }) =>
    ['cert', 'config'].some(
      (use) =>
        instanceName(karmada.metadata.name, `${COMPONENT_SUFFIX[name]}-${use}`) === metadata.name,
    ),
  );
  return owner !== undefined && running.has(runningKey(owner.readiness.kind, owner.name));
}

/** Whether an APIService still refers to the component. True if the Karmada API cannot be read. */
function isRouted(
  object: KubernetesObject,
  { controlPlane, spec }: Snapshot,
  { routed }: Users,
): boolean {
  // The NetworkPolicy of an addon goes with its Pods, but one that is no longer enforced goes at once.
  if (object.kind === 'NetworkPolicy' && spec.networkPolicy !== 'Enforced') return false;
  const component = object.metadata.labels?.[COMPONENT] ?? '';
  if (!AGGREGATED.has(component)) return false;
  if (controlPlane.state !== 'ready') return true;
  return routed.has(component);
}

const AGGREGATED: ReadonlySet<string> = new Set(['karmada-search', 'karmada-metrics-adapter']);
