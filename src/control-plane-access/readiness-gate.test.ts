import { describe, expect, it } from '@jest/globals';
import type { KarmadaStatus } from '../api/karmada.ts';
import { NetworkError, toApiError } from '../kubernetes/client/errors.ts';
import {
  retryAfterMs,
  needsReadinessCheck,
  checkTimeoutMs,
  failedAttemptsOf,
  failedReadinessChecks,
  isReadinessCheckDue,
  readinessProblem,
  type ReadinessAnswers,
} from './readiness-gate.ts';

const denied = (message: string, code = 403): Error =>
  toApiError('create PropagationPolicy default/karmada-operator-asks', {
    code,
    body: JSON.stringify({ kind: 'Status', message, reason: 'Forbidden' }),
  });

const SERVES: ReadinessAnswers = {
  policy: denied(
    'admission webhook "propagationpolicy.karmada.io" denied the request: minGroups is larger than maxGroups',
  ),
  clusters: { status: 200, body: '{}' },
  readyz: { status: 200, body: 'ok' },
};

describe('failedReadinessChecks', () => {
  it('returns no message when all checks pass', () => {
    expect(failedReadinessChecks(SERVES)).toEqual([]);
  });

  it.each<[string, Partial<ReadinessAnswers>, RegExp]>([
    [
      'a webhook that is not called',
      { policy: undefined },
      /^karmada-webhook: .* does not call it yet/,
    ],
    [
      'an unreachable webhook',
      { policy: denied('failed calling webhook: connect: connection refused', 500) },
      /^karmada-webhook: request .* failed.*connection refused/,
    ],
    [
      'a webhook of a user that cannot be called',
      {
        policy: denied(
          'failed calling webhook "dead.example.com": failed to call webhook: Post "https://dead.x.svc:443/?timeout=10s": service "dead" not found',
          500,
        ),
      },
      /^the admission webhook dead\.example\.com .* its Service does not exist; .*; the operator retries$/,
    ],
    [
      'an unreachable API server',
      { policy: new NetworkError('create', 'ECONNREFUSED', 'refused') },
      /^karmada-webhook: request .* failed.*refused/,
    ],
    [
      'an error of the cluster API',
      { clusters: { status: 503, body: '' } },
      /cluster API .*\(HTTP 503\);/,
    ],
    [
      'a timeout of the cluster API',
      { clusters: new Error('no answer') },
      /cluster API .*\(no answer\);/,
    ],
    [
      'failed checks of /readyz',
      { readyz: { status: 500, body: '[+]ping ok\n[-]etcd failed: reason withheld\n' } },
      /^karmada-apiserver: readiness check failed \(HTTP 500: etcd\);/,
    ],
  ])('reports %s', (_what, answers, expected) => {
    const sentences = failedReadinessChecks({ ...SERVES, ...answers });
    expect(sentences).toEqual([expect.stringMatching(expected)]);
  });
});

describe('readinessProblem', () => {
  it('names a webhook of the user, and no webhook that Karmada has', () => {
    const called = (name: string): unknown =>
      readinessProblem({ policy: denied(`failed calling webhook "${name}": EOF`, 500) })?.reason;
    expect(called('dead.example.com')).toBe('UserWebhookFails');
    expect(called('propagationpolicy.karmada.io')).toBeUndefined();
    expect(readinessProblem(SERVES)).toBeUndefined();
  });
});

const reported = (status: 'True' | 'False', observedGeneration: number): KarmadaStatus => ({
  conditions: [
    {
      type: 'Ready',
      status,
      reason: 'Any',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration,
    },
  ],
});

it.each<[string, KarmadaStatus, boolean]>([
  ['has no status', {}, true],
  ['is not Ready', reported('False', 2), true],
  ['was Ready in another generation', reported('True', 1), true],
  ['is Ready in this generation', reported('True', 2), false],
])(
  'needsReadinessCheck decides whether a control plane that %s must pass the functional checks',
  (_what, before, expected) => {
    expect(needsReadinessCheck(before, 2)).toBe(expected);
  },
);

it('checkTimeoutMs increases the request timeout with each failure up to 5 s', () => {
  expect([0, 1, 2].map(checkTimeoutMs)).toEqual([1_000, 1_500, 2_250]);
  expect(checkTimeoutMs(100)).toBe(5_000);
});

it('retryAfterMs increases the retry delay with each failure up to 90 s', () => {
  expect([1, 2, 3].map(retryAfterMs)).toEqual([100, 150, 225]);
  expect([12, 20, 21, 100].map(retryAfterMs)).toEqual([5_000, 5_000, 7_500, 90_000]);
});

describe('isReadinessCheckDue', () => {
  const last = { sentences: ['no'], failedAttempts: 3, nextAt: 1_000, pods: 'one' };

  it.each([
    ['no check has failed', isReadinessCheckDue(undefined, 'one', 0), true],
    ['the retry delay has not passed', isReadinessCheckDue(last, 'one', 999), false],
    ['the retry delay has passed', isReadinessCheckDue(last, 'one', 1_000), true],
    ['the Pods have changed since', isReadinessCheckDue(last, 'two', 0), true],
  ])('decides when %s', (_, found, expected) => {
    expect(found).toBe(expected);
  });

  it('counts failures only while the Pods stay the same', () => {
    const counts = [failedAttemptsOf(last, 'one'), failedAttemptsOf(last, 'two')];
    expect([...counts, failedAttemptsOf(undefined, 'one')]).toEqual([3, 0, 0]);
  });
});

describe('failedReadinessChecks', () => {
  it('searches only the beginning of a response for failed checks, because the API server may be any server', () => {
    const began = process.cpuUsage();
    const body = '[-]a\n'.repeat(3_000_000);
    const [text = ''] = failedReadinessChecks({
      ...{ policy: denied('denied the request'), clusters: { status: 200, body: '' } },
      readyz: { status: 299, body },
    });
    const { user, system } = process.cpuUsage(began);
    expect(text).toContain(Array.from({ length: 10 }, () => 'a').join(', '));
    expect((user + system) / 1_000).toBeLessThan(500);
  });
});
