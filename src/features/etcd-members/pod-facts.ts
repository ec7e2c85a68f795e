/** Facts about a Pod and a PVC of an etcd member from their objects: pure. */
import { JOIN_ANNOTATION, JOIN_VARIABLE, READY_PATH } from '../../components/etcd/join.ts';
import type { PersistentVolumeClaim } from '../../kubernetes/objects/kinds.ts';
import { conditionOf, isTerminating } from '../../kubernetes/objects/object.ts';
import type { Pod, PodSpec } from '../../kubernetes/objects/pod-kinds.ts';
import { isPaused } from '../../instance/pause.ts';
import { hasLost } from '../../etcd-cluster/identity/data-loss.ts';
import { claimAnnotationIn, type EtcdRecord } from '../../etcd-cluster/identity/record.ts';
import { isDown, neverRan, restartsOf } from '../../etcd-cluster/pods/etcd-pods.ts';
import { hasPeerCertificate, peerSchemeOf } from '../../components/etcd/peer-flags.ts';
import {
  claimOrdinal,
  podOrdinal,
  type ClaimsByPod,
} from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { isUnbound } from '../etcd-storage/plan-storage.ts';
import {
  defectOf,
  downSince,
  nodesOf,
  type VolumeStates,
} from '../../etcd-cluster/pods/defects.ts';
import type { MemberClaim, MemberPod } from '../../etcd-cluster/members/facts.ts';

/** Annotation of a Pod that has joined a cluster: its volume has the data of a member. */
export const JOINED_ANNOTATION = 'operator.karmada.io/etcd-joined';

/** Failures after which the kubelet waits longer than 20 s before the next start. */
const BACKING_OFF = 3;

/** What the facts of a Pod depend on. */
interface Known {
  readonly claims: ClaimsByPod;
  /** See `laggingPods`. */
  readonly lagging: ReadonlySet<string>;
  readonly volumes: VolumeStates;
  readonly record: EtcdRecord | undefined;
  /** Holders of the data in the record. */
  readonly data: ReadonlySet<string> | undefined;
}

/** Facts of a Pod. @param karmada `metadata.name` of the Karmada @returns nothing for a Pod of another workload */
export function podFact(karmada: string, pod: Pod, known: Known): readonly MemberPod[] {
  const { name, uid = '', annotations = {} } = pod.metadata;
  const ordinal = podOrdinal(karmada, name);
  if (ordinal === undefined) return [];
  const { [JOIN_ANNOTATION]: join = '', [JOINED_ANNOTATION]: joined } = annotations;
  return [
    {
      ordinal,
      name,
      uid,
      isScheduled: conditionOf(pod, 'PodScheduled')?.status === 'True',
      isTerminating: isTerminating(pod),
      isPaused: isPaused(pod),
      canJoin: readsJoin(pod.spec),
      ...(join !== '' && { join }),
      hasLostData: joined === undefined && hasLostData(pod, known),
      isBackingOff: isBackingOff(pod),
      ...peerFacts(pod),
      wasMember: joined !== undefined || known.data?.has(uid) === true,
      ...lasting(pod, known),
    },
  ];
}

const peerFacts = (pod: Pod): Pick<MemberPod, 'listensHttp' | 'lacksPeerCertificate'> => ({
  ...(peerSchemeOf(pod) === 'http' && { listensHttp: true }),
  ...(!hasPeerCertificate(pod) && { lacksPeerCertificate: true }),
});

/** Since when a member is down, and whether it can return. */
function lasting(
  pod: Pod,
  { claims, lagging, volumes }: Known,
): Pick<MemberPod, 'downSince' | 'defect' | 'unreadyNode'> {
  const since = downSince(pod);
  if (since === undefined) return {};
  const [claim] = claims.get(pod.metadata.name) ?? [];
  const input = { pod, claim, lagging, volumes };
  const [defect, nodes] = [defectOf(input), nodesOf(input)];
  return {
    downSince: since,
    ...(defect !== undefined && { defect }),
    ...(nodes?.kind === 'unready' && { unreadyNode: nodes.node }),
  };
}

const isBackingOff = (pod: Pod): boolean =>
  isDown(pod) && !neverRan(pod) && restartsOf(pod) >= BACKING_OFF;

/** Without the holders of the data in the record nothing is known. */
const hasLostData = (
  pod: Pod,
  { claims, record, data }: Pick<Known, 'claims' | 'record' | 'data'>,
): boolean => data !== undefined && hasLost(pod, { claims, record }, data);

/** Facts of a PVC. @param karmada `metadata.name` of the Karmada @returns nothing for a PVC of another workload */
export function claimFact(
  karmada: string,
  claim: PersistentVolumeClaim,
  record: EtcdRecord | undefined,
): readonly MemberClaim[] {
  const { name, uid = '', annotations } = claim.metadata;
  const ordinal = claimOrdinal(karmada, name);
  if (ordinal === undefined) return [];
  const stamp = claimAnnotationIn(annotations);
  const content =
    typeof stamp !== 'object'
      ? 'unknown'
      : stamp.clusterID === record?.clusterID
        ? 'thisCluster'
        : 'otherCluster';
  const state = { isTerminating: isTerminating(claim), isPaused: isPaused(claim) };
  return [{ ordinal, name, uid, ...state, isUnbound: isUnbound(claim), content }];
}

/** Whether a Pod reads the join annotation, and reports a learner as not ready. */
export function readsJoin(spec: PodSpec | undefined): boolean {
  const [etcd] = spec?.containers ?? [];
  const reads = etcd?.env?.some(({ name }) => name === JOIN_VARIABLE) === true;
  return reads && etcd.readinessProbe?.httpGet?.path === READY_PATH;
}
