import { describe, expect, it } from '@jest/globals';
import type { Reason } from '../../api/reasons/condition-reasons.ts';
import { karmadaOf, NOW } from '../../instance/__fixtures__/instance.ts';
import {
  failingStatus,
  rejectedStatus,
  suspendedStatus,
  unobservedStatus,
} from './unreconciled-status.ts';
import { ROTATE_ANNOTATION } from '../../pki/rotate-request.ts';
import { withUnreachedHost } from '../remote-host/unreached-status.ts';
import type { Condition, KarmadaStatus, Phase } from '../../api/karmada.ts';

describe('withUnreachedHost and rejectedStatus for a blocked deletion', () => {
  const reported = (before: KarmadaStatus, now: number): KarmadaStatus => {
    const problem = { reason: 'HostUnreachable', message: 'it is away' } as const;
    const unreached = withUnreachedHost(karmadaOf(), problem, { before, now });
    const deleting = { reason: 'Deleting', message: 'it waits' } as const;
    return rejectedStatus(karmadaOf(), deleting, { before: unreached, now, phase: 'Deleting' });
  };

  it('report the problem of the host cluster once and stay the same afterwards', () => {
    const first = reported({ conditions: [] }, NOW);
    expect(first.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'Deleting' },
      { type: 'HostReachable', status: 'False', reason: 'HostUnreachable', message: 'it is away' },
    ]);
    expect(reported(first, NOW + 60_000)).toEqual(first);
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
  const reported = (reason: Reason): KarmadaStatus =>
    unobservedStatus(
      karmadaOf(),
      { reason, message: 'watch pods: no' },
      { before: { ...before, conditions: [ready, { ...ready, type: 'EtcdReady' }] }, now: NOW },
    );

  it('sets Ready to Unknown and keeps the other conditions', () => {
    const status = reported('ClusterNotObserved');
    expect(status).toMatchObject({ ...before, phase: 'Degraded' });
    expect(status.conditions).toMatchObject([
      { type: 'Ready', status: 'Unknown', reason: 'ClusterNotObserved', message: 'watch pods: no' },
      { type: 'EtcdReady', status: 'True' },
    ]);
    const cause = { reason: 'ClusterNotObserved', message: 'watch pods: no' } as const;
    const later = unobservedStatus(karmadaOf(), cause, { before: status, now: NOW + 60_000 });
    expect(later).toEqual(status);
  });

  it('sets Stalled when an RBAC permission is missing', () => {
    expect(reported('ClusterAccessDenied').conditions).toContainEqual(
      expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'ClusterAccessDenied' }),
    );
  });

  it('is replaced by the reason Suspended when the Karmada is suspended meanwhile', () => {
    const suspended = suspendedStatus(karmadaOf(), reported('ClusterNotObserved'), NOW);
    expect(suspended.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'Unknown', reason: 'Suspended' }),
    );
  });
});

describe('failingStatus', () => {
  const cause = { reason: 'ReconcileFailed', message: 'it was refused' } as const;
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Completed',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    observedGeneration: 1,
  } as const;
  const reported = (before: KarmadaStatus, deletionTimestamp?: string): KarmadaStatus => {
    const karmada = karmadaOf();
    const metadata = { ...karmada.metadata, ...(deletionTimestamp && { deletionTimestamp }) };
    return failingStatus({ ...karmada, metadata }, cause, { before, now: NOW });
  };

  it.each<[string, KarmadaStatus, Phase, Condition['status']]>([
    ['was never ready', {}, 'Failed', 'False'],
    ['is installed', { secretRef: { name: 'a', namespace: 'b' } }, 'Degraded', 'Unknown'],
  ])(
    'sets Ready, Progressing, Degraded and Stalled when the control plane %s',
    (_, before, phase, status) => {
      expect(reported({ ...before, conditions: [ready] })).toMatchObject({
        phase,
        conditions: [
          { type: 'Ready', status, ...cause },
          { type: 'Progressing', status: 'False', ...cause },
          { type: 'Degraded', status: 'True', ...cause },
          { type: 'Stalled', status: 'True', ...cause },
        ],
      });
    },
  );

  it('is replaced as a whole when the spec is rejected', () => {
    const refusal = { reason: 'ValidationError', message: 'it is wrong' } as const;
    const before = reported({ conditions: [ready] });
    const { conditions } = rejectedStatus(karmadaOf(), refusal, {
      before,
      now: NOW,
      phase: 'Failed',
    });
    expect(conditions).toMatchObject([
      { type: 'Ready', ...refusal },
      { type: 'Stalled', ...refusal },
    ]);
  });

  it('keeps phase and Ready of a deletion in progress', () => {
    const before = { phase: 'Deleting', conditions: [{ ...ready, status: 'False' }] } as const;
    expect(reported(before, '2026-01-02T00:00:00Z')).toMatchObject({
      phase: 'Deleting',
      conditions: [
        { type: 'Degraded', status: 'True', ...cause },
        { type: 'Ready', reason: 'Completed' },
      ],
    });
  });

  it('says that a request to reissue certificates waits for the end of the suspension', () => {
    const karmada = karmadaOf();
    const messageOf = (annotations: Readonly<Record<string, string>>): string | undefined => {
      const metadata = { ...karmada.metadata, annotations };
      const { conditions = [] } = suspendedStatus({ ...karmada, metadata }, {}, NOW);
      return conditions.find(({ type }) => type === 'Suspended')?.message;
    };
    expect(messageOf({})).not.toContain('rotate');
    expect(messageOf({ [ROTATE_ANNOTATION]: 'leaves/1' })).toContain(
      'annotation operator.karmada.io/rotate: not executed until then, unless it was before',
    );
  });

  it('leaves no pending retry in the status when the Karmada is suspended', () => {
    const before = reported({ conditions: [ready] });
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
