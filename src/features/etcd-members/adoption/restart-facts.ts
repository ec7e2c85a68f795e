/** Facts about whether a restarted member of an etcd of the Go operator would find and read its data: pure, from the cache. */
import { podFieldsOf } from '../../../api/defaults/pod-settings.ts';
import { COMPONENT, INSTANCE } from '../../../api/labels.ts';
import { claimName } from '../../../etcd-cluster/storage/persistent-volume-claims.ts';
import { etcdPods } from '../../../etcd-cluster/pods/etcd-pods.ts';
import { membersIn } from '../../../etcd-cluster/pods/membership.ts';
import { claimsOf, hostPathOf, specOf, volumeOf } from '../../../etcd-cluster/pods/stateful-set.ts';
import type { PersistentVolumeClaim, StatefulSet } from '../../../kubernetes/objects/kinds.ts';
import { HOSTNAME } from '../../../kubernetes/objects/node.ts';
import { isTerminating } from '../../../kubernetes/objects/object.ts';
import type { Pod } from '../../../kubernetes/objects/pod-kinds.ts';
import { optionalField } from '../../../kubernetes/objects/records.ts';
import { ordinalsBelow } from '../../../untrusted/ordinals.ts';
import type { Cached } from '../member-facts.ts';
import type { AdoptedEtcdFacts } from './facts.ts';

type RestartFacts = Pick<
  AdoptedEtcdFacts,
  'unsafeClaims' | 'looseNode' | 'rootForbiddenBy' | 'hostPathForbiddenBy'
>;

/** Facts for the decision. */
export const restartFacts = (subject: Cached, statefulSet: StatefulSet): RestartFacts => ({
  unsafeClaims: unsafeClaims(subject, statefulSet),
  ...nodeFacts(subject, statefulSet),
  ...rootFacts(subject),
  ...hostPathFacts(subject, statefulSet),
});

/** Names of the PVCs of all members. */
export function claimNames(
  { karmada }: Pick<Cached, 'karmada'>,
  statefulSet: StatefulSet,
): string[] {
  const spec = specOf(statefulSet);
  const count = claimsOf(spec).length > 0 ? membersIn(statefulSet) : 0;
  return ordinalsBelow(count).map((ordinal) =>
    claimName(karmada.metadata.name, volumeOf(spec), ordinal),
  );
}

function unsafeClaims(subject: Cached, statefulSet: StatefulSet): readonly string[] {
  const { name } = subject.karmada.metadata;
  const claims = new Map(subject.host.claims.map((claim) => [claim.metadata.name, claim]));
  return claimNames(subject, statefulSet).flatMap((called) => {
    const fault = faultOf(claims.get(called), name);
    return fault === undefined ? [] : [`${called} (${fault})`];
  });
}

/** @param claim undefined if no PVC with the labels of the control plane has the name */
function faultOf(claim: PersistentVolumeClaim | undefined, karmada: string): string | undefined {
  if (claim === undefined)
    return `not found with the labels ${COMPONENT}=etcd and ${INSTANCE}=${karmada}`;
  if (isTerminating(claim)) return 'being deleted';
  const { phase = 'Pending' } = claim.status ?? {};
  return phase === 'Bound' ? undefined : `phase ${phase}`;
}

/** Without a PVC nothing binds a Pod to the node with its data. Several members keep a quorum if one starts elsewhere. */
function nodeFacts(
  { spec, host, etcdHostName }: Cached,
  statefulSet: StatefulSet,
): Pick<RestartFacts, 'looseNode'> {
  if (hostPathOf(specOf(statefulSet)) === undefined || membersIn(statefulSet) > 1) return {};
  const selected = spec.components.etcd.local?.nodeSelector?.[HOSTNAME];
  // A node may have another host name than its own name, which only its Node object tells.
  if (selected !== undefined && selected === (etcdHostName ?? selected)) return {};
  return { looseNode: etcdHostName ?? nodeOf(etcdPods(host.pods)) };
}

const nodeOf = ([pod]: readonly Pod[]): string => pod?.spec?.nodeName ?? 'with its data';

const rootFacts = (subject: Cached): Pick<RestartFacts, 'rootForbiddenBy'> =>
  optionalField('rootForbiddenBy', rootForbiddenBy(subject));

/**
 * Returns what forbids the members to run as root. Each container of the template has a user of its own, so only the context of
 * containers replaces that.
 */
export function rootForbiddenBy({
  spec,
  tenantPods,
  podSecurity,
}: Pick<Cached, 'spec' | 'tenantPods' | 'podSecurity'>): AdoptedEtcdFacts['rootForbiddenBy'] {
  const { runAsNonRoot, runAsUser = 0 } =
    podFieldsOf(spec.podSettings, 'etcd').securityContext ?? {};
  if (runAsNonRoot === true || runAsUser !== 0) return 'podSettings';
  if (tenantPods === 'Restricted') return 'tenantPods';
  return podSecurity === 'restricted' ? 'namespace' : undefined;
}

/** Only the level privileged allows a hostPath. */
function hostPathFacts(
  { podSecurity = 'privileged' }: Cached,
  statefulSet: StatefulSet,
): Pick<RestartFacts, 'hostPathForbiddenBy'> {
  const isOnNode = hostPathOf(specOf(statefulSet)) !== undefined;
  return isOnNode && podSecurity !== 'privileged' ? { hostPathForbiddenBy: podSecurity } : {};
}
