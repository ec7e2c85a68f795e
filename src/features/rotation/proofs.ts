/**
 * Proofs before each change of phase: pure. A proof is complete if it lacks nothing; what was not observed is lacking.
 * - trusted (T): each Pod accepts the new root
 * - used (U): each Pod presents what the new root signed
 * - refused (R): each Pod refuses the former root, and no object names it
 */
import type { Consumer } from '../../pki/specs.ts';
import { CONSUMERS, type ConsumerRow } from './consumers.ts';
import type { AuthorityFacts, PodFacts } from './facts.ts';
import {
  acceptance,
  isFresh,
  refusal,
  type Observing,
  type Replaced,
  type Shown,
} from './verdict.ts';

/** Time after which each kubelet mounts a changed Secret, in milliseconds. A Pod that starts earlier may see the former one. */
export const KUBELET_MS = 90_000;
/** Time after which each client has loaded a changed certificate: kubelet, interval of client-go, connections. */
export const CLIENTS_MS = KUBELET_MS + 5 * 60_000 + 60_000;

/** What a proof lacks. */
export interface Lack {
  /** Pod, object or other party. */
  readonly party: string;
  /** Clause that follows the party. */
  readonly why: string;
  /** Component of the Pods; absent if the lack concerns all of them. */
  readonly component?: Consumer;
  /** A Pod that a restart brings to the present content of its Secrets. */
  readonly outdated?: PodFacts;
}

export interface ProofInput {
  readonly facts: AuthorityFacts;
  readonly now: number;
  readonly monotonic: number;
  /** When all Secrets had their present content. Absent if they never had another one of this kind. */
  readonly writtenAt?: number;
  /** Before this time, the certificates in all Secrets were of the same root as they are now. */
  readonly sameUntil?: number;
  /** Each Pod was proven to use the root before, and the certificates have not changed since. */
  readonly isUsed?: true;
  /** See `RotationPolicy`. */
  readonly keysMs?: number;
  /** Pods cannot be asked: the private key of the new root is missing. */
  readonly isKeyless?: boolean;
}

/** What one Pod lacks by the row of its component. @returns undefined if it lacks nothing */
type PodRule = (row: ConsumerRow, pod: PodFacts) => Pick<Lack, 'why' | 'outdated'> | undefined;

/** Applies a rule to each Pod. Terminating Pods still serve and call, so they count. */
function podLacks(input: ProofInput, rule: PodRule): readonly Lack[] {
  const { facts } = input;
  const { listedAt, items, expected } = facts.pods;
  if (!isFresh(listedAt, input)) return [{ party: 'Pods', why: 'are not read at the moment' }];
  return CONSUMERS[facts.authority].flatMap((row, index): readonly Lack[] => {
    const pods = items.filter(({ component }) => component === row.component);
    // No control plane is without the first of them, so that an empty list proves nothing.
    const least = Math.max(expected.get(row.component) ?? 0, index === 0 ? 1 : 0);
    const missing = least - pods.filter(isStaying).length;
    return [
      ...(missing > 0 ? [lacking(row.component, missing)] : []),
      ...pods.flatMap((pod) => {
        const lack = pod.startedAt === undefined ? { why: 'does not run' } : rule(row, pod);
        const { component } = row;
        return lack === undefined ? [] : [{ party: `Pod ${pod.name}`, component, ...lack }];
      }),
    ];
  });
}

const isStaying = ({ isTerminating }: PodFacts): boolean => isTerminating !== true;

const lacking = (component: Consumer, count: number): Lack => ({
  ...{ party: component, component },
  why: `lacks ${String(count)} of its Pods`,
});

/** Whether the process of a Pod has surely read the content that was written. */
const isStartedWith = ({ startedAt }: PodFacts, writtenAt: number | undefined): boolean =>
  writtenAt === undefined || (startedAt !== undefined && startedAt >= writtenAt + KUBELET_MS);

/** Whether the process of a Pod has surely read what was there before the certificates were replaced, and replaced again. */
const isStartedBefore = (
  { startedAt = Infinity, lastStartedAt = startedAt }: PodFacts,
  { sameUntil = 0 }: ProofInput,
): boolean => lastStartedAt < sameUntil;

/** A Pod whose start may have been too early. A terminating one ends by itself. */
const outdated = (pod: PodFacts, writtenAt: number | undefined): Pick<Lack, 'outdated'> =>
  isStaying(pod) && !isStartedWith(pod, writtenAt) ? { outdated: pod } : {};

/** A Pod that starts within this time after a write may still mount what was there before. */
function unsettled({ now, writtenAt }: ProofInput, settleMs: number): readonly Lack[] {
  if (writtenAt === undefined || now >= writtenAt + settleMs) return [];
  const end = new Date(writtenAt + settleMs).toISOString();
  return [{ party: 'kubelets and clients', why: `may use the former content until ${end}` }];
}

/** Whether each Pod accepts a root. @returns what is lacking */
export function trustLacks(input: ProofInput, root: string): readonly Lack[] {
  const { writtenAt } = input;
  const rule: PodRule = (row, pod) => {
    const question = input.isKeyless ? undefined : row.question;
    const restart = row.restarts ? outdated(pod, writtenAt) : {};
    const lack = question && shownLack(acceptance(question, pod, root, input), TRUST, restart);
    if (lack !== undefined) return lack;
    if (question === 'publicKeys' && isRecent(pod, input))
      return { why: 'has published the new key only for a short time' };
    return row.hasHiddenTrust ? hiddenLack(pod, root, writtenAt) : undefined;
  };
  return [...unsettled(input, KUBELET_MS), ...podLacks(input, rule)];
}

/** What a proof wants of the answers of a Pod, and its words for anything else. */
interface Wanted {
  readonly verdict: 'accepts' | 'refuses';
  readonly unknown: string;
  readonly wrong: string;
}

const TRUST: Wanted = {
  verdict: 'accepts',
  unknown: 'does not show whether it trusts the new root',
  wrong: 'does not trust the new root yet',
};
const REFUSAL: Wanted = {
  verdict: 'refuses',
  unknown: 'does not show whether it refuses the former root',
  wrong: 'still trusts the former root',
};

/** @param restart present if a restart brings the Pod to the wanted verdict */
function shownLack(
  shown: Shown,
  { verdict, unknown, wrong }: Wanted,
  restart: Pick<Lack, 'outdated'>,
): ReturnType<PodRule> {
  if (shown.verdict === 'unknown') return { why: `${unknown} (${shown.cause})` };
  return shown.verdict === verdict ? undefined : { why: wrong, ...restart };
}

/** Trust that nothing shows: the bundle that a Pod mounts by its content, or else the time of its start. */
function hiddenLack(
  pod: PodFacts,
  root: string,
  writtenAt: number | undefined,
): Pick<Lack, 'why' | 'outdated'> | undefined {
  if (pod.mounts !== undefined)
    return pod.mounts.includes(root) ? undefined : { why: 'mounts a bundle without the new root' };
  return isStartedWith(pod, writtenAt)
    ? undefined
    : { why: 'started before the new root was in its Secrets', ...outdated(pod, writtenAt) };
}

/** Whether verifiers may still have cached what an API server published before. */
const isRecent = (
  { startedAt = 0 }: PodFacts,
  { now, writtenAt, keysMs = 0 }: ProofInput,
): boolean => writtenAt !== undefined && now < startedAt + keysMs;

/** Whether each Pod uses what a root signed. @returns what is lacking */
export function useLacks(input: ProofInput, root: string): readonly Lack[] {
  const { facts, writtenAt, monotonic } = input;
  const rule: PodRule = (row, pod) => {
    const wrong = row.presents?.find(
      (endpoint) => !presents(pod.presented, { endpoint, root, monotonic }),
    );
    const restart = row.restarts ? outdated(pod, writtenAt) : {};
    if (wrong !== undefined)
      return {
        why: `does not present the new root at ${wrong} yet${causeAt(wrong, pod)}`,
        ...restart,
      };
    if (!row.hasHiddenLeaf || input.isUsed) return undefined;
    if (isStartedWith(pod, writtenAt) || isStartedBefore(pod, input)) return undefined;
    return { why: 'started before its Secrets had the new root', ...outdated(pod, writtenAt) };
  };
  const signed = facts.signedRequest;
  const isSigned = signed?.root === root && isFresh(signed.observedAt, input);
  return [
    ...unsettled(input, CLIENTS_MS),
    ...podLacks(input, rule),
    ...(facts.authority !== 'ca' || isSigned ? [] : [UNSIGNED]),
  ];
}

const UNSIGNED: Lack = {
  party: 'kube-controller-manager',
  why: 'does not sign certificate requests with the new root yet',
};

/** Why a Pod presented nothing at an endpoint. */
function causeAt(endpoint: string, { presented }: PodFacts): string {
  const { cause } = presented.find((one) => one.endpoint === endpoint) ?? {};
  return cause === undefined ? '' : ` (${cause})`;
}

/** Whether all fresh observations of an endpoint show the root, and there is one. */
function presents(
  presented: PodFacts['presented'],
  wanted: Observing & { readonly endpoint: string; readonly root: string },
): boolean {
  const fresh = presented.filter(
    (one) => one.endpoint === wanted.endpoint && isFresh(one.observedAt, wanted),
  );
  return fresh.length > 0 && fresh.every((one) => one.root === wanted.root);
}

/** Whether each Pod refuses the former root, and accepts the active one at the same time. */
export function refusalLacks(input: ProofInput, replaced: Replaced): readonly Lack[] {
  const { writtenAt } = input;
  const rule: PodRule = (row, pod) => {
    const restart = row.restarts ? outdated(pod, writtenAt) : {};
    const lack =
      row.question && shownLack(refusal(row.question, pod, replaced, input), REFUSAL, restart);
    if (lack !== undefined) return lack;
    if (!row.hasHiddenTrust) return undefined;
    if (pod.mounts !== undefined)
      return pod.mounts.includes(replaced.former)
        ? { why: 'mounts a bundle with the former root' }
        : undefined;
    return isStartedWith(pod, writtenAt)
      ? undefined
      : { why: 'started with the former root', ...outdated(pod, writtenAt) };
  };
  return [...unsettled(input, KUBELET_MS), ...podLacks(input, rule)];
}
