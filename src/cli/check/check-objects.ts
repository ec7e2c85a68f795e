/** Dry runs of the objects and Pods of a control plane in its host cluster. */
import { isOurs } from '../../api/labels.ts';
import { isWorkload, type Workload } from '../../components/workload.ts';
import { ApiError, errorText, isStatus } from '../../kubernetes/errors.ts';
import { nameOf, type KubernetesObject } from '../../kubernetes/object.ts';
import { resources, type ResourceType } from '../../kubernetes/resources.ts';
import { quotaFindings } from './quota.ts';
import type { Found } from './result.ts';
import type { Subject } from './subject.ts';
import { refusalOf, trialPod } from './trial-pods.ts';

const TYPES: Readonly<Record<string, ResourceType>> = {
  Deployment: resources.Deployment,
  StatefulSet: resources.StatefulSet,
  Service: resources.Service,
  PodDisruptionBudget: resources.PodDisruptionBudget,
};

type Problem = Found['problems'][number];

/** Objects of others with the names of the control plane, and new objects that the API server rejects. */
export async function objects({ client, karmada, rendered, host }: Subject): Promise<Found> {
  const { name } = karmada.metadata;
  const known = new Set(host.objects.map(nameOf));
  const problems: Problem[] = [];
  for (const object of rendered.filter((one) => !known.has(nameOf(one)))) {
    const type = TYPES[object.kind];
    if (type === undefined) continue;
    const { namespace = '' } = object.metadata;
    const live = await client.find(type, { namespace, name: object.metadata.name });
    if (live === undefined)
      problems.push(...(await refused(object, () => client.create(object, { dryRun: true }))));
    else if (!isOurs(live, name)) problems.push(conflict(object));
  }
  return { ok: 'the API server accepts all objects', problems };
}

const conflict = (object: KubernetesObject): Problem => ({
  outcome: 'failed',
  reason: 'Conflict',
  message: `${nameOf(object)}: exists without the labels of the operator; choose another name for the Karmada`,
});

/** Runs a dry run. @throws errors other than a rejection by the API server */
async function refused(
  object: KubernetesObject,
  dryRun: () => Promise<unknown>,
): Promise<readonly Problem[]> {
  try {
    await dryRun();
    return [];
  } catch (error) {
    if (isStatus(error, 404))
      throw new Error(
        `Namespace ${object.metadata.namespace ?? ''} does not exist in the host cluster, so the API server cannot be asked`,
        { cause: error },
      );
    if (!(error instanceof ApiError) || ![400, 403, 409, 422].includes(error.code)) throw error;
    const text = errorText(error);
    if (error.code === 403 && isOwnPermission(text)) throw error;
    if (error.code === 409) return [];
    const { reason, remedy } = refusalOf(text);
    return [{ outcome: 'failed', reason, message: `${nameOf(object)}: ${text}; ${remedy}` }];
  }
}

/** Whether the user of this command lacks a permission, which says nothing about the operator. */
const isOwnPermission = (text: string): boolean => /cannot create resource/.test(text);

const newWorkloads = ({ rendered }: Subject): readonly Workload[] => rendered.filter(isWorkload);

/** Pods that the admission of the host cluster rejects: Pod Security, PriorityClass, RuntimeClass, quota, webhooks. */
export async function pods(subject: Subject): Promise<Found> {
  const problems: Problem[] = [];
  for (const workload of newWorkloads(subject)) {
    const pod = trialPod(workload);
    problems.push(...(await refused(pod, () => subject.client.create(pod, { dryRun: true }))));
  }
  return { ok: 'the host cluster admits all Pods', problems };
}

/** Quotas that all Pods together exceed; only before an installation, because running Pods are in use already. */
export async function quota({ client, karmada, rendered, host }: Subject): Promise<Found> {
  const { namespace = '' } = karmada.metadata;
  const present = new Set(host.objects.map(nameOf));
  const added = rendered.filter(isWorkload).filter((workload) => !present.has(nameOf(workload)));
  const { items } = await client.list(resources.ResourceQuota, { namespace });
  return quotaFindings(added, items);
}
