import { describe, expect, it } from '@jest/globals';
import type { KarmadaStatus } from '../api/karmada.ts';
import { NetworkError, toApiError } from '../kubernetes/errors.ts';
import { askAgainMs, mustShow, patienceMs, unansweredOf, type Answers } from './serving.ts';

const denied = (message: string, code = 403): Error =>
  toApiError('create PropagationPolicy default/karmada-operator-asks', {
    code,
    body: JSON.stringify({ kind: 'Status', message, reason: 'Forbidden' }),
  });

const SERVES: Answers = {
  policy: denied(
    'admission webhook "propagationpolicy.karmada.io" denied the request: minGroups is larger than maxGroups',
  ),
  clusters: { status: 200, body: '{}' },
  readyz: { status: 200, body: 'ok' },
};

describe('what a control plane must answer before it is called ready', () => {
  it('lacks nothing when all answers are as they should be', () => {
    expect(unansweredOf(SERVES)).toEqual([]);
  });

  it.each<[string, Partial<Answers>, RegExp]>([
    ['a webhook that is not asked', { policy: undefined }, /^karmada-webhook is not asked yet/],
    [
      'a webhook that cannot be reached',
      { policy: denied('failed calling webhook: connect: connection refused', 500) },
      /^karmada-webhook does not answer.*connection refused/,
    ],
    [
      'an API server that cannot be reached',
      { policy: new NetworkError('create', 'ECONNREFUSED', 'refused') },
      /^karmada-webhook does not answer.*refused/,
    ],
    ['clusters', { clusters: { status: 503, body: '' } }, /^the cluster API .*HTTP 503$/],
    ['clusters that time out', { clusters: new Error('no answer') }, /cluster API .*no answer$/],
    [
      'checks of /readyz',
      { readyz: { status: 500, body: '[+]ping ok\n[-]etcd failed: reason withheld\n' } },
      /^karmada-apiserver is not ready yet: HTTP 500 \(etcd\)$/,
    ],
  ])('names %s', (_what, answers, expected) => {
    const sentences = unansweredOf({ ...SERVES, ...answers });
    expect(sentences).toEqual([expect.stringMatching(expected)]);
  });
});

const told = (status: 'True' | 'False', observedGeneration: number): KarmadaStatus => ({
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
  ['nothing is told yet', {}, true],
  ['it is not ready', told('False', 2), true],
  ['it was ready in another generation', told('True', 1), true],
  ['it is ready in this one', told('True', 2), false],
])('it must show that it serves when %s: %#', (_what, before, expected) => {
  expect(mustShow(before, 2)).toBe(expected);
});

it('an answer is waited for longer the more often there was none', () => {
  expect([0, 1, 2].map(patienceMs)).toEqual([1_000, 1_500, 2_250]);
  expect(patienceMs(100)).toBe(5_000);
});

it('it is asked again soon, and less often the longer it lasts', () => {
  expect([1, 2, 3].map(askAgainMs)).toEqual([100, 150, 225]);
  expect([12, 20, 21, 100].map(askAgainMs)).toEqual([5_000, 5_000, 7_500, 90_000]);
});
