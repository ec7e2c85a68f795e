/** Reads whether and how an etcd of the Go operator becomes one of this operator: pure, from the cache. */
import { mayAdoptEtcd } from '../../api/validation/adopt-etcd.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { DefaultedSpec } from '../../api/defaults/defaults.ts';
import { podFieldsOf } from '../../api/defaults/pod-settings.ts';
import type { CommonSettings } from '../../api/settings.ts';
import { claimName, isOwnClaim } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import type { MemberFacts } from '../../etcd-cluster/members/facts.ts';
import { membersIn } from '../../etcd-cluster/pods/membership.ts';
import { etcdPods } from '../../etcd-cluster/pods/etcd-pods.ts';
import {
  claimsOf,
  hostPathOf,
  isDurable,
  specOf,
  volumeOf,
} from '../../etcd-cluster/pods/stateful-set.ts';
import { isPaused } from '../../instance/pause.ts';
import type { PersistentVolumeClaim, StatefulSet } from '../../kubernetes/objects/kinds.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { isTerminating, nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { hasGoTemplate } from '../adoption/adopted-etcd.ts';
import { usesAdminKey } from '../adoption/admin-key.ts';
import { isUnapplied } from '../adoption/handover.ts';
import { etcdRecordOf } from '../etcd-bootstrap/bootstrap.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { decideEtcdAdoption, mayReplaceTemplate, type EtcdAdoption } from './adoption/decide.ts';
import type { AdoptedEtcdFacts } from './adoption/facts.ts';
import { cachedFacts, isFromGo, type Cached } from './member-facts.ts';
import { ordinalsBelow } from '../../untrusted/ordinals.ts';

/** @returns undefined for an etcd that does not differ from one of this operator, and during a recovery */
export function etcdAdoption(subject: Cached): EtcdAdoption | undefined {
  const statefulSet = etcdWorkload(subject);
  const members = adoptingMembers(subject);
  if (statefulSet === undefined || members === undefined) return undefined;
  if (subject.etcdBootstrap?.recovery !== undefined) return undefined;
  return decideEtcdAdoption(adoptedEtcdFacts(subject, statefulSet, members));
}

/** @returns undefined for members without http, and at once for an etcd that this operator created */
function adoptingMembers(subject: Cached): MemberFacts | undefined {
  const members = isFromGo(subject) ? cachedFacts(subject) : undefined;
  return members?.isAdopting === true ? members : undefined;
}

/** StatefulSet that keeps the Pod template of the Go operator. */
export function keptGoWorkload(subject: Cached): KubernetesObject | undefined {
  const statefulSet = etcdWorkload(subject);
  if (statefulSet === undefined || !hasGoTemplate(statefulSet)) return undefined;
  const adoption = etcdAdoption(subject);
  return adoption !== undefined && mayReplaceTemplate(adoption) ? undefined : statefulSet;
}

/** Facts for the decision. */
export function adoptedEtcdFacts(
  subject: Cached,
  statefulSet: StatefulSet,
  members: MemberFacts,
): AdoptedEtcdFacts {
  const { karmada, host } = subject;
  const { name, namespace = '' } = karmada.metadata;
  const isOfGo = (object: KubernetesObject): boolean =>
    object.kind === 'Deployment' && isUnapplied(object);
  return {
    karmada: { name, namespace },
    isConfirmed: mayAdoptEtcd(karmada.metadata),
    hasGoTemplate: hasGoTemplate(statefulSet),
    isDurable: isDurable(specOf(statefulSet)),
    keepsClaims: keepsClaims(statefulSet),
    isRecorded: isRecorded(subject, statefulSet),
    recordsHttps: recordsHttps(subject),
    unrecordedClaims: members.claims
      .filter(({ ordinal, content }) => ordinal < members.replicas && content !== 'thisCluster')
      .map((claim) => claim.name),
    ...claimFacts(subject, statefulSet),
    ...nodeFacts(subject, statefulSet),
    ...rootFacts(subject),
    paused: pausedObjects(subject, statefulSet),
    missingRights: subject.missingRights ?? [],
    ...secretFacts(subject),
    hasGoPods: host.objects.some(isOfGo) || usesAdminKey(host.objects),
    members,
  };
}

/** Whether Kubernetes keeps the PVCs of a StatefulSet that is deleted, as it does unless its spec says otherwise. */
const keepsClaims = ({ spec }: StatefulSet): boolean =>
  fieldsOf(fieldsOf(spec)['persistentVolumeClaimRetentionPolicy'])['whenDeleted'] !== 'Delete';

/** Whether the record names the cluster of the members; while they do not respond, the record of a changed etcd counts. */
function isRecorded(subject: Cached, statefulSet: StatefulSet): boolean {
  const record = etcdRecordOf(subject);
  if (record?.state !== 'born') return false;
  const [cluster] = subject.etcd?.clusters ?? [];
  return cluster === undefined ? !hasGoTemplate(statefulSet) : cluster.id === record.clusterID;
}

function recordsHttps(subject: Cached): boolean {
  const record = etcdRecordOf(subject);
  return record?.state === 'born' && record.peers === undefined;
}

function claimFacts(
  { karmada, host }: Cached,
  statefulSet: StatefulSet,
): Pick<AdoptedEtcdFacts, 'unsafeClaims' | 'unowned'> {
  const { name, namespace = '' } = karmada.metadata;
  const claims = new Map(host.claims.map((claim) => [claim.metadata.name, claim]));
  const isClaimed = claimsOf(specOf(statefulSet)).length > 0;
  const names = ordinalsBelow(isClaimed ? membersIn(statefulSet) : 0).map((ordinal) =>
    claimName(name, volumeOf(specOf(statefulSet)), ordinal),
  );
  const found = names.flatMap((one) => claims.get(one) ?? []);
  const services = ['etcd', 'etcd-client'].map((suffix) => instanceName(name, suffix));
  const missing = services.filter(
    (service) =>
      !host.objects.some(({ kind, metadata }) => kind === 'Service' && metadata.name === service),
  );
  return {
    unsafeClaims: names.filter((one) => !isSafe(claims.get(one))),
    unowned: [
      ...found.filter((claim) => !isOwnClaim(claim, name)).map(nameOf),
      ...missing.map((service) => `Service ${namespace}/${service}`),
    ],
  };
}

/** Without a PVC nothing binds a Pod to the node with its data. Several members keep a quorum if one starts elsewhere. */
function nodeFacts(
  { spec, host }: Cached,
  statefulSet: StatefulSet,
): Pick<AdoptedEtcdFacts, 'looseNode'> {
  if (hostPathOf(specOf(statefulSet)) === undefined || membersIn(statefulSet) > 1) return {};
  const { nodeSelector = {} } = spec.components.etcd.local ?? {};
  const [pod]: readonly Pod[] = etcdPods(host.pods);
  const node = pod?.spec?.nodeName;
  return HOSTNAME in nodeSelector ? {} : { looseNode: node ?? 'with its data' };
}

/** Each container of the template has a user of its own, so only the context of containers replaces that. */
function rootFacts({ spec, tenantPods }: Cached): Pick<AdoptedEtcdFacts, 'rootForbiddenBy'> {
  const { runAsNonRoot, runAsUser = 0 } =
    podFieldsOf(spec.podSettings, 'etcd').securityContext ?? {};
  if (runAsNonRoot === true || runAsUser !== 0) return { rootForbiddenBy: 'podSettings' };
  return tenantPods === 'Restricted' ? { rootForbiddenBy: 'tenantPods' } : {};
}

const HOSTNAME = 'kubernetes.io/hostname';

const isSafe = (claim: PersistentVolumeClaim | undefined): boolean =>
  claim !== undefined && !isTerminating(claim) && claim.status?.phase === 'Bound';

function pausedObjects({ host }: Cached, statefulSet: StatefulSet): readonly string[] {
  const { name } = statefulSet.metadata;
  const own = [...host.pods, ...host.claims].filter(({ metadata }) =>
    metadata.name.includes(`${name}-`),
  );
  return [statefulSet, ...own].filter(isPaused).map(nameOf);
}

function secretFacts({
  karmada,
  host,
}: Cached): Pick<AdoptedEtcdFacts, 'secret' | 'secretOwners' | 'hasPeerCertificate'> {
  const { name, namespace = '' } = karmada.metadata;
  const called = instanceName(name, SECRET_SUFFIX.etcdCert);
  const secret = host.objects.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === called,
  );
  const owners = secret?.metadata.ownerReferences ?? [];
  const data: unknown = secret?.['data'];
  return {
    secret: `Secret ${namespace}/${called}`,
    secretOwners: owners
      .filter(({ kind }) => kind !== 'Karmada')
      .map((owner) => `${owner.kind} ${owner.name}`),
    hasPeerCertificate: typeof data === 'object' && data !== null && PEER_CERTIFICATE in data,
  };
}

const PEER_CERTIFICATE = 'etcd-peer.crt';

/** Spec with the image that runs: until its connections are secure, an adopted etcd changes nothing else. */
export function withRunningImage(spec: DefaultedSpec, subject: Cached): DefaultedSpec {
  const { local } = spec.components.etcd;
  if (local === undefined || adoptingMembers(subject) === undefined) return spec;
  const etcd = { ...spec.components.etcd, local: { ...local, ...runningImage(subject) } };
  return { ...spec, components: { ...spec.components, etcd } };
}

/** Repository and tag of the etcd that runs; empty for an image without a tag. */
function runningImage(
  subject: Cached,
): Partial<Pick<CommonSettings, 'imageRepository' | 'imageTag'>> {
  const statefulSet = etcdWorkload(subject);
  const containers = statefulSet && specOf(statefulSet).template?.spec?.containers;
  const [, imageRepository, imageTag] = IMAGE.exec(containers?.[0]?.image ?? '') ?? [];
  return imageRepository === undefined || imageTag === undefined
    ? {}
    : { imageRepository, imageTag };
}

const IMAGE = /^(.+):([^:/@]+)$/;
