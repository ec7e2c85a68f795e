/** Membership of a running etcd from its StatefulSet, and comparison of its Pods with the template: pure. */
import { instanceName } from '../../api/naming.ts';
import type { EtcdMembership } from '../../components/component.ts';
import {
  EFFECTIVE_HASH,
  effectiveTemplate,
  OTHER_SIZE_HASH,
} from '../../components/etcd/effective-hash.ts';
import { DATA_VOLUME } from '../../components/etcd/data-volume.ts';
import { REVISIONS } from '../../components/etcd/revisions.ts';
import { isWorkload } from '../../components/workload.ts';
import { differences } from '../../kubernetes/objects/compare.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { isCurrent, etcdPods } from './etcd-pods.ts';
import { settledRevision, specAsObject, specOf, volumeOf } from './stateful-set.ts';
import { ordinalsBelow } from '../../untrusted/ordinals.ts';

/** Annotation of the StatefulSet: Pods of this revision have no template hash and are equivalent to the template. */
export const EQUAL_REVISION = 'operator.karmada.io/etcd-equal-revision';

/** With this flag a member without data does not start a new cluster. */
const EXISTING_STATE = '--initial-cluster-state=existing';
const LIST = '--initial-cluster=';
const TOKEN = '--initial-cluster-token=';

const flagsOf = (live: KubernetesObject): readonly string[] =>
  specOf(live).template?.spec?.containers?.flatMap(({ command = [] }) => command) ?? [];

/** Number of members from the `--initial-cluster` flag of the StatefulSet. */
export function membersIn(live: KubernetesObject): number {
  // Takes the first flag; a template with `existing` repeats it later.
  const list = flagsOf(live).find((flag) => flag.startsWith(LIST));
  const named = list?.slice(LIST.length).split(',').filter(Boolean).length;
  return named ?? specOf(live).replicas ?? 1;
}

/** Whether the template has `existing`: a member without data does not start a new cluster. */
export const isExisting = (live: KubernetesObject): boolean =>
  flagsOf(live).includes(EXISTING_STATE);

/** Default of etcd for `--initial-cluster-token`, which the Go operator does not set. */
const DEFAULT_TOKEN = 'etcd-cluster';

/** Value of `--initial-cluster-token` of a StatefulSet. @returns undefined if it has no flags of an etcd cluster */
export function tokenIn(live: KubernetesObject): string | undefined {
  const flags = flagsOf(live);
  const token = flags.find((flag) => flag.startsWith(TOKEN))?.slice(TOKEN.length);
  return token ?? (flags.some((flag) => flag.startsWith(LIST)) ? DEFAULT_TOKEN : undefined);
}

/** Whether the template of this operator has the token of an etcd that the Go operator created. Tokens of this operator are random. */
export const hasGoToken = (live: KubernetesObject): boolean =>
  flagsOf(live).includes(`${TOKEN}${DEFAULT_TOKEN}`);

/**
 * Whether the template of this operator keeps the user and the revisions of an etcd of the Go operator. After a recovery
 * the token is another one, and the files still belong to root.
 */
export function hasGoUser(live: KubernetesObject): boolean {
  const { spec } = specOf(live).template ?? {};
  const isRoot = spec?.containers?.some(
    ({ securityContext }) => fieldsOf(securityContext)['runAsUser'] === 0,
  );
  return isRoot === true && fieldsOf(live['spec'])['revisionHistoryLimit'] === REVISIONS.ofGo;
}

/** Membership that a running etcd was started with. Manual scaling of the StatefulSet does not change it. */
export function membershipIn(
  live: KubernetesObject,
  state: EtcdMembership['state'],
): EtcdMembership {
  const token = tokenIn(live);
  const volume = volumeOf(specOf(live));
  return {
    ...membershipOf(membersIn(live), state),
    ...(token !== undefined && { token }),
    ...(volume !== DATA_VOLUME && { volume }),
  };
}

/** Creates a membership of the first `members` ordinals. */
export function membershipOf(members: number, state: EtcdMembership['state']): EtcdMembership {
  const ordinals = ordinalsBelow(members);
  return { replicas: ordinals.length, ordinals, state };
}

/** Template hash of a StatefulSet; undefined if an earlier operator release without this hash created it. */
export const hashIn = (live: KubernetesObject): string | undefined =>
  specOf(live).template?.metadata?.annotations?.[EFFECTIVE_HASH];

/** Template hashes of members that need no restart: of this template, and of the same one for another size. */
const equalHashes = (set: KubernetesObject): readonly string[] =>
  [hashIn(set), set.metadata.annotations?.[OTHER_SIZE_HASH]].filter((hash) => hash !== undefined);

/** Whether a Pod matches the template of its StatefulSet, apart from flags without effect on a member with data. */
export function isUpToDate(pod: Pod, live: KubernetesObject): boolean {
  const hash = pod.metadata.annotations?.[EFFECTIVE_HASH];
  if (hash !== undefined) return equalHashes(live).includes(hash);
  const equal = live.metadata.annotations?.[EQUAL_REVISION];
  if (equal !== undefined && isCurrent(pod, equal)) return true;
  const revision = settledRevision(live);
  return revision !== undefined && isCurrent(pod, revision);
}

/**
 * Returns the revision whose Pods are equivalent to the desired template although they have no hash. An earlier
 * operator release created such Pods. @returns undefined if there is none
 */
export function equalRevision(
  live: KubernetesObject,
  wanted: KubernetesObject,
): string | undefined {
  const noted = live.metadata.annotations?.[EQUAL_REVISION];
  const hash = hashIn(live);
  if (hash !== undefined) return equalHashes(wanted).includes(hash) ? noted : undefined;
  return hasEqualTemplate(live, wanted) ? settledRevision(live) : undefined;
}

/** Whether live and desired template are equivalent for a member with data. */
export function hasSameEffect(live: KubernetesObject, wanted: KubernetesObject): boolean {
  const hash = hashIn(live);
  return hash === undefined ? hasEqualTemplate(live, wanted) : equalHashes(wanted).includes(hash);
}

/** Optional fields. Compared in both directions, because a removed field is visible only from one side. */
const OPTIONAL = ['affinity', 'tolerations', 'priorityClassName', 'imagePullSecrets'] as const;

/** Whether two templates differ only in fields without effect on a member with data. */
export function hasEqualTemplate(live: KubernetesObject, wanted: KubernetesObject): boolean {
  if (!isWorkload(live) || !isWorkload(wanted)) return false;
  const [now, then] = [live, wanted].map(({ spec }) => effectiveTemplate(spec.template));
  if (now === undefined || then === undefined) return false;
  const chosen = ({ metadata, spec }: typeof now): object => ({
    metadata,
    resources: spec.containers[0]?.resources ?? {},
    ...Object.fromEntries(OPTIONAL.map((field) => [field, spec[field] ?? null])),
  });
  const contains = (one: object, other: object): boolean =>
    differences(specAsObject(one), specAsObject(other)).length === 0;
  const [before, after] = [chosen(now), chosen(then)];
  return contains(now, then) && contains(before, after) && contains(after, before);
}

/**
 * Replaces `status.updatedReplicas` of the etcd StatefulSet with the number of up-to-date members. Its controller
 * counts only Pods of the newest revision, but an equivalent revision needs no restart.
 * @param name of the Karmada
 */
export function withUpdatedMembers(
  objects: readonly KubernetesObject[],
  pods: readonly Pod[],
  name: string,
): readonly KubernetesObject[] {
  const isCounted = (object: KubernetesObject): boolean =>
    isEtcdSet(object, name) && hashIn(object) !== undefined;
  return objects.map((object) => (isCounted(object) ? withCount(object, pods) : object));
}

const isEtcdSet = ({ kind, metadata }: KubernetesObject, name: string): boolean =>
  kind === 'StatefulSet' && metadata.name === instanceName(name, 'etcd');

function withCount(set: KubernetesObject, pods: readonly Pod[]): KubernetesObject {
  const members = etcdPods(pods).filter((pod) => !isTerminating(pod) && isUpToDate(pod, set));
  return { ...set, status: { ...fieldsOf(set['status']), updatedReplicas: members.length } };
}
