/** Dry runs of the objects and Pods of a control plane in its host cluster. */
import type { Replicated } from '../../kubernetes/objects/kinds.ts';
import { isOurs } from '../../api/labels.ts';
import { isWorkload, type Workload } from '../../components/workload.ts';
import { nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../kubernetes/objects/resources.ts';
import { isOwnService, unlabeledService } from '../../features/adoption/go-objects.ts';
import { classQuotaWarnings } from './class-quota.ts';
import { checkEach, refused, type Problem } from './dry-run.ts';
import { quotaFindings } from './quota.ts';
import type { Found } from './result.ts';
import type { Subject } from './subject.ts';
import { startsOthers, trialPod } from './trial-pods.ts';

const TYPES: Readonly<Record<string, ResourceType>> = {
  Deployment: resources.Deployment,
  StatefulSet: resources.StatefulSet,
  Service: resources.Service,
  PodDisruptionBudget: resources.PodDisruptionBudget,
  NetworkPolicy: resources.NetworkPolicy,
};

/** Objects of others with the names of the control plane, and new objects that the API server rejects. */
export async function objects(subject: Subject): Promise<Found> {
  const { client, rendered, host } = subject;
  const known = new Set(host.objects.map(nameOf));
  const added = rendered.filter((one) => one.kind in TYPES && !known.has(nameOf(one)));
  const problems = await checkEach(added, async (object) => {
    const { namespace = '', name } = object.metadata;
    const live = await client.find(TYPES[object.kind] ?? resources.Service, { namespace, name });
    if (live === undefined) return refused(object, () => client.create(object, { dryRun: true }));
    return isOfControlPlane(live, subject) ? [] : [conflict(object, subject)];
  });
  return { ok: 'the API server accepts all objects', problems };
}

/** An adoption adds the labels to the one object that the Go operator creates without them. */
function isOfControlPlane(live: KubernetesObject, { karmada }: Subject): boolean {
  const { name } = karmada.metadata;
  const isUnlabeled = live.kind === 'Service' && live.metadata.name === unlabeledService(name);
  return isOurs(live, name) || (isUnlabeled && isOwnService(live, name));
}

/** The name of an installed Karmada cannot be changed. */
const conflict = (object: KubernetesObject, { live }: Subject): Problem => ({
  outcome: 'failed',
  reason: 'Conflict',
  message: `${nameOf(object)}: exists without the labels of the operator; ${live === undefined ? 'move it to another name or namespace, or choose another name for the Karmada' : 'move it to another name or namespace'}`,
});

/** Workloads with Pods. */
const running = ({ rendered }: Subject): readonly Workload[] =>
  rendered.filter(isWorkload).filter(({ spec }) => spec['replicas'] !== 0);

/** Pods that the admission of the host cluster rejects: Pod Security, PriorityClass, RuntimeClass, quota, webhooks. */
export async function pods(subject: Subject): Promise<Found> {
  const { client, host } = subject;
  const present = new Map(host.objects.filter(isWorkload).map((one) => [nameOf(one), one]));
  const problems = await checkEach(running(subject), async (workload) => {
    const pod = trialPod(workload);
    const found = await refused(pod, () => client.create(pod, { dryRun: true }));
    const before = present.get(nameOf(workload));
    return before === undefined
      ? found
      : found.flatMap((one) => withoutReplacedPod(one, before, workload));
  });
  const wasAsked = !problems.some(({ outcome }) => outcome === 'skipped');
  const limited = wasAsked ? [] : await limitedClasses(subject);
  return { ok: 'the host cluster admits all Pods', problems: [...problems, ...limited] };
}

/** Without the permission to read the quotas of kube-system there is no hint. */
async function limitedClasses(subject: Subject): Promise<readonly Problem[]> {
  try {
    const { items } = await subject.client.list(resources.ResourceQuota, {
      namespace: 'kube-system',
    });
    return classQuotaWarnings(running(subject), items);
  } catch {
    return [];
  }
}

/**
 * A full quota does not admit a trial Pod besides the Pods that run. A StatefulSet deletes a Pod before it creates another one, and
 * a Deployment creates one more only if its Pods change.
 */
function withoutReplacedPod(
  problem: Problem,
  before: Workload,
  after: Workload,
): readonly Problem[] {
  if (!problem.message.includes('exceeded quota')) return [problem];
  if (after.kind === 'StatefulSet') return [];
  return [startsOthers(before, after) ? problem : { ...problem, outcome: 'warning' }];
}

/** Quotas that all Pods together exceed. */
export async function quota(subject: Subject): Promise<Found> {
  const { client, karmada, host } = subject;
  const { namespace = '' } = karmada.metadata;
  const { items } = await client.list(resources.ResourceQuota, { namespace });
  if (items.length === 0) return quotaFindings([], items, host.pods);
  const workloads: Replicated[] = [];
  for (const workload of running(subject)) workloads.push(await admitted(subject, workload));
  return quotaFindings(workloads, items, host.pods);
}

/** Returns the workload with the Pod that a dry run returns: LimitRanges and webhooks add requests to it. */
async function admitted({ client }: Subject, workload: Workload): Promise<Replicated> {
  const { spec } = workload;
  const pod = await client.create(trialPod(workload), { dryRun: true }).then(
    (created) => created.spec,
    // The check of Pods reports why.
    () => undefined,
  );
  if (pod === undefined) return workload;
  return { ...workload, spec: { ...spec, template: { ...spec.template, spec: pod } } };
}
