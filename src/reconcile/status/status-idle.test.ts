import { describe, expect, it } from '@jest/globals';
import { karmadaOf, NOW } from '../__fixtures__/instance.ts';
import {
  failingStatus,
  refusedStatus,
  suspendedStatus,
  unobservedStatus,
  withUnreachedHost,
} from './status-idle.ts';
import type { Condition, KarmadaStatus, Phase } from '../../api/karmada.ts';

describe('a deletion that waits for its host', () => {
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

describe('unobservedStatus', () => {
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Completed',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    observedGeneration: 2,
  } as const;
  const before = { phase: 'Running', secretRef: { name: 'a', namespace: 'b' } } as const;
  const told = (reason: string): KarmadaStatus =>
    unobservedStatus(
      karmadaOf(),
      { reason, message: 'watch pods: no' },
      { before: { ...before, conditions: [ready, { ...ready, type: 'EtcdReady' }] }, now: NOW },
    );

  it('says that nobody knows whether it is ready, and leaves the rest as it was seen', () => {
    const status = told('ClusterNotObserved');
    expect(status).toMatchObject({ ...before, phase: 'Degraded' });
    expect(status.conditions).toMatchObject([
      { type: 'Ready', status: 'Unknown', reason: 'ClusterNotObserved', message: 'watch pods: no' },
      { type: 'EtcdReady', status: 'True' },
    ]);
    const cause = { reason: 'ClusterNotObserved', message: 'watch pods: no' };
    const later = unobservedStatus(karmadaOf(), cause, { before: status, now: NOW + 60_000 });
    expect(later).toEqual(status);
  });

  it('needs a user when a right is missing', () => {
    expect(told('ClusterAccessDenied').conditions).toContainEqual(
      expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'ClusterAccessDenied' }),
    );
  });

  it('is no last word on one that is suspended in the meantime', () => {
    const suspended = suspendedStatus(karmadaOf(), told('ClusterNotObserved'), NOW);
    expect(suspended.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'Unknown', reason: 'Suspended' }),
    );
  });
});

describe('an instance over which no pass comes to an end', () => {
  const cause = { reason: 'ReconcileFailed', message: 'it was refused' };
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Completed',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    observedGeneration: 1,
  } as const;
  const told = (before: KarmadaStatus, deletionTimestamp?: string): KarmadaStatus => {
    const karmada = karmadaOf();
    const metadata = { ...karmada.metadata, ...(deletionTimestamp && { deletionTimestamp }) };
    return failingStatus({ ...karmada, metadata }, cause, { before, now: NOW });
  };

  it.each<[string, KarmadaStatus, Phase, Condition['status']]>([
    ['was never ready', {}, 'Failed', 'False'],
    ['is installed', { secretRef: { name: 'a', namespace: 'b' } }, 'Degraded', 'Unknown'],
  ])('that %s', (_, before, phase, status) => {
    expect(told({ ...before, conditions: [ready] })).toMatchObject({
      phase,
      conditions: [
        { type: 'Ready', status, ...cause },
        { type: 'Progressing', status: 'False', ...cause },
        { type: 'Degraded', status: 'True', ...cause },
        { type: 'Stalled', status: 'True', ...cause },
      ],
    });
  });

  it('says nothing of it any more once the spec is refused', () => {
    const refusal = { reason: 'ValidationError', message: 'it is wrong' };
    const before = told({ conditions: [ready] });
    const { conditions } = refusedStatus(karmadaOf(), refusal, {
      before,
      now: NOW,
      phase: 'Failed',
    });
    expect(conditions).toMatchObject([
      { type: 'Ready', ...refusal },
      { type: 'Stalled', ...refusal },
    ]);
  });

  it('that is being deleted keeps what the deletion says', () => {
    const before = { phase: 'Deleting', conditions: [{ ...ready, status: 'False' }] } as const;
    expect(told(before, '2026-01-02T00:00:00Z')).toMatchObject({
      phase: 'Deleting',
      conditions: [
        { type: 'Degraded', status: 'True', ...cause },
        { type: 'Ready', reason: 'Completed' },
      ],
    });
  });

  it('says that nothing is tried again once it is suspended', () => {
    const before = told({ conditions: [ready] });
    const suspended = suspendedStatus(karmadaOf(), before, NOW);
    expect(suspended).toMatchObject({
      phase: 'Suspended',
      conditions: [
        { type: 'Ready', status: 'False', reason: 'Suspended' },
        { type: 'Suspended', status: 'True' },
      ],
    });
    expect(suspended.conditions).toHaveLength(2);
    expect(suspendedStatus(karmadaOf(), suspended, NOW + 60_000).conditions).toEqual(
      expect.arrayContaining([...(suspended.conditions ?? [])]),
    );
  });
});
