import { describe, expect, it } from '@jest/globals';
import { A, B, NOW } from './__fixtures__/facts.ts';
import type { Answer, PodFacts, Question } from './facts.ts';
import { acceptance, PROOF_MS, refusal, verdictOf } from './verdict.ts';

const status = (code: number, isNamed?: true): Answer => ({
  ...{ kind: 'status', status: code },
  ...(isNamed && { isNamed }),
});

describe('verdictOf', () => {
  it.each<[Question, Answer, string]>([
    ['selfSubjectReview', status(201, true), 'accepts'],
    ['selfSubjectReview', status(201), 'unknown'],
    ['selfSubjectReview', status(401), 'refuses'],
    ['selfSubjectReview', status(403), 'unknown'],
    ['selfSubjectReview', status(503), 'unknown'],
    ['selfSubjectReview', { kind: 'answered' }, 'unknown'],
    ['forbiddenCall', status(403, true), 'accepts'],
    ['forbiddenCall', status(403), 'unknown'],
    ['forbiddenCall', status(401), 'refuses'],
    ['forbiddenCall', status(200), 'unknown'],
    ['etcdStatus', { kind: 'answered' }, 'accepts'],
    ['etcdStatus', { kind: 'closed' }, 'refuses'],
    ['http2Settings', { kind: 'answered' }, 'accepts'],
    ['http2Settings', { kind: 'unreachable' }, 'unknown'],
    ['publicKeys', status(401), 'refuses'],
    ['publicKeys', status(500), 'unknown'],
  ])('of %s returns for the answer %j: %s', (question, answer, verdict) => {
    expect(verdictOf(question, answer)).toBe(verdict);
  });
});

type Probes = PodFacts['probes'];

const probe = (root: string, answer: Answer, observedAt = NOW): Probes[number] => ({
  ...{ root, answer, observedAt },
});
const unreachable = (cause?: string): Answer => ({
  kind: 'unreachable',
  ...(cause !== undefined && { cause }),
});
const CLOCK = { monotonic: NOW };

describe('acceptance', () => {
  it.each<[string, Probes, ReturnType<typeof acceptance>]>([
    ['the answer', [probe(B, { kind: 'closed' })], { verdict: 'refuses' }],
    [
      'the cause when a Pod cannot be reached',
      [probe(B, unreachable('forward to pod a/b: HTTP 403'))],
      { verdict: 'unknown', cause: 'forward to pod a/b: HTTP 403' },
    ],
    [
      'that there is no answer when nothing else is known',
      [probe(B, unreachable())],
      { verdict: 'unknown', cause: 'no answer' },
    ],
    [
      'an HTTP status that shows nothing',
      [probe(B, status(503))],
      { verdict: 'unknown', cause: 'unexpected answer: HTTP 503' },
    ],
    [
      'nothing from another root, or from long ago',
      [probe(A, { kind: 'answered' }), probe(B, { kind: 'answered' }, NOW - PROOF_MS - 1)],
      { verdict: 'unknown', cause: 'it has not been asked in the last seconds' },
    ],
    [
      'nothing from contradictions',
      [probe(B, { kind: 'answered' }), probe(B, { kind: 'closed' })],
      { verdict: 'unknown', cause: 'its answers contradict each other' },
    ],
  ])('returns %s', (_, probes, expected) => {
    const question = probes.some(({ answer }) => answer.kind === 'status')
      ? 'selfSubjectReview'
      : 'etcdStatus';
    expect(acceptance(question, { probes }, B, CLOCK)).toEqual(expected);
  });
});

describe('refusal', () => {
  const REFUSED: Answer = { kind: 'closed' };
  it.each<[string, Answer, Answer, ReturnType<typeof refusal>]>([
    ['refuses only the former root', REFUSED, { kind: 'answered' }, { verdict: 'refuses' }],
    ['accepts both', { kind: 'answered' }, { kind: 'answered' }, { verdict: 'accepts' }],
    [
      'refuses both',
      REFUSED,
      REFUSED,
      { verdict: 'unknown', cause: 'it refuses the active root, too' },
    ],
    [
      'does not answer for the active root',
      REFUSED,
      unreachable('connection refused'),
      { verdict: 'unknown', cause: 'connection refused' },
    ],
  ])('is shown by a Pod that %s', (_, former, active, expected) => {
    const probes = [probe(A, former), probe(B, active)];
    expect(refusal('etcdStatus', { probes }, { former: A, active: B }, CLOCK)).toEqual(expected);
  });
});
