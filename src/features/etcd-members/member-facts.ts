/** Derives the facts about the members of an etcd from Kubernetes objects and member responses: pure. */
import { mayAdoptEtcd } from '../../api/validation/adopt-etcd.ts';
import { COMPONENT } from '../../api/labels.ts';
import { instanceName } from '../../api/naming.ts';
import { durationMs } from '../../api/duration.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import { reportsLearners } from '../../components/etcd/join.ts';
import { NOTHING_SEEN, type EtcdView } from '../../etcd/view.ts';
import type {
  PersistentVolumeClaim,
  StatefulSet,
  Service,
} from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { hasGoTemplate } from '../adoption/adopted-etcd.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { etcdRecordOf, storageOf } from '../etcd-bootstrap/bootstrap.ts';
import { hasHttp } from '../../etcd-cluster/members/peer-tls.ts';
import { GO_OPERATOR, type EtcdRecord } from '../../etcd-cluster/identity/record.ts';
import {
  hasGoToken,
  hasGoUser,
  isExisting,
  membersIn,
} from '../../etcd-cluster/pods/membership.ts';
import { etcdPods } from '../../etcd-cluster/pods/etcd-pods.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { peerSchemeOf, type PeerScheme } from '../../components/etcd/peer-flags.ts';
import { claimsByPod } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { settledRevision, specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import {
  laggingPods,
  NO_VOLUMES,
  volumeStates,
  type VolumeFacts,
} from '../../etcd-cluster/pods/defects.ts';
import type { MemberFacts } from '../../etcd-cluster/members/facts.ts';
import { claimFact, podFact, readsJoin } from './pod-facts.ts';

/** Permission to let a Pod join. */
const JOIN_RIGHT = 'patch pods';

/** Default of `replacementGracePeriod`. */
const GRACE_MS = 600_000;

type Subject = Pick<Snapshot, 'karmada' | 'spec' | 'host' | 'missingRights'>;

/** Without a time, no grace period has ended. */
export type Cached = Subject &
  Pick<Snapshot, 'etcd' | 'etcdBootstrap' | 'etcdVolumes' | 'memberStep'> &
  Partial<Pick<Snapshot, 'now' | 'tenantPods' | 'podSecurity' | 'etcdHostName'>>;

/** Objects of an etcd: from the cache, or read just now. */
export interface EtcdObjects {
  readonly statefulSet: StatefulSet;
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly view: EtcdView;
  /** Wall clock in milliseconds. */
  readonly now: number;
  readonly volumes: VolumeFacts;
}

/** @returns undefined for an external or missing etcd */
export function cachedFacts(subject: Cached): MemberFacts | undefined {
  const statefulSet = etcdWorkload(subject);
  const { local } = subject.spec.components.etcd;
  if (local === undefined || statefulSet === undefined) return undefined;
  const { pods, claims } = subject.host;
  const { etcd: view = NOTHING_SEEN, etcdVolumes: volumes = NO_VOLUMES, now = 0 } = subject;
  return memberFacts(subject, { statefulSet, pods, claims, view, now, volumes });
}

/** Derives the facts. */
export function memberFacts(subject: Subject, objects: EtcdObjects): MemberFacts {
  const { spec, host } = subject;
  const { name, namespace = '' } = subject.karmada.metadata;
  const { statefulSet, view, now } = objects;
  const record = etcdRecordOf(subject);
  const set = instanceName(name, 'etcd');
  const members = etcdPods(objects.pods);
  const claims = claimsByPod(objects.claims, members);
  const data = record?.data && new Set(record.data);
  const volumes = volumeStates(objects.volumes);
  const known = { claims, record, data, volumes, lagging: laggingPods(view) };
  const pods = members.flatMap((pod) => podFact(name, pod, known));
  const peers = peerSchemeOf(statefulSet);
  return {
    ...wishes(subject),
    replicas: membersIn(statefulSet),
    ...adoptingFacts(subject, statefulSet, { peers, pods, view }),
    isFormed: isExisting(statefulSet) && record?.state === 'born',
    templateCanJoin: settledRevision(statefulSet) !== undefined && templateReadsJoin(statefulSet),
    excludesUnready: excludesUnready(host.objects, instanceName(name, 'etcd-client')),
    view,
    now,
    pods,
    claims: objects.claims.flatMap((claim) => claimFact(name, claim, record)),
    statefulSet: set,
    domain: `${set}.${namespace}.svc.${spec.hostCluster.networking.dnsDomain}`,
  };
}

/** Facts about http. Until the connections between the members of an adopted etcd are secure, their number does not change. */
function adoptingFacts(
  subject: Subject,
  statefulSet: StatefulSet,
  seen: { readonly peers: PeerScheme } & Pick<MemberFacts, 'pods' | 'view'>,
): Partial<Pick<MemberFacts, 'wanted' | 'isAdopting' | 'keepsHttp' | 'peers'>> {
  const peers = seen.peers === 'http' ? { peers: seen.peers } : {};
  if (!isFromGo(subject) || !mayHaveHttp(subject, seen)) return peers;
  return {
    ...peers,
    wanted: membersIn(statefulSet),
    isAdopting: true,
    ...(!mayAdoptEtcd(subject.karmada.metadata) && { keepsHttp: true }),
  };
}

/** While no member tells the member list, that of the record counts: otherwise the steps would seem complete. */
const mayHaveHttp = (subject: Subject, seen: Parameters<typeof hasHttp>[0]): boolean =>
  hasHttp(seen) || (seen.view.members.length === 0 && etcdRecordOf(subject)?.listsHttp === true);

/** Whether the Go operator created the etcd. Its members run as root, because their files belong to root. */
export function isFromGo(subject: Pick<Subject, 'karmada' | 'host'>): boolean {
  return isEtcdFromGo(etcdRecordOf(subject), etcdWorkload(subject));
}

/** The same by the record and the StatefulSet. */
export const isEtcdFromGo = (
  record: EtcdRecord | undefined,
  statefulSet: KubernetesObject | undefined,
): boolean =>
  record?.origin === GO_OPERATOR || (statefulSet !== undefined && isSetFromGo(statefulSet));

/** Whether the Go operator created the etcd of a StatefulSet. The record may be lost, and the members still need root. */
export const isSetFromGo = (statefulSet: KubernetesObject): boolean =>
  hasGoTemplate(statefulSet) || hasGoToken(statefulSet) || hasGoUser(statefulSet);

/** What the spec asks for. */
function wishes({
  spec,
  missingRights = [],
}: Pick<Subject, 'spec' | 'missingRights'>): Pick<
  MemberFacts,
  'wanted' | 'cannotGrow' | 'storage' | 'deletesClaims' | 'graceMs'
> {
  const { local } = spec.components.etcd;
  const refusal = growthRefusal(local?.imageTag ?? '', missingRights);
  return {
    wanted: local?.replicas ?? 1,
    storage: storageOf({ spec }),
    graceMs: graceMsOf(local?.replacementGracePeriod),
    deletesClaims: local?.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete',
    ...(refusal && { cannotGrow: refusal }),
  };
}

const graceMsOf = (given = ''): number => durationMs(given) ?? GRACE_MS;

const templateReadsJoin = (statefulSet: StatefulSet): boolean =>
  readsJoin(specOf(statefulSet).template?.spec);

function excludesUnready(objects: readonly KubernetesObject[], service: string): boolean {
  const found: Service | undefined = objects.find(
    ({ kind, metadata }) =>
      kind === 'Service' && metadata.name === service && metadata.labels?.[COMPONENT] === 'etcd',
  );
  const { publishNotReadyAddresses = false } = found?.spec ?? {};
  return found !== undefined && !publishNotReadyAddresses;
}

function growthRefusal(imageTag: string, missingRights: readonly string[]): Problem | undefined {
  if (missingRights.includes(JOIN_RIGHT))
    return {
      reason: 'HostRightsMissing',
      message: `etcd: no member is added, because the operator lacks the permission to ${JOIN_RIGHT}; apply the current role`,
    };
  if (reportsLearners(imageTag)) return undefined;
  return {
    reason: 'EtcdMembersBlocked',
    message: `spec.components.etcd.local.imageTag: ${imageTag} is no etcd release that reports members without a vote as not ready, so no member is added; set 3.5.19 or later first`,
  };
}
