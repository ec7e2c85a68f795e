/** PodDisruptionBudgets follow their workload: its UID as the owner, and its labels. Pure functions. */
import { isWorkload, type Workload } from '../../components/workload.ts';
import { firstBy } from '../../kubernetes/objects/first-by.ts';
import {
  pending,
  type KubernetesObject,
  type OwnerReference,
} from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import {
  desiredObject,
  type DesiredObject,
  type DesiredObjects,
} from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

type Labels = Readonly<Record<string, string>>;
type Subject = Pick<Snapshot, 'host'>;

/**
 * Returns the live workloads by name: a PodDisruptionBudget has the name of its workload. A terminating workload does not count: a
 * reference to its UID would let the garbage collector delete the PodDisruptionBudget.
 */
export const budgetOwners = ({ host }: Subject): ReadonlyMap<string, Workload> =>
  firstBy(pending(host.objects).filter(isWorkload), ({ metadata }) => metadata.name);

/**
 * Sets the owner reference, labels and selector of each PodDisruptionBudget from its live workload. Its labels are those
 * of the Pod template. Labels that the user has just added select nothing yet, so the selector contains them only when
 * all Pods have them.
 */
export function withBudgetOwners(desired: DesiredObjects, snapshot: Subject): DesiredObjects {
  if (!desired.objects.some(isBudget)) return desired;
  const owners = budgetOwners(snapshot);
  const pods = labelledPods(snapshot.host.pods);
  const objects = desired.objects.map((item) => {
    const owner = isBudget(item) ? owners.get(item.object.metadata.name) : undefined;
    return owner === undefined ? item : withOwner(item, owner, pods);
  });
  return { ...desired, objects };
}

const isBudget = ({ object: { kind } }: DesiredObject): boolean => kind === 'PodDisruptionBudget';

function withOwner(item: DesiredObject, owner: Workload, pods: LabelledPods): DesiredObject {
  const { object, cluster, step } = item;
  const { labels } = owner.spec.template.metadata;
  const matchLabels = selectorOf(owner, pods);
  const reference = referenceTo(owner);
  const metadata = {
    ...object.metadata,
    labels,
    ...(reference && { ownerReferences: [reference] }),
  };
  const spec = { ...fieldsOf(object['spec']), selector: { matchLabels } };
  return desiredObject(cluster, step, { ...object, metadata, spec });
}

/** @returns undefined in a change preview, whose new workloads have no UID */
function referenceTo({ apiVersion, kind, metadata }: Workload): OwnerReference | undefined {
  const { name, uid } = metadata;
  if (uid === undefined) return undefined;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Pods that are not terminating. */
interface LabelledPods {
  readonly all: readonly KubernetesObject[];
  /** By each of their labels. */
  readonly byLabel: ReadonlyMap<string, readonly KubernetesObject[]>;
}

function labelledPods(pods: readonly Pod[]): LabelledPods {
  const all = pending(pods);
  const labelled = all.flatMap((pod) =>
    Object.entries(pod.metadata.labels ?? {}).map((label) => ({ pod, key: JSON.stringify(label) })),
  );
  const byLabel = new Map<string, KubernetesObject[]>();
  for (const { pod, key } of labelled) {
    const known = byLabel.get(key);
    if (known === undefined) byLabel.set(key, [pod]);
    else known.push(pod);
  }
  return { all, byLabel };
}

/** The fewest Pods among which are all those with these labels. */
const candidatesOf = (
  labels: Labels,
  { all, byLabel }: LabelledPods,
): readonly KubernetesObject[] =>
  Object.entries(labels)
    .map((label) => byLabel.get(JSON.stringify(label)) ?? [])
    .reduce((fewest, pods) => (pods.length < fewest.length ? pods : fewest), all);

/** Pods that are compared with a Pod template at most, for each workload. */
const MAX_PODS = 1_000;

/** Labels of the Pod template that all present Pods of the workload have. Of too many Pods, only those of its selector are known. */
function selectorOf({ spec }: Workload, pods: LabelledPods): Labels {
  const { matchLabels } = spec.selector;
  const candidates = candidatesOf(matchLabels, pods);
  if (candidates.length > MAX_PODS) return matchLabels;
  const own = candidates.filter((pod) => carries(pod, matchLabels));
  const labels = Object.entries(spec.template.metadata.labels);
  return Object.fromEntries(
    labels.filter(([key, value]) => own.every((pod) => carries(pod, { [key]: value }))),
  );
}

const carries = ({ metadata: { labels = {} } }: KubernetesObject, wanted: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);
