import { describe, expect, it } from '@jest/globals';
import { failureIn, faultOf } from './failure.ts';
import type { Condition } from '../karmada.ts';

const condition = (type: string, status: Condition['status'], reason: string): Condition => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('failureIn', () => {
  it.each<[string, readonly Condition[], string | undefined]>([
    ['nothing without conditions', [], undefined],
    [
      'nothing while the installation proceeds',
      [condition('Ready', 'False', 'Progressing'), condition('Degraded', 'False', 'AsExpected')],
      undefined,
    ],
    [
      'the cause in Degraded before the summary in Ready',
      [condition('Ready', 'False', 'Failed'), condition('Degraded', 'True', 'QuotaExceeded')],
      'QuotaExceeded',
    ],
    [
      'a blocked change in Stalled',
      [condition('Ready', 'False', 'ChangeBlocked'), condition('Stalled', 'True', 'Downgrade')],
      'Downgrade',
    ],
    [
      'an unreachable host cluster',
      [condition('Ready', 'Unknown', 'X'), condition('HostReachable', 'False', 'HostUnreachable')],
      'HostUnreachable',
    ],
    [
      'the reason of Ready if no other condition has one',
      [condition('Ready', 'Unknown', 'ClusterNotObserved')],
      'ClusterNotObserved',
    ],
  ])('returns %s', (_, conditions, expected) => {
    expect(failureIn(conditions)?.reason).toBe(expected);
  });
});

describe('faultOf', () => {
  it.each([
    ['QuotaExceeded', 'quota'],
    ['Completed', 'none'],
    ['OfALaterVersion', undefined],
  ])('of %s is %s', (reason, fault) => {
    expect(faultOf(reason)).toBe(fault);
  });
});
