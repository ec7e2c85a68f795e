/** Executors of the actions that create, update and delete the objects of a control plane. */
import type { Applier } from '../../kubernetes/apply/apply.ts';
import type { ApplyResult } from '../../kubernetes/apply/apply-request.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isNamespaceTerminating } from '../../kubernetes/client/errors.ts';
import { flatText } from '../../kubernetes/objects/flat-text.ts';
import { identity, nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { pruneObject } from '../../kubernetes/apply/prune.ts';
import type { Apply, Remove } from '../../actions/action.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import type { TargetCluster } from '../../control-plane-access/target-cluster.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { isOurs, wasApplied, wasCreated } from '../../api/labels.ts';
import { isForRegistration } from '../../controlplane/bootstrap.ts';
import { liveKey, type Done } from '../../actions/execution-result.ts';
import { withWebhookProblem } from '../../control-plane-access/failed-webhook.ts';

/** Client and applier of one target cluster. */
interface Writer {
  readonly client: KubernetesClient;
  readonly applier: Applier;
}

export interface ObjectTools {
  readonly instance: Pick<InstanceCache, 'settled'>;
  /** `metadata.name` of the Karmada */
  readonly name: string;
  readonly host: Writer;
  /** Undefined while the operator has no client for the control plane. */
  readonly controlPlane: Writer | undefined;
}

const versionOf = (target: DesiredObject, live: KubernetesObject): string =>
  `${target.hash} ${live.metadata.uid} ${live.metadata.resourceVersion}`;

/**
 * Whether an earlier reconcile compared this version of the live object with this desired state and found no
 * difference.
 */
function isSettled({ settled }: ObjectTools['instance'], { target, cached }: Apply): boolean {
  if (cached === undefined) return false;
  return settled.get(liveKey(target.cluster, target.id)) === versionOf(target, cached);
}

function writerOf(tools: ObjectTools, cluster: TargetCluster): Writer {
  const writer = tools[cluster];
  if (writer === undefined)
    throw new Error('control plane: no client connection; the operator retries');
  return writer;
}

/**
 * Creates or updates an object to match the desired state.
 * @returns a `problem` if the API server rejected the object permanently
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function applyObject(tools: ObjectTools, action: Apply): Promise<Done> {
  if (isSettled(tools.instance, action)) return {};
  const { target, cached } = action;
  const result = await tryApply(tools, action);
  if ('message' in result) {
    const { outcome, message } = result;
    return { problem: { step: target.step, reason: REASON[outcome], message } };
  }
  const key = liveKey(target.cluster, target.id);
  const live = [key, result.object] as const;
  if (result.outcome === 'terminating') return { live };
  if (result.outcome !== 'unchanged') {
    const isRepair = result.drift.length > 0 || isRecreated(tools.instance, key, result);
    return { writes: 1, live, ...(isRepair && { repaired: target.object.kind }) };
  }
  tools.instance.settled.set(flatText(key), flatText(versionOf(target, result.object)));
  // The result of an earlier write, which the watch cache lacks.
  const isNewer = result.object.metadata.resourceVersion !== cached?.metadata.resourceVersion;
  return isNewer ? { live } : {};
}

/** Whether an object was created that an earlier reconcile has seen as desired. */
const isRecreated = (
  { settled }: ObjectTools['instance'],
  key: string,
  { outcome }: ApplyResult,
): boolean => outcome === 'created' && settled.has(key);

const REASON = {
  conflict: 'Conflict',
  immutable: 'ImmutableField',
  invalid: 'ObjectRefused',
  namespace: 'NamespaceTerminating',
} as const;

type Attempt = ApplyResult | { readonly outcome: 'namespace'; readonly message: string };

async function tryApply(tools: ObjectTools, { target, cached }: Apply): Promise<Attempt> {
  try {
    return await writerOf(tools, target.cluster).applier.apply({
      desired: target.object,
      cached,
      isAbsent: cached === undefined,
      partial: target.object.kind === 'CustomResourceDefinition',
      owns: (live) => owns(target, live, tools.name),
    });
  } catch (error) {
    if (!isNamespaceTerminating(error))
      throw withWebhookProblem(error, target.cluster, nameOf(target.object));
    const message = `${nameOf(target.object)}: not created, because its Namespace is terminating`;
    return { outcome: 'namespace', message };
  }
}

/**
 * Whether an object belongs to this control plane. The Go operator sets no labels in the Karmada API. The operator only
 * writes there with the CA of the control plane, so its field manager is sufficient there. It does not create the objects
 * with which clusters register; its users apply them from a file of Karmada, with the same names and without labels.
 */
const owns = (
  { cluster, object }: Pick<Apply['target'], 'cluster' | 'object'>,
  live: KubernetesObject,
  name: string,
): boolean =>
  isOurs(live, name) ||
  wasApplied(live, name) ||
  (cluster === 'controlPlane' && (wasCreated(live, name) || isForRegistration(object)));

/**
 * Deletes an object if it still has the owner labels of this control plane.
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function removeObject(tools: ObjectTools, { cluster, object }: Remove): Promise<Done> {
  const { client, applier } = writerOf(tools, cluster);
  try {
    await pruneObject(client, { object, owns: (live) => isOurs(live, tools.name) });
  } catch (error) {
    throw withWebhookProblem(error, cluster, nameOf(object));
  }
  applier.forget(object);
  tools.instance.settled.delete(liveKey(cluster, identity(object)));
  return { writes: 1 };
}
