/** What a live StatefulSet of etcd says of its cluster, and which of its pods are as its template wants them: pure. */
import type { EtcdMembership } from '../../components/component.ts';
import { EFFECTIVE_HASH, effectiveTemplate } from '../../components/etcd/effective-hash.ts';
import { isWorkload } from '../../components/workload.ts';
import { differences } from '../../kubernetes/compare.ts';
import { isEnding, type KubernetesObject } from '../../kubernetes/object.ts';
import { isCurrent, membersOf } from './member-pods.ts';
import { settledRevision, specOf } from './stateful-set.ts';

/** Annotation of the StatefulSet: pods of this revision have no hash and differ from the template in nothing that counts. */
export const EQUAL_REVISION = 'operator.karmada.io/etcd-equal-revision';

/** A member without data does not start. */
const SEALED = '--initial-cluster-state=existing';
const LIST = '--initial-cluster=';
const TOKEN = '--initial-cluster-token=';

const flagsOf = (live: KubernetesObject): readonly string[] =>
  specOf(live).template?.spec?.containers?.flatMap(({ command = [] }) => command) ?? [];

/** Number of members that a StatefulSet was made with, as its own flags say. */
export function membersIn(live: KubernetesObject): number {
  // The first one: the seal comes after it.
  const list = flagsOf(live).find((flag) => flag.startsWith(LIST));
  const named = list?.slice(LIST.length).split(',').filter(Boolean).length;
  return named ?? specOf(live).replicas ?? 1;
}

/** Whether a member without data does not start. */
export const isSealed = (live: KubernetesObject): boolean => flagsOf(live).includes(SEALED);

/** Token of the cluster of a StatefulSet. */
export function tokenIn(live: KubernetesObject): string | undefined {
  return flagsOf(live)
    .find((flag) => flag.startsWith(TOKEN))
    ?.slice(TOKEN.length);
}

/**
 * The members an existing etcd was started with; a StatefulSet that somebody scaled by hand does not change who is a
 * member.
 */
export function membershipIn(
  live: KubernetesObject,
  state: EtcdMembership['state'],
): EtcdMembership {
  const token = tokenIn(live);
  return { ...membershipOf(membersIn(live), state), ...(token !== undefined && { token }) };
}

/** A membership of the first so many ordinals. */
export function membershipOf(members: number, state: EtcdMembership['state']): EtcdMembership {
  return { replicas: members, ordinals: Array.from({ length: members }, (_, n) => n), state };
}

/** Hash of the template of a StatefulSet; undefined for one of a release that did not note it. */
export const hashIn = (live: KubernetesObject): string | undefined =>
  specOf(live).template?.metadata?.annotations?.[EFFECTIVE_HASH];

/** Whether a pod is as the template of its StatefulSet wants it, apart from flags of no consequence. */
export function isUpToDate(pod: KubernetesObject, live: KubernetesObject): boolean {
  const hash = pod.metadata.annotations?.[EFFECTIVE_HASH];
  if (hash !== undefined) return hash === hashIn(live);
  const equal = live.metadata.annotations?.[EQUAL_REVISION];
  if (equal !== undefined && isCurrent(pod, equal)) return true;
  const revision = settledRevision(live);
  return revision !== undefined && isCurrent(pod, revision);
}

/**
 * The revision whose pods are as the wanted template wants them although they have no hash; undefined when there is none.
 * A release that did not note the hash made them.
 */
export function equalRevision(
  live: KubernetesObject,
  wanted: KubernetesObject,
): string | undefined {
  const noted = live.metadata.annotations?.[EQUAL_REVISION];
  const hash = hashIn(live);
  if (hash !== undefined) return hash === hashIn(wanted) ? noted : undefined;
  return hasEqualTemplate(live, wanted) ? settledRevision(live) : undefined;
}

/** Whether a live template makes no difference to a member with data, beside the wanted one. */
export function hasSameEffect(live: KubernetesObject, wanted: KubernetesObject): boolean {
  const hash = hashIn(live);
  return hash === undefined ? hasEqualTemplate(live, wanted) : hash === hashIn(wanted);
}

/** Fields that may be left out, so that one that was taken out is seen from the other side only. */
const OPTIONAL = ['affinity', 'tolerations', 'priorityClassName', 'imagePullSecrets'] as const;

/** Whether two templates differ only in what makes no difference to a member with data. */
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
    differences(wrapped(one), wrapped(other)).length === 0;
  const [before, after] = [chosen(now), chosen(then)];
  return contains(now, then) && contains(before, after) && contains(after, before);
}

const wrapped = (spec: object): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'x' },
  spec,
});

/**
 * Objects with the StatefulSet's count of updated pods as it is meant here: its controller counts those of the newest
 * revision, and a revision that makes no difference restarts nobody.
 */
export function withUpdatedMembers(
  objects: readonly KubernetesObject[],
  pods: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  return objects.map((object) => {
    if (object.kind !== 'StatefulSet' || hashIn(object) === undefined) return object;
    const members = membersOf(pods).filter((pod) => !isEnding(pod) && isUpToDate(pod, object));
    const status = { ...(object['status'] as object), updatedReplicas: members.length };
    return { ...object, status };
  });
}
