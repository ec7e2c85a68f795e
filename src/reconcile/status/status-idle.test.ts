import { describe, expect, it } from '@jest/globals';
import { karmadaOf, NOW } from '../__fixtures__/instance.ts';
import { refusedStatus, withUnreachedHost } from './status-idle.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';

describe('7.4 a deletion that waits for its host', () => {
  const told = (before: KarmadaStatus, now: number): KarmadaStatus => {
    const problem = { reason: 'HostUnreachable', message: 'it is away' };
    const unreached = withUnreachedHost(karmadaOf(), problem, { before, now });
    const deleting = { reason: 'Deleting', message: 'it waits' };
    return refusedStatus(karmadaOf(), deleting, { before: unreached, now, phase: 'Deleting' });
  };

  it('tells so once, with what is wrong with the host, and nothing changes afterwards', () => {
    const first = told({ conditions: [] }, NOW);
    expect(first.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'Deleting' },
      { type: 'HostReachable', status: 'False', reason: 'HostUnreachable', message: 'it is away' },
    ]);
    expect(told(first, NOW + 60_000)).toEqual(first);
  });
});
