/** Excludes the Pod of a silent etcd member from all Services: reports it as not ready, as Kubernetes does later. */
import { FIELD_MANAGER } from '../../api/karmada.ts';
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { Log } from '../../kubernetes/time/clock.ts';
import { isWritten } from '../../kubernetes/client/conditional-write.ts';
import {
  nameOf,
  type KubernetesObject,
  type ObjectCondition,
} from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { keyOf, resources } from '../../kubernetes/objects/resources.ts';
import type { ExcludeEtcdMember } from '../../actions/action.ts';
import type { Done } from '../../actions/execution-result.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { viewOfPods, type AskMembers } from './etcd-members.ts';
import { etcdPods, serves } from '../../etcd-cluster/pods/etcd-pods.ts';
import { MAX_MEMBERS } from './silent-members.ts';

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
  tools: ExcludeTools,
  { silent: { pod, silence } }: ExcludeEtcdMember,
): Promise<Done> {
  const { client, clock, log, instance } = tools;
  const { excluded = [] } = instance;
  const live = excluded.includes(silence) ? undefined : await stillSilent(tools, pod);
  if (live === undefined) return {};
  const { uid, resourceVersion } = live.metadata;
  const conditions = notReady(live, new Date(clock.wall()));
  const patch = { metadata: { uid, resourceVersion }, status: { conditions } };
  const options = { fieldManager: FIELD_MANAGER, subresource: 'status' };
  if (!(await isWritten(client.patch(resources.Pod, keyOf(live), patch, options)))) return {};
  instance.excluded = [...excluded, silence].slice(-MAX_MEMBERS);
  log.info({ pod: nameOf(live) }, MESSAGE);
  return { writes: 1 };
}

/** The Pod as it is now; undefined if it is not ready, or responds, or the others have no quorum. */
async function stillSilent(
  { client, ask, clock }: ExcludeTools,
  { metadata }: KubernetesObject,
): Promise<KubernetesObject | undefined> {
  if (ask === undefined) return undefined;
  const { namespace = '', labels = {}, uid } = metadata;
  const labelSelector = SELECTED.map((key) => `${key}=${labels[key] ?? ''}`).join();
  const { items } = await client.list(resources.Pod, { namespace, labelSelector });
  const pods = etcdPods(items);
  const live = pods.find((pod) => pod.metadata.uid === uid);
  if (live === undefined || !serves(live)) return undefined;
  const { silent, quorum } = viewOfPods(await ask(pods), pods, clock.wall());
  return quorum && silent.some(({ pod }) => pod === live.metadata.name) ? live : undefined;
}

const SELECTED = [COMPONENT, INSTANCE];

const MESSAGE =
  'the etcd member responds to nothing, and the others have a quorum, so Services exclude it';

/** Conditions of a Pod with Ready set to False. */
export function notReady(pod: Pod, now: Date): readonly ObjectCondition[] {
  const { conditions = [] } = pod.status ?? {};
  const ready: ObjectCondition = {
    type: 'Ready',
    status: 'False',
    reason: 'EtcdMemberSilent',
    message: MESSAGE,
    lastTransitionTime: now.toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  return [...conditions.filter(({ type }) => type !== 'Ready'), ready];
}
