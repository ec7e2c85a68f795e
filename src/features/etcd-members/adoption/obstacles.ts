/** What keeps an etcd of the Go operator from changing, with what to do about it: pure. */
import type { EtcdListedMember } from '../../../etcd/messages.ts';
import { listed } from '../../../api/listed.ts';
import type { Problem } from '../../../api/reasons/problem.ts';
import { PAUSE_REPAIR } from '../../../instance/pause.ts';
import { clusterOf, unhealthy } from '../../../etcd-cluster/members/cluster.ts';
import { clusterText, neverFormed } from '../../../etcd-cluster/members/never-formed.ts';
import { listedWithoutHttp } from '../../../etcd-cluster/members/peer-tls.ts';
import { RECORD_ANNOTATION } from '../../../etcd-cluster/identity/record.ts';
import { ENFORCE } from '../../../host-clusters/host-namespace.ts';
import { RECOVER_ANNOTATION } from '../../../etcd-cluster/recovery/survivors.ts';
import type { AdoptedEtcdFacts } from './facts.ts';

type Obstacle = (facts: AdoptedEtcdFacts) => Problem | undefined;

/** Returns the first obstacle. After the first write, only those remain that make a further restart unsafe. */
export function firstObstacle(facts: AdoptedEtcdFacts): Problem | undefined {
  const obstacles = facts.hasGoTemplate ? [...LASTING, ...FIRST] : LASTING;
  for (const obstacle of obstacles) {
    const problem = obstacle(facts);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns what the user must know also without consent: the members are not one cluster, or will not find each other. */
export const urgentProblem: Obstacle = (facts) => neverOneCluster(facts) ?? separatedMembers(facts);

/** The text has no values that change while nothing happens, so the user reads the revision in the status. */
const neverOneCluster: Obstacle = ({ karmada, members: { view, replicas, statefulSet } }) => {
  const told = view.answers.map(
    ({ pod, clusterId, members }) =>
      `${clusterText(pod, clusterId)}, whose member list has ${listed(members.map(namedMember)).join(', ')}`,
  );
  if (!neverFormed(view, replicas)) return undefined;
  return {
    reason: 'EtcdNeverOneCluster',
    message: `StatefulSet ${statefulSet}: its flags name ${String(replicas)} members, but they are not one etcd cluster (${told.join('; ')}). The Go operator starts additional members as a new cluster. The operator changes nothing until you name the member with your data; find it as "Members that never formed one cluster" in docs/migrate-from-go-operator.md describes, then run "kubectl annotate karmada ${karmada.name} --namespace ${karmada.namespace} ${RECOVER_ANNOTATION}=MEMBER/CLUSTER_ID/REVISION". The other volumes are kept`,
  };
};

const namedMember = ({ name, id }: EtcdListedMember): string => (name === '' ? id : name);

/** A restart by the operator would need a quorum. From the record it creates a deleted StatefulSet again with https. */
const separatedMembers: Obstacle = (facts) => {
  const { karmada, members } = facts;
  if (!isSafeInVolumes(facts) || !areSeparated(facts)) return undefined;
  const { statefulSet } = members;
  return {
    reason: 'EtcdQuorumUnproven',
    message: `StatefulSet ${statefulSet}: the Go operator has written its Pod template again over members with https, so a member that restarts does not find the others. Stop the Go operator. If the API of the control plane does not answer, run "kubectl delete statefulset ${statefulSet} --namespace ${karmada.namespace}" in the host cluster: ${keptBy(members)}, and the operator creates the StatefulSet again with https`,
  };
};

const keptBy = ({ claims }: AdoptedEtcdFacts['members']): string =>
  claims.length > 0
    ? 'the PersistentVolumeClaims keep the data'
    : 'the data stays in the hostPath of each node, where a Pod that starts on another node does not find its data and waits';

/** Whether all members would find their data after a restart, and the operator knows whose data it is. */
const isSafeInVolumes = (facts: AdoptedEtcdFacts): boolean =>
  facts.isDurable &&
  facts.keepsClaims &&
  facts.recordsHttps &&
  facts.unsafeClaims.length === 0 &&
  facts.unrecordedClaims.length === 0;

/** A member that has not found the others since its start responds to nothing. */
function areSeparated({ isRecorded, members }: AdoptedEtcdFacts): boolean {
  const { view, pods, replicas } = members;
  if (replicas === 1) return false;
  const { voters } = clusterOf(members);
  if (voters.length > 0) return isRecorded && listedWithoutHttp(voters).length > 0;
  return pods.length > 0 && view.silent.length === pods.length;
}

const inPods: Obstacle = ({ isDurable, karmada, members: { statefulSet } }) =>
  isDurable
    ? undefined
    : {
        reason: 'EtcdDataNotDurable',
        message: `StatefulSet ${statefulSet}: its data is in an emptyDir, which a restart would lose, so etcd stays as it is until you name the member whose data the operator restores into a PersistentVolumeClaim. The API of the control plane does not answer meanwhile, usually for one to two minutes. Take a KarmadaBackup, set spec.components.etcd.local.volumeData.volumeClaim as "Data in an emptyDir" in docs/migrate-from-go-operator.md describes, and run "kubectl annotate karmada ${karmada.name} --namespace ${karmada.namespace} ${RECOVER_ANNOTATION}=MEMBER/CLUSTER_ID/REVISION"`,
      };

const unsafeVolumes: Obstacle = ({ unsafeClaims }) =>
  unsafeClaims.length === 0
    ? undefined
    : {
        reason: 'EtcdVolumeUnproven',
        message: `PersistentVolumeClaim ${listed(unsafeClaims).join(', ')}: a restarted etcd member might not find its data, so the operator restarts no member. Take a backup, and restore the PersistentVolumeClaim, or its labels`,
      };

const looseNode: Obstacle = ({ looseNode: node, members: { statefulSet } }) =>
  node === undefined
    ? undefined
    : {
        reason: 'EtcdVolumeUnproven',
        message: `StatefulSet ${statefulSet}: its only member has its data in a hostPath of node ${node}, and could restart on another node without it; set spec.components.etcd.local.nodeSelector to {"kubernetes.io/hostname": "${node}"}`,
      };

const rootForbidden: Obstacle = ({ rootForbiddenBy, karmada, members: { statefulSet } }) => {
  if (rootForbiddenBy === undefined) return undefined;
  return {
    reason: 'EtcdRootForbidden',
    message: `StatefulSet ${statefulSet}: the files of its members belong to root, and a member that does not run as root could not read them, so the operator restarts none. But ${FORBIDS_ROOT[rootForbiddenBy](karmada)}`,
  };
};

const FORBIDS_ROOT: Readonly<
  Record<
    NonNullable<AdoptedEtcdFacts['rootForbiddenBy']>,
    (karmada: AdoptedEtcdFacts['karmada']) => string
  >
> = {
  podSettings: () =>
    'spec.podSettings gives etcd another user; omit runAsNonRoot and runAsUser in its securityContext, also after the last step',
  tenantPods: () =>
    'the operator runs with --tenant-pods=Restricted; ask its administrator to start it without this flag, or restore a KarmadaBackup into a new Karmada',
  namespace: ({ namespace }) =>
    `the Namespace ${namespace} has the label ${ENFORCE}=restricted, with which Kubernetes refuses a Pod that runs as root; run "kubectl label namespace ${namespace} ${ENFORCE}=baseline --overwrite" in the host cluster, or restore a KarmadaBackup into a Karmada in another namespace`,
};

/** The Pods that run are older than the label. */
const hostPathForbidden: Obstacle = ({ hostPathForbiddenBy: level, karmada, members }) =>
  level === undefined
    ? undefined
    : {
        reason: 'PodSecurityRefused',
        message: `StatefulSet ${members.statefulSet}: its data is in a hostPath, and the Namespace ${karmada.namespace} has the label ${ENFORCE}=${level}, with which Kubernetes refuses a Pod with a hostPath, so the operator restarts no member; run "kubectl label namespace ${karmada.namespace} ${ENFORCE}=privileged --overwrite" in the host cluster`,
      };

/** A record of other members is never replaced without the user: it may be right, and the members new and empty. */
const recordFault: Obstacle = ({ recordFault: fault, backup, karmada: { namespace } }) => {
  if (fault === undefined) return undefined;
  const remove = `run "kubectl annotate secret ${backup} --namespace ${namespace} ${RECORD_ANNOTATION}-" in the host cluster, and the operator records the present members`;
  return fault.kind === 'unreadable'
    ? {
        reason: 'EtcdRecordUnreadable',
        message: `Secret ${backup}: its annotation ${RECORD_ANNOTATION} is not valid, so etcd does not change; restore it from a backup. If the present members have your data, ${remove}`,
      }
    : {
        reason: 'EtcdRecordForeign',
        message: `Secret ${backup}: its annotation ${RECORD_ANNOTATION} names etcd cluster ${fault.recorded}, but the members belong to cluster ${fault.present}, so etcd does not change. If the present members have your data, ${remove}. Otherwise restore the data of cluster ${fault.recorded}`,
      };
};

const paused: Obstacle = ({ paused: names }) =>
  names.length === 0
    ? undefined
    : {
        reason: 'RepairPaused',
        message: `${listed(names).join(', ')}: etcd does not change, because of the annotation ${PAUSE_REPAIR}=true; without the annotation the operator continues`,
      };

/** Permissions of the steps. Without them a step would neither be taken nor say why. */
const RIGHTS = [
  'patch persistentvolumeclaims',
  'patch pods',
  'delete pods',
  'patch statefulsets.apps',
  'update statefulsets.apps',
  'get pods/portforward',
];

const lackedRights: Obstacle = ({ missingRights }) => {
  const lacked = RIGHTS.filter((right) => missingRights.includes(right));
  if (lacked.length === 0) return undefined;
  return {
    reason: 'HostRightsMissing',
    message: `etcd: does not change, because the operator lacks the permission to ${listed(lacked).join(' and ')}; apply the current role`,
  };
};

const unowned: Obstacle = ({ unowned: names }) =>
  names.length === 0
    ? undefined
    : {
        reason: 'EtcdObjectsNotOwned',
        message: `${listed(names).join(', ')}: does not exist, or lacks the labels of this control plane, so the operator changes nothing of etcd; add the labels app.kubernetes.io/name=etcd, app.kubernetes.io/instance and app.kubernetes.io/managed-by of the StatefulSet`,
      };

const sharedSecret: Obstacle = ({ secret, secretOwners }) =>
  secretOwners.length === 0
    ? undefined
    : {
        reason: 'EtcdSecretShared',
        message: `${secret}: ${listed(secretOwners).join(', ')} also writes it, so the certificate that the members need for https could be lost, and the operator changes nothing of etcd; let this operator alone write the Secret`,
      };

const unread: Obstacle = ({ members: { view, pods } }) => {
  const answered = new Set(view.answers.map(({ pod }) => pod));
  const missing = pods.find(({ name }) => !answered.has(name));
  if (missing === undefined) return undefined;
  const cause = view.silent.find(({ pod }) => pod === missing.name)?.cause ?? 'not queried yet';
  return {
    reason: 'EtcdUnobserved',
    message: `Pod ${missing.name}: the operator cannot query its etcd member (${cause}), so etcd does not change; allow traffic from the operator to port 2379 of the Pod, and read its log`,
  };
};

/** The Go operator removes Pods without their members. */
const foreignMember: Obstacle = ({ members }) => {
  const { voters, learners, strangers } = clusterOf(members);
  const podless = [...voters, ...learners].filter(({ ordinal }) => ordinal >= members.replicas);
  const foreign = [...strangers, ...podless];
  if (foreign.length === 0) return undefined;
  const named = foreign.map(({ id, peerURLs }) => `${id} (${peerURLs.join(', ')})`);
  return {
    reason: 'EtcdMembersBlocked',
    message: `etcd: member ${listed(named).join(', ')} belongs to no Pod of this control plane, so etcd does not change; end its membership with etcdctl`,
  };
};

const noQuorum: Obstacle = ({ members }) => {
  const { voters, learners } = clusterOf(members);
  const unsound = unhealthy(members, voters).map(({ podName }) => podName);
  const names = [...unsound, ...learners.map(({ podName }) => podName)];
  const isWhole = members.view.quorum && names.length === 0;
  if (isWhole && members.pods.length === members.replicas) return undefined;
  return {
    reason: 'EtcdQuorumUnproven',
    message: `etcd: ${names.length === 0 ? 'a Pod does not exist or lacks the labels of the control plane' : `${listed(names).join(', ')} is not healthy`}, so no member restarts; read the logs of these members. The operator continues when all members are healthy`,
  };
};

/** In the order in which a user can remove them. */
const LASTING: readonly Obstacle[] = [
  paused,
  lackedRights,
  recordFault,
  unsafeVolumes,
  looseNode,
  rootForbidden,
  hostPathForbidden,
];
const FIRST: readonly Obstacle[] = [inPods, unowned, sharedSecret, unread, foreignMember, noQuorum];
