/**
 * Decides which certificate of a component leaves the group `system:masters`: pure. One component at a time, and only when
 * access reviews show that its user has all rules of its role. During this first switch, a component that fails goes back. A
 * component that has once worked with its own identity never does: its role is applied again.
 */
import type { ReviewResult } from '../../instance/identity-reviews.ts';
import type { ClientComponent, IdentityKind, IdentityPolicy } from '../../pki/types.ts';

export interface ComponentIdentity {
  readonly component: ClientComponent;
  /** What its certificate has. */
  readonly identity: IdentityKind;
  /** Undefined until its rules have been reviewed. */
  readonly review?: ReviewResult;
  /** Whether its workload is rolled out and available. */
  readonly isAvailable: boolean;
  /** Whether no Pods of it serve, or a rollout of it makes no progress. An upgrade alone is none of these. */
  readonly isDown: boolean;
}

/** A component that uses its own identity for the first time. Times are wall clock in milliseconds. */
export interface Trial {
  readonly component: ClientComponent;
  readonly since: number;
  /** Since when it and the control plane have been ready without a break. */
  readonly readySince?: number;
  /** Since when it has not been available. */
  readonly downSince?: number;
}

export interface IdentityFacts {
  /** Installed components. */
  readonly components: readonly ComponentIdentity[];
  /**
   * Whether the control plane is Ready, all rollouts are complete, also those after an adoption or a restore, and nothing
   * else changes it.
   */
  readonly isSettled: boolean;
  readonly trial?: Trial;
  /** Components that have left the group for good, as recorded. */
  readonly proved: ReadonlySet<ClientComponent>;
  /** Components that failed with their own identity, with the cause. */
  readonly refused: ReadonlyMap<ClientComponent, string>;
  readonly now: number;
}

export interface IdentityDecision {
  readonly decided: IdentityPolicy['decided'];
  readonly trial?: Trial;
  readonly refused: ReadonlyMap<ClientComponent, string>;
  /** Component whose rules must be reviewed before the next decision. */
  readonly review?: ClientComponent;
  /** Components that keep the group `system:masters`, with the cause. */
  readonly findings: ReadonlyMap<ClientComponent, string>;
}

const MINUTE = 60_000;
/** How long a component must be ready with its own identity. Its client reads the certificate within 7 minutes. */
export const PROVED_AFTER = 10 * MINUTE;
/** How long a component may be unavailable, for example while a node restarts. */
export const FAILED_AFTER = MINUTE / 2;

/** In this order, components switch: those first whose failure does the least harm. */
export const SWITCH_ORDER: readonly ClientComponent[] = [
  'descheduler',
  'metrics-adapter',
  'search',
  'scheduler',
  'webhook',
  'aggregated-apiserver',
  'kube-controller-manager',
  'controller-manager',
];

/** Decides the next step of the switch. */
export function decideIdentities(facts: IdentityFacts): IdentityDecision {
  const { trial, components } = facts;
  const tried = components.find(({ component }) => component === trial?.component);
  return trial !== undefined && tried?.identity === 'own'
    ? continueTrial(facts, trial, tried)
    : startTrial(facts);
}

/**
 * Returns the components that never go back to the group: those with an identity of their own that are not on trial, and those that had
 * one, even if their certificate does not exist now. Empty if no component is in the group.
 */
export function provedComponents(
  { components, proved }: IdentityFacts,
  { trial, refused }: Pick<IdentityDecision, 'trial' | 'refused'>,
): readonly ClientComponent[] {
  if (components.every(({ identity }) => identity === 'own')) return [];
  const own = new Set(
    components.flatMap(({ component, identity }) => (identity === 'own' ? [component] : [])),
  );
  return SWITCH_ORDER.filter(
    (component) =>
      component !== trial?.component &&
      !refused.has(component) &&
      (own.has(component) || proved.has(component)),
  );
}

function continueTrial(
  facts: IdentityFacts,
  trial: Trial,
  { component, review, isAvailable, isDown }: ComponentIdentity,
): IdentityDecision {
  const { refused, isSettled, now } = facts;
  const next = observed(trial, { isReady: isSettled && isAvailable, isDown, now });
  const failure = failureOf(next, review, now);
  if (failure !== undefined) {
    const all = new Map([...refused, [component, failure] as const]);
    return { decided: { [`${component}-client`]: 'masters' }, refused: all, findings: all };
  }
  const { readySince = now } = next;
  // Without an answer of the Karmada API, it is not known whether the role still has its rules.
  const isProved = review === 'allowed' && now - readySince >= PROVED_AFTER;
  return {
    decided: {},
    ...(!isProved && { trial: next, review: component }),
    refused,
    findings: refused,
  };
}

interface Observation extends Pick<IdentityFacts, 'now'> {
  readonly isReady: boolean;
  readonly isDown: boolean;
}

/** Returns a trial with the present state. */
const observed = (
  { component, since, readySince = Infinity, downSince = Infinity }: Trial,
  { isReady, isDown, now }: Observation,
): Trial => ({
  component,
  since,
  ...(isReady && { readySince: Math.min(readySince, now) }),
  ...(isDown && { downSince: Math.min(downSince, now) }),
});

/** Why a component goes back to the group `system:masters`. */
function failureOf(
  { downSince = Infinity }: Trial,
  review: ReviewResult | undefined,
  now: number,
): string | undefined {
  if (typeof review === 'object') return deniedText(review);
  return now - downSince >= FAILED_AFTER
    ? 'its Pods are not available, although its user has all rules of its role'
    : undefined;
}

const deniedText = ({ denied }: Exclude<ReviewResult, 'allowed'>): string =>
  `its user may not ${denied}`;

function startTrial(facts: IdentityFacts): IdentityDecision {
  const { components, isSettled, refused, proved, now, trial } = facts;
  const waiting = SWITCH_ORDER.flatMap(
    (name) =>
      components.find(({ component, identity }) => component === name && identity === 'masters') ??
      [],
  ).filter(({ component }) => !refused.has(component) && !proved.has(component));
  const denied = waiting.flatMap(({ component, review }) =>
    typeof review === 'object' ? [[component, deniedText(review)] as const] : [],
  );
  const nothing = { decided: {}, refused, findings: new Map([...refused, ...denied]) };
  const undenied = waiting.filter(({ review }) => typeof review !== 'object');
  // The certificate of a recorded trial may change at once, whatever has happened since.
  if (trial !== undefined && undenied.some(({ component }) => component === trial.component))
    return { ...nothing, decided: { [`${trial.component}-client`]: 'own' }, trial };
  const [next] = undenied;
  if (!isSettled || next === undefined || !next.isAvailable) return nothing;
  const { component, review } = next;
  if (review === undefined) return { ...nothing, review: component };
  return {
    ...nothing,
    decided: { [`${component}-client`]: 'own' },
    trial: { component, since: now },
  };
}
