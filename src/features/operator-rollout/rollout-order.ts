/**
 * Limits rollouts that a new version of the operator causes without a change of a spec. A few control planes roll at a
 * time, and no further one starts when too many have failed. Pure functions.
 */
import type { Replicated } from '../../kubernetes/objects/kinds.ts';
import type { Reason } from '../../api/reasons/condition-reasons.ts';
import { mayAdoptEtcd } from '../../api/validation/adopt-etcd.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { peerSchemeOf } from '../../components/etcd/peer-flags.ts';
import { CERTIFICATES_HASH_ANNOTATION } from '../../components/overlay.ts';
import { ETCD_TRUST_ANNOTATION } from '../../components/values.ts';
import { isWorkload } from '../../components/workload.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import { byIdentity, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { DesiredObjects, DesiredObject } from '../../instance/desired-objects.ts';
import { hasFirstRollout } from '../adoption/first-rollout.ts';
import { hasSameEffect } from '../../etcd-cluster/pods/membership.ts';
import type { RolloutLimit, RolloutTurn, Share, Sibling } from '../../instance/rollout-turn.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import { namespaceOf } from '../../kubernetes/objects/resources.ts';
import { areShared, inTurns, NamespaceCounts } from './namespace-shares.ts';
import { OPERATOR_ROLLOUT } from '../../conditions/condition-types.ts';

/** Reason of this condition while the rolling control plane has a problem. */
export const ROLLOUT_FAILED = 'Failed';

/** Limits without flags. */
export const DEFAULT_ROLLOUT_LIMIT: RolloutLimit = {
  atOnce: { percent: 10 },
  failures: { percent: 1 },
};

const numberOf = (share: Share, total: number): number =>
  'count' in share ? share.count : Math.floor((total * share.percent) / 100);

/** Returns how many of `total` control planes may roll at the same time. A percentage allows at least one. */
export const mostAtOnce = ({ atOnce }: Pick<RolloutLimit, 'atOnce'>, total: number): number =>
  'count' in atOnce ? atOnce.count : Math.max(1, numberOf(atOnce, total));

/**
 * Whether more rollouts have failed than may fail before another one starts in a namespace.
 * @param total number of all control planes
 */
const isExhausted = (
  failed: NamespaceCounts,
  namespace: string,
  { failures }: RolloutLimit,
  total: number,
): boolean => failed.without(namespace) > numberOf(failures, total);

export interface TurnInput {
  /** Workloads that would change although the spec did not. */
  readonly changes: readonly DesiredObject[];
  /** Whether the status reports that this control plane rolls. */
  readonly marked: boolean;
  /** Namespace of its Karmada. */
  readonly namespace: string;
  readonly siblings: readonly Sibling[];
  readonly limit: RolloutLimit;
}

/**
 * Decides whether a control plane may roll now. The messages name no other control plane: with each change of those that roll, the
 * operator would otherwise write the status of all that wait.
 */
export function rolloutTurnOf(input: TurnInput): RolloutTurn {
  const { changes, marked, namespace, siblings, limit } = input;
  if (changes.length === 0 || marked) return { turn: 'go' };
  const what = `${stepsOf(changes)}: this version of the operator changes the Pods`;
  const total = siblings.length + 1;
  const wait = (
    reason: Extract<RolloutTurn, { turn: 'wait' }>['reason'],
    text: string,
  ): RolloutTurn => ({ turn: 'wait', reason, message: what + text });
  const failed = new NamespaceCounts(siblings, 'failed');
  if (isExhausted(failed, namespace, limit, total)) return wait('Stopped', STOPPED);
  const most = mostAtOnce(limit, total);
  if (most === 0) return wait('RolloutsPaused', PAUSED);
  const isShared = siblings.some(({ key }) => namespaceOf(key) !== namespace);
  const rolling = new NamespaceCounts(siblings, 'rolling');
  if (rolling.hasSlot(namespace, most, isShared)) return { turn: 'announce' };
  return wait('Waiting', ' after those of other control planes; no action is needed');
}

const STOPPED =
  '; the operator does not change this control plane, because the change failed in more control planes of this and of several other namespaces than --operator-rollout-failures allows; repair the Karmadas whose condition OperatorRollout has the reason Failed';

const PAUSED =
  ' later, because rollouts are paused (--operator-rollout-limit=0); set another limit to continue';

const stepsOf = (changes: readonly DesiredObject[]): string =>
  [...new Set(changes.map(({ step }) => step))].join(', ');

/**
 * Returns the waiting control planes to reconcile after a rollout has ended: as many as may start now. Namespaces take turns.
 * @param siblings all control planes
 */
export function nextToRollOut(
  siblings: readonly Sibling[],
  limit: RolloutLimit,
): readonly string[] {
  const most = mostAtOnce(limit, siblings.length);
  if (most === 0) return [];
  const failed = new NamespaceCounts(siblings, 'failed');
  const rolling = new NamespaceCounts(siblings, 'rolling');
  const isShared = areShared(siblings.map(({ key }) => key));
  const waiting = siblings.filter(({ state }) => state === 'waiting').map(({ key }) => key);
  return inTurns(waiting).filter((key) => {
    const namespace = namespaceOf(key);
    if (isExhausted(failed, namespace, limit, siblings.length)) return false;
    if (!rolling.hasSlot(namespace, most, isShared)) return false;
    rolling.add(namespace);
    return true;
  });
}

/**
 * Returns the workloads of an installed control plane that would change although the spec did not. A missing workload,
 * or one without an available Pod, is a repair and excluded. Changed certificates are excluded too, since they expire.
 * @param asked whether the spec has changed since the operator last wrote the status
 */
export function operatorDrivenChanges(
  desired: DesiredObjects,
  { host, karmada }: Pick<Snapshot, 'host' | 'karmada'>,
  { secretRef }: Pick<KarmadaStatus, 'secretRef'>,
  isRequested: boolean,
): readonly DesiredObject[] {
  if (isRequested || secretRef === undefined) return [];
  const live = byIdentity(host.objects);
  return desired.objects.filter((target) => {
    const found = target.cluster === 'host' ? live.get(target.id) : undefined;
    if (found === undefined || isConfirmed(karmada, found)) return false;
    return isRollout(target, found) && !isUrgent(target.object, found);
  });
}

/** Whether a user has agreed to the change of an etcd of the Go operator. */
const isConfirmed = ({ metadata }: Snapshot['karmada'], live: KubernetesObject): boolean =>
  live.kind === 'StatefulSet' && peerSchemeOf(live) === 'http' && mayAdoptEtcd(metadata);

/** Whether a workload rolls. Estimators do not count, since the control plane is available without them. */
function isRollout({ object, step, hash }: DesiredObject, live: KubernetesObject): boolean {
  const applied = live.metadata.annotations?.[APPLIED_HASH];
  const changes = applied !== undefined && applied !== hash && !isSeal(object, live);
  // The end of the first rollout after an adoption, which its owner has confirmed, changes no Pod.
  if (hasFirstRollout(live)) return false;
  return isWorkload(object) && step !== 'karmada-scheduler-estimator' && changes;
}

/** Whether only etcd flags change that a member with data ignores. The operator restarts no Pod for them. */
const isSeal = (object: KubernetesObject, live: KubernetesObject): boolean =>
  object.kind === 'StatefulSet' && hasSameEffect(live, object);

function isUrgent(object: KubernetesObject, live: Replicated): boolean {
  const { availableReplicas = 0 } = live.status ?? {};
  const [wanted, present] = [object, live].map(podAnnotations);
  return (
    availableReplicas === 0 ||
    [CERTIFICATES_HASH_ANNOTATION, ETCD_TRUST_ANNOTATION].some(
      (name) => wanted?.[name] !== present?.[name],
    )
  );
}

const podAnnotations = (object: KubernetesObject): Readonly<Record<string, string>> =>
  (isWorkload(object) ? object.spec.template.metadata.annotations : undefined) ?? {};

/** Returns the desired objects, with these marked as unchanged. @param objects live objects */
export function withUntouched(
  desired: DesiredObjects,
  objects: readonly KubernetesObject[],
  untouched: readonly DesiredObject[],
): DesiredObjects {
  if (untouched.length === 0) return desired;
  const live = byIdentity(objects);
  const keeps = new Set(untouched);
  const kept = desired.objects.map((target): DesiredObject => {
    const applied = live.get(target.id)?.metadata.annotations?.[APPLIED_HASH];
    return keeps.has(target) && applied !== undefined
      ? { ...target, hash: applied, untouched: true }
      : target;
  });
  return { ...desired, objects: kept };
}

/**
 * Returns the condition OperatorRollout; empty if the control plane neither rolls nor waits.
 * @param failure message of the problem of this control plane
 */
export function rolloutConditions(
  turn: RolloutTurn,
  { marked, ready, failure }: { marked: boolean; ready: boolean; failure: string | undefined },
): readonly ConditionDraft[] {
  const finding = (status: 'True' | 'False', reason: Reason, message: string): ConditionDraft[] => [
    { type: OPERATOR_ROLLOUT, status, reason, message },
  ];
  if (turn.turn === 'wait') return finding('False', turn.reason, turn.message);
  if (turn.turn === 'go' && (!marked || ready)) return [];
  if (failure !== undefined) return finding('True', ROLLOUT_FAILED, failure);
  return finding('True', 'Progressing', 'this version of the operator changes the Pods');
}
