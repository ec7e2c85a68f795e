/** Pruning: objects of a control plane that are no longer part of the desired state: pure. */
import { isNamedForEtcd } from '../api/external-etcd.ts';
import { COMPONENT_SUFFIX, instanceName, SECRET_SUFFIX } from '../api/naming.ts';
import { COMPONENTS } from '../components/registry.ts';
import { nameOf, type KubernetesObject } from '../kubernetes/object.ts';
import { prunable } from '../kubernetes/prune.ts';
import type { Remove } from './action.ts';
import type { DesiredObjects, TargetCluster } from './desired-objects.ts';
import { areUncertain, isAccessSecret, isEstimators } from './member-clusters/estimators.ts';
import { isUsed } from './etcd/external-etcd-rollout-gate.ts';
import { COMPONENT, isOurs } from '../api/labels.ts';
import { isPullSecret } from './remote/pull-secrets.ts';
import type { BlockedChange } from './blocked-change.ts';
import type { CertificatesView, Snapshot } from './snapshot.ts';

export interface Pruning {
  readonly removals: readonly Remove[];
  readonly blockedChanges: readonly BlockedChange[];
}

/**
 * Kinds in the Karmada API that pruning keeps because they contain data of others: custom resources of users (a newer
 * archive may lack their CRD), and token signatures in the ConfigMap cluster-info, which is not rendered while the
 * external address is unknown.
 */
const KEPT_KINDS: ReadonlySet<string> = new Set([
  'CustomResourceDefinition',
  'Namespace',
  'ConfigMap',
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
  const { name } = snapshot.karmada.metadata;
  const owns = (object: KubernetesObject): boolean => isOurs(object, name);
  const inside = prunable(
    { live: snapshot.controlPlane.objects, complete: snapshot.controlPlane.state === 'ready' },
    desired.objects.filter(({ cluster }) => cluster === 'controlPlane').map(({ object }) => object),
    { owns, keep: ({ kind }) => KEPT_KINDS.has(kind) },
  );
  const outside = prunable(
    { live: snapshot.host.objects, complete: true },
    desired.objects.filter(({ cluster }) => cluster === 'host').map(({ object }) => object),
    {
      owns,
      // The operator revokes the credentials in the member cluster before it deletes this Secret (`src/members`).
      keep: (object) =>
        isAccessSecret(object) || (object.kind === 'Secret' && isKept(object, snapshot, view)),
    },
  );
  const routed = (object: KubernetesObject): boolean => isRouted(object, snapshot);
  const mounted = (object: KubernetesObject): boolean => isMounted(object, snapshot);
  const unsure = (object: KubernetesObject): boolean =>
    areUncertain(snapshot.members) && isEstimators(object);
  const blocked = (object: KubernetesObject): boolean =>
    routed(object) || mounted(object) || unsure(object);
  return {
    removals: [
      ...inside.map((object) => removeOf('controlPlane', object)),
      ...outside.filter((object) => !blocked(object)).map((object) => removeOf('host', object)),
    ],
    blockedChanges: [
      ...outside.filter(routed).map((object) => stays(object, 'StillRouted', ROUTED)),
      ...outside.filter(mounted).map((object) => stays(object, 'StillMounted', MOUNTED)),
      ...outside.filter(unsure).map((object) => stays(object, 'MembersUnknown', UNSURE)),
    ],
  };
}

const removeOf = (cluster: TargetCluster, object: KubernetesObject): Remove => ({
  kind: 'remove',
  cluster,
  object,
});

const ROUTED = 'no APIService refers to it';
const UNSURE = 'the member clusters can be listed';
const MOUNTED = 'no workload mounts it';

function stays(object: KubernetesObject, reason: string, until: string): BlockedChange {
  return { step: 'prune', reason, message: `${nameOf(object)}: not deleted until ${until}` };
}

/**
 * Whether pruning keeps a Secret: certificates, used pull Secrets, and Secrets of an external etcd. Never deletes a
 * Secret of a user.
 */
function isKept(
  object: KubernetesObject,
  { karmada, externalEtcd, spec }: Snapshot,
  { secretNames }: CertificatesView,
): boolean {
  const { metadata } = object;
  const { name } = metadata;
  const pulls = spec.imagePullSecrets?.some((secret) => secret.name === name) === true;
  const copied = externalEtcd?.secret.copied === true && externalEtcd.secret.mounted === name;
  if (isPullSecret(object)) return pulls;
  return copied || secretNames.includes(name) || isNamedForEtcd(karmada, metadata);
}

/** Whether a workload still needs a Secret: an addon that is not deleted yet, or a client of an external etcd. */
function isMounted(object: KubernetesObject, { karmada, host }: Snapshot): boolean {
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
  return host.objects.some(
    (object) =>
      object.kind === owner?.readiness.kind && object.metadata.labels?.[COMPONENT] === owner.name,
  );
}

/** Whether an APIService still refers to the component. True if the Karmada API cannot be read. */
function isRouted(object: KubernetesObject, { controlPlane }: Snapshot): boolean {
  const component = object.metadata.labels?.[COMPONENT] ?? '';
  if (!AGGREGATED.has(component)) return false;
  if (controlPlane.state !== 'ready') return true;
  return controlPlane.objects.some(
    ({ kind, metadata }) => kind === 'APIService' && metadata.labels?.[COMPONENT] === component,
  );
}

const AGGREGATED: ReadonlySet<string> = new Set(['karmada-search', 'karmada-metrics-adapter']);
