/** Excludes the Pod of a silent etcd member from all Services: reports it as not ready, as Kubernetes does later. */
import { FIELD_MANAGER } from '../../../api/karmada.ts';
import type { KubernetesClient } from '../../../kubernetes/client-interface.ts';
import type { Log } from '../../../kubernetes/clock.ts';
import { isWritten } from '../../../kubernetes/conditional-write.ts';
import type { KubernetesObject, ObjectCondition } from '../../../kubernetes/object.ts';
import { keyOf, resources } from '../../../kubernetes/resources.ts';
import type { ExcludeEtcdMember } from '../../action.ts';
import type { Done } from '../../execution-result.ts';
import type { InstanceCache } from '../../instance-cache.ts';
import { viewOfPods, type AskMembers } from '../etcd-members.ts';
import { etcdPods, serves } from '../etcd-pods.ts';

export interface ExcludeTools {
  readonly client: Pick<KubernetesClient, 'list' | 'patch'>;
  /** Absent while the operator has no client certificate for etcd. */
  readonly ask: AskMembers | undefined;
  readonly clock: { wall(): number };
  readonly log: Log;
  readonly instance: Pick<InstanceCache, 'excluded'>;
}

/**
 * Sets the condition Ready of the Pod to False, if the member still does not respond and the others have a quorum. The
 * kubelet corrects the condition as soon as it runs, so the operator sets it once per silence.
 * @throws ApiError, NetworkError if a read or the write fails
 */
export async function excludeMember(
  { client, ask, clock, log, instance }: ExcludeTools,
  { silent: { pod, silence } }: ExcludeEtcdMember,
): Promise<Done> {
  if (ask === undefined || instance.excluded === silence) return {};
  const { namespace = '', labels = {} } = pod.metadata;
  const labelSelector = SELECTED.map((key) => `${key}=${labels[key] ?? ''}`).join();
  const { items } = await client.list(resources.Pod, { namespace, labelSelector });
  const pods = etcdPods(items);
  const live = pods.find(({ metadata }) => metadata.uid === pod.metadata.uid);
  if (live === undefined || !serves(live)) return {};
  const view = viewOfPods(await ask(pods), pods, clock.wall());
  const isSilent = view.silent.some((one) => one.pod === live.metadata.name);
  if (!isSilent || !view.quorum) return {};
  const { uid, resourceVersion } = live.metadata;
  const conditions = notReady(live, new Date(clock.wall()));
  const patch = { metadata: { uid, resourceVersion }, status: { conditions } };
  const options = { fieldManager: FIELD_MANAGER, subresource: 'status' };
  if (!(await isWritten(client.patch(resources.Pod, keyOf(live), patch, options)))) return {};
  instance.excluded = silence;
  log.info({ pod: `${namespace}/${live.metadata.name}` }, MESSAGE);
  return { writes: 1 };
}

const SELECTED = ['app.kubernetes.io/name', 'app.kubernetes.io/instance'];

const MESSAGE =
  'the etcd member responds to nothing, and the others have a quorum, so Services exclude it';

/** Conditions of a Pod with Ready set to False. */
export function notReady(pod: KubernetesObject, now: Date): readonly ObjectCondition[] {
  const { conditions = [] } = pod['status'] as { conditions?: readonly ObjectCondition[] };
  const ready: ObjectCondition = {
    ...{ type: 'Ready', status: 'False', reason: 'EtcdMemberSilent', message: MESSAGE },
    lastTransitionTime: now.toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  return [...conditions.filter(({ type }) => type !== 'Ready'), ready];
}
