/** Reads whether and how an etcd of the Go operator becomes one of this operator: pure, from the cache. */
import { mayAdoptEtcd } from '../../api/validation/adopt-etcd.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { DefaultedSpec } from '../../api/defaults/defaults.ts';
import type { CommonSettings } from '../../api/settings.ts';
import { isOwnClaim } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import type { MemberFacts } from '../../etcd-cluster/members/facts.ts';
import { isDurable, specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import { recordIn } from '../../etcd-cluster/identity/record.ts';
import { isPaused } from '../../instance/pause.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { hasGoTemplate } from '../adoption/adopted-etcd.ts';
import { usesAdminKey } from '../adoption/admin-key.ts';
import { isUnapplied } from '../adoption/handover.ts';
import { backupIn, etcdRecordOf } from '../etcd-bootstrap/bootstrap.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { decideEtcdAdoption, mayReplaceTemplate, type EtcdAdoption } from './adoption/decide.ts';
import type { AdoptedEtcdFacts } from './adoption/facts.ts';
import { cachedFacts, isFromGo, type Cached } from './member-facts.ts';
import { claimNames, restartFacts } from './adoption/restart-facts.ts';

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
    ...recordFault(subject),
    ...restartFacts(subject, statefulSet),
    unowned: unownedObjects(subject, claimNames(subject, statefulSet)),
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

/** Why the operator never replaces the record by one of the present members: only a user knows which of both is right. */
function recordFault(subject: Cached): Pick<AdoptedEtcdFacts, 'recordFault'> {
  const noted = recordIn(backupIn(subject)?.metadata.annotations);
  if (noted === 'unreadable') return { recordFault: { kind: 'unreadable' } };
  const present = subject.etcd?.clusters.map(({ id }) => id) ?? [];
  const recorded = noted?.state === 'born' ? noted.clusterID : undefined;
  if (recorded === undefined || present.length === 0 || present.includes(recorded)) return {};
  return { recordFault: { kind: 'otherCluster', recorded, present: present.join(', ') } };
}

function recordsHttps(subject: Cached): boolean {
  const record = etcdRecordOf(subject);
  return record?.state === 'born' && record.peers === undefined;
}

/** Objects of etcd that the caches of this control plane have, but that are not its own, or that they lack. */
function unownedObjects({ karmada, host }: Cached, claims: readonly string[]): readonly string[] {
  const { name, namespace = '' } = karmada.metadata;
  const names = new Set(claims);
  const foreign = host.claims.filter(
    (claim) => names.has(claim.metadata.name) && !isOwnClaim(claim, name),
  );
  const services = ['etcd', 'etcd-client'].map((suffix) => instanceName(name, suffix));
  const missing = services.filter(
    (service) =>
      !host.objects.some(({ kind, metadata }) => kind === 'Service' && metadata.name === service),
  );
  return [...foreign.map(nameOf), ...missing.map((service) => `Service ${namespace}/${service}`)];
}

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
}: Cached): Pick<AdoptedEtcdFacts, 'secret' | 'backup' | 'secretOwners' | 'hasPeerCertificate'> {
  const { name, namespace = '' } = karmada.metadata;
  const called = instanceName(name, SECRET_SUFFIX.etcdCert);
  const secret = host.objects.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === called,
  );
  const owners = secret?.metadata.ownerReferences ?? [];
  const data: unknown = secret?.['data'];
  return {
    secret: `Secret ${namespace}/${called}`,
    backup: instanceName(name, SECRET_SUFFIX.caBackup),
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
