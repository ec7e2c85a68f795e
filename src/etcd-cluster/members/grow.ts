/** Rules for a new member: its Pod exists before the cluster knows of it. Pure. */
import { claimAt, clusterOf, podAt, unhealthy } from './cluster.ts';
import { podName, type MemberClaim, type MemberFacts, type MemberPod } from './facts.ts';
import { wait, type MemberStep, type Rule } from './step.ts';
import { ordinalsBelow } from '../../untrusted/ordinals.ts';

/** Adds the lowest missing ordinal, in place of a removed member or as an additional one. */
export const grow: Rule = (facts) => {
  const { voters } = clusterOf(facts);
  const { wanted, replicas } = facts;
  const missing = ordinalsBelow(wanted).find(
    (ordinal) => !voters.some((voter) => voter.ordinal === ordinal),
  );
  if (missing === undefined) return undefined;
  const [unsound] = unhealthy(facts, voters);
  if (unsound !== undefined)
    return wait(
      `etcd: ${podName(facts, missing)} does not join while ${unsound.podName} is not healthy`,
    );
  if (facts.cannotGrow !== undefined) return { kind: 'blocked', ...facts.cannotGrow };
  return missing < replicas ? addMember(facts, missing) : addPod(facts, missing);
};

/** Adds the member of an existing Pod. The Pod proves that node, volume and quota allow it to run. */
function addMember(facts: MemberFacts, ordinal: number): MemberStep {
  const pod = podAt(facts, ordinal);
  const claim = claimAt(facts, ordinal);
  if (pod === undefined || pod.isTerminating)
    return wait(`etcd: ${podName(facts, ordinal)} waits for its Pod`);
  return (
    replaceData(facts, pod, claim) ??
    replacePod(facts, pod) ?? {
      kind: 'addLearner',
      pod,
      message: `etcd: ${pod.name} joins the cluster as a learner`,
    }
  );
}

/** A new member must not find the data of a removed one: etcd would refuse to start with it. */
function replaceData(
  { storage }: MemberFacts,
  pod: MemberPod,
  claim: MemberClaim | undefined,
): MemberStep | undefined {
  // Kubernetes keeps a terminating PVC while the Pod uses it.
  if (claim?.isTerminating === true)
    return { kind: 'recreate', pod, message: `etcd: ${pod.name} gets a new PersistentVolumeClaim` };
  if (claim?.content === 'otherCluster') return foreign(claim);
  const message = `etcd: ${pod.name} starts without the data of its removed member`;
  if (claim?.content === 'thisCluster') return { kind: 'recreate', pod, claim, message };
  if (!pod.wasMember) return undefined;
  if (storage !== 'hostPath') return { kind: 'recreate', pod, message };
  return {
    kind: 'blocked',
    reason: 'EtcdDataFound',
    message: `Pod ${pod.name}: its hostPath has the data of a removed etcd member, with which etcd does not start; move the directory on the node to another path, then recreate the Pod`,
  };
}

/** The Pod must read the join annotation, be able to run, and not wait long before its next start. */
function replacePod(
  { templateCanJoin, excludesUnready }: MemberFacts,
  pod: MemberPod,
): MemberStep | undefined {
  if (!templateCanJoin) return wait(`etcd: ${pod.name} waits for the update of the Pod template`);
  if (!pod.canJoin || pod.isBackingOff)
    return { kind: 'recreate', pod, message: `etcd: ${pod.name} starts with the current template` };
  if (!excludesUnready)
    return wait('etcd: the client Service still includes Pods that are not ready');
  return pod.isScheduled ? undefined : wait(`etcd: ${pod.name} is not scheduled yet`);
}

function addPod(facts: MemberFacts, ordinal: number): MemberStep {
  const { wanted } = facts;
  const name = podName(facts, ordinal);
  if (wanted % 2 === 0) return even(facts);
  const claim = claimAt(facts, ordinal);
  if (claim?.isTerminating === true)
    return wait(`etcd: ${name} waits for the deletion of PersistentVolumeClaim ${claim.name}`);
  if (claim?.content === 'thisCluster')
    return {
      kind: 'deleteClaim',
      claim,
      message: `etcd: PersistentVolumeClaim ${claim.name} has the data of a removed member and is replaced`,
    };
  if (claim !== undefined && !claim.isUnbound) return foreign(claim);
  return {
    kind: 'scale',
    replicas: ordinal + 1,
    message: `etcd: ${name} is created (${String(facts.replicas)} to ${String(wanted)} members)`,
  };
}

const foreign = ({ name, content }: MemberClaim): MemberStep => ({
  kind: 'blocked',
  reason: 'EtcdClaimFound',
  message: `PersistentVolumeClaim ${name}: ${content === 'unknown' ? 'its content is unknown' : 'has data of another etcd cluster'}, so no new etcd member uses it; move its volume to a PersistentVolumeClaim with another name, or set fewer members in spec.components.etcd.local.replicas`,
});

const even = ({ wanted, replicas }: MemberFacts): MemberStep => ({
  kind: 'blocked',
  reason: 'EtcdMembersBlocked',
  message: `spec.components.etcd.local.replicas: ${String(wanted)} members tolerate no more failures than ${String(wanted - 1)}, so etcd stays at ${String(replicas)}; set an odd number`,
});
