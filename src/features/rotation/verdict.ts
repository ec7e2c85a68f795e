/** What the answers of one Pod show about a root: pure. */
import type { Answer, PodFacts, Question } from './facts.ts';

/** Maximum age of an observation when the operator writes, in milliseconds. */
export const PROOF_MS = 5_000;

/** Monotonic clock, in milliseconds. */
export interface Observing {
  readonly monotonic: number;
}

/** Whether an observation is recent. One of the future is of another clock. */
export const isFresh = (observedAt: number, { monotonic }: Observing): boolean =>
  observedAt <= monotonic && monotonic - observedAt <= PROOF_MS;

type Verdict = 'accepts' | 'refuses' | 'unknown';

/** What a Pod shows. Without a verdict: the cause as a clause, such as `HTTP 503`. */
export type Shown =
  | { readonly verdict: Exclude<Verdict, 'unknown'> }
  | { readonly verdict: 'unknown'; readonly cause: string };

/** HTTP status of a call that the server accepts. A server that refuses the leaf responds with 401. */
const ACCEPTED: Readonly<Record<Question, (status: number, isNamed: boolean) => boolean>> = {
  selfSubjectReview: (status, isNamed) => (status === 200 || status === 201) && isNamed,
  // A server that has not asked for a leaf forbids the call of an anonymous user.
  forbiddenCall: (status, isNamed) => status === 403 && isNamed,
  etcdStatus: () => false,
  http2Settings: () => false,
  publicKeys: () => false,
};

/** Returns what an answer shows. */
export function verdictOf(question: Question, answer: Answer): Verdict {
  if (answer.kind === 'unreachable') return 'unknown';
  if (answer.kind === 'answered') return isHttp(question) ? 'unknown' : 'accepts';
  if (answer.kind === 'closed') return 'refuses';
  if (ACCEPTED[question](answer.status, answer.isNamed === true)) return 'accepts';
  return answer.status === 401 ? 'refuses' : 'unknown';
}

const isHttp = (question: Question): boolean =>
  question === 'selfSubjectReview' || question === 'forbiddenCall';

const unknown = (cause: string): Shown => ({ verdict: 'unknown', cause });

/** Returns what a Pod accepts now. */
export function acceptance(
  question: Question,
  pod: Pick<PodFacts, 'probes'>,
  root: string,
  clock: Observing,
): Shown {
  const fresh = pod.probes.filter((one) => one.root === root && isFresh(one.observedAt, clock));
  const [first, ...others] = fresh.map(({ answer }) => ({
    answer,
    verdict: verdictOf(question, answer),
  }));
  if (first === undefined) return unknown('it has not been asked in the last seconds');
  if (others.some(({ verdict }) => verdict !== first.verdict))
    return unknown('its answers contradict each other');
  return first.verdict === 'unknown' ? unknown(causeOf(first.answer)) : { verdict: first.verdict };
}

function causeOf(answer: Answer): string {
  if (answer.kind === 'status') return `unexpected answer: HTTP ${String(answer.status)}`;
  return (answer.kind === 'unreachable' ? answer.cause : undefined) ?? 'no answer';
}

/** Roots of a proof of refusal. */
export interface Replaced {
  readonly former: string;
  /** A Pod that does not accept this one either is broken, and proves nothing. */
  readonly active: string;
}

/** Returns whether a Pod refuses the former root, and accepts the active one at the same time. */
export function refusal(
  question: Question,
  pod: Pick<PodFacts, 'probes'>,
  { former, active }: Replaced,
  clock: Observing,
): Shown {
  const shown = acceptance(question, pod, former, clock);
  if (shown.verdict !== 'refuses') return shown;
  const other = acceptance(question, pod, active, clock);
  if (other.verdict === 'accepts') return shown;
  return other.verdict === 'refuses' ? unknown('it refuses the active root, too') : other;
}
