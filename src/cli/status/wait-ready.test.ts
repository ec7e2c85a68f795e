import { describe, expect, it } from '@jest/globals';
import type { Condition, Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { API_VERSION, KIND } from '../../api/karmada.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import { ApiError, NetworkError } from '../../kubernetes/client/errors.ts';
import { readinessOf } from './readiness.ts';
import { waitReady } from './wait-ready.ts';

const condition = (type: string, status: Condition['status'], reason = 'A'): Condition => ({
  type,
  status,
  reason,
  message: 'm',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const karmada = (status: KarmadaStatus, more: Partial<Karmada> = {}): Karmada => ({
  apiVersion: API_VERSION,
  kind: KIND,
  metadata: META,
  status: { observedGeneration: 2, ...status },
  ...more,
});
const META = { namespace: 'team', name: 'demo', generation: 2 };

const READY = karmada({ conditions: [condition('Ready', 'True')] });
const INSTALLING = karmada({ phase: 'Installing', conditions: [condition('Ready', 'False')] });
const STALLED = karmada({
  conditions: [condition('Ready', 'False'), condition('Stalled', 'True', 'Held')],
});

describe('readinessOf', () => {
  it.each<[string, Karmada, string]>([
    ['ready', READY, 'Ready'],
    ['waiting', INSTALLING, 'phase Installing, A: m'],
    ['waiting', karmada({}), 'phase Pending'],
    ['waiting', karmada({ observedGeneration: 1 }), 'the operator has not seen the latest spec'],
    ['stalled', STALLED, 'Held: m'],
    [
      'waiting',
      karmada({ ...STALLED.status, observedGeneration: 1 }),
      'the operator has not seen the latest spec',
    ],
    ['ready', { ...READY, spec: { suspend: true } }, 'Ready'],
    [
      'stalled',
      karmada({ observedGeneration: 1 }, { spec: { suspend: true } }),
      'not Ready, and spec.suspend is true; resume it',
    ],
    [
      'stalled',
      { ...READY, metadata: { ...META, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      'is being deleted',
    ],
  ])('is %s for case %#', (state, given, text) => {
    expect(readinessOf(given)).toEqual({ state, text: `Karmada team/demo: ${text}` });
  });
});

/** Runs a wait of 3 s against the answers; the last one repeats. @returns the result, and what was printed */
async function waited(...answers: (readonly Karmada[] | Error)[]) {
  const clock = manualClock();
  let printed = '';
  let next = 0;
  const read = (): Promise<readonly Karmada[]> => {
    const answer = answers[Math.min(next, answers.length - 1)] ?? [];
    next += 1;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const errors = { write: (text: string) => void (printed += text), isTerminal: false };
  const interrupted = new AbortController().signal;
  const waiting = waitReady({ errors, clock, interrupted }, { read, timeoutMs: 3_000 });
  let isOver = false;
  void waiting.finally(() => (isOver = true)).catch(() => undefined);
  for (let second = 0; second < 10 && !isOver; second += 1) await clock.advance(1_000);
  return { error: await waiting, printed };
}

const LOST = new NetworkError('list', 'ECONNREFUSED', 'refused');
const BUSY = new ApiError({ request: 'list', code: 503, reason: 'Unavailable', message: 'busy' });

describe('waitReady', () => {
  it('ends without an error when all are Ready, and prints each state once', async () => {
    const { error, printed } = await waited([INSTALLING], LOST, BUSY, [READY]);
    expect(error).toBeUndefined();
    expect(printed).toBe('Karmada team/demo: phase Installing, A: m\n');
  });

  it('ends with 2 when no Karmada waits any more and one needs its user', async () => {
    expect((await waited([STALLED, INSTALLING], [STALLED, READY])).error).toMatchObject({
      exitCode: 2,
      lines: ['Karmada team/demo: Held: m'],
    });
  });

  it('ends with 3 after the timeout', async () => {
    expect((await waited([READY, INSTALLING])).error).toMatchObject({
      exitCode: 3,
      lines: ['timed out: Karmada team/demo: phase Installing, A: m'],
    });
  });

  it('names those that need their user after the timeout too', async () => {
    const { error } = await waited([STALLED, INSTALLING]);
    expect(error).toMatchObject({
      exitCode: 3,
      lines: [expect.stringMatching(/Held/), expect.stringMatching(/^timed out: /)],
    });
  });

  it.each<[string, (readonly Karmada[] | Error)[]]>([
    ['no Karmadas found to wait for', [[]]],
    ['refused', [LOST]],
    [
      'gone',
      [
        [INSTALLING],
        new ApiError({ request: 'get', code: 404, reason: 'NotFound', message: 'gone' }),
      ],
    ],
  ])('rejects with %j', async (message, answers) => {
    await expect(waited(...answers)).rejects.toThrow(message);
  });
});
