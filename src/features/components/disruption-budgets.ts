/** PodDisruptionBudgets follow their workload: its UID as the owner, and its labels. Pure functions. */
import { isWorkload, type Workload } from '../../components/workload.ts';
import {
  isTerminating,
  type KubernetesObject,
  type OwnerReference,
} from '../../kubernetes/object.ts';
import {
  desiredObject,
  type DesiredObject,
  type DesiredObjects,
} from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

type Labels = Readonly<Record<string, string>>;
type Subject = Pick<Snapshot, 'host'>;

/**
 * Returns the live workload of a PodDisruptionBudget, which has its name. A terminating workload does not count: a
 * reference to its UID would let the garbage collector delete the PodDisruptionBudget.
 */
export const budgetOwner = (
  { metadata: { name } }: Pick<KubernetesObject, 'metadata'>,
  { host }: Subject,
): Workload | undefined =>
  host.objects.find(
    (object): object is Workload =>
      isWorkload(object) && object.metadata.name === name && !isTerminating(object),
  );

/**
 * Sets the owner reference, labels and selector of each PodDisruptionBudget from its live workload. Its labels are those
 * of the Pod template. Labels that the user has just added select nothing yet, so the selector contains them only when
 * all Pods have them.
 */
export function withBudgetOwners(desired: DesiredObjects, snapshot: Subject): DesiredObjects {
  if (!desired.objects.some(isBudget)) return desired;
  const objects = desired.objects.map((item) => {
    const owner = isBudget(item) ? budgetOwner(item.object, snapshot) : undefined;
    return owner === undefined ? item : withOwner(item, owner, snapshot);
  });
  return { ...desired, objects };
}

const isBudget = ({ object: { kind } }: DesiredObject): boolean => kind === 'PodDisruptionBudget';

function withOwner(item: DesiredObject, owner: Workload, { host }: Subject): DesiredObject {
  const { object, cluster, step } = item;
  const { labels } = owner.spec.template.metadata;
  const matchLabels = selectorOf(owner, host.pods);
  const reference = referenceTo(owner);
  const metadata = {
    ...object.metadata,
    labels,
    ...(reference && { ownerReferences: [reference] }),
  };
  const spec = { ...(object['spec'] as object), selector: { matchLabels } };
  return desiredObject(cluster, step, { ...object, metadata, spec });
}

/** @returns undefined in a change preview, whose new workloads have no UID */
function referenceTo({ apiVersion, kind, metadata }: Workload): OwnerReference | undefined {
  const { name, uid } = metadata;
  if (uid === undefined) return undefined;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Labels of the Pod template that all present Pods of the workload have. */
function selectorOf({ spec }: Workload, pods: readonly KubernetesObject[]): Labels {
  const { matchLabels } = spec.selector;
  const own = pods.filter((pod) => !isTerminating(pod) && carries(pod, matchLabels));
  const labels = Object.entries(spec.template.metadata.labels);
  return Object.fromEntries(
    labels.filter(([key, value]) => own.every((pod) => carries(pod, { [key]: value }))),
  );
}

const carries = ({ metadata: { labels = {} } }: KubernetesObject, wanted: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);
