/** How generic clients read the status of a Karmada: by the rules of kstatus for any kind, and of kubectl wait. */
import { describe, expect, it } from '@jest/globals';
import type { Karmada } from '../../api/karmada.ts';
import {
  GENERIC_STATES,
  HOLD,
  karmadaIn,
  READY,
  worked,
  type Kstatus,
} from '../../instance/__fixtures__/generic-clients.ts';
import { NOW } from '../../instance/__fixtures__/instance.ts';
import { suspendedStatus } from '../../features/status/unreconciled-status.ts';

/** The rules of kstatus for a kind that it does not know, as its documentation describes them. */
function kstatus({ metadata, status = {} }: Karmada): Kstatus {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const { observedGeneration, conditions = [] } = status;
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation)
    return 'InProgress';
  const is = (type: string, value: string): boolean =>
    conditions.some((condition) => condition.type === type && condition.status === value);
  if (is('Reconciling', 'True')) return 'InProgress';
  if (is('Stalled', 'True')) return 'Failed';
  return is('Ready', 'False') || is('Ready', 'Unknown') ? 'InProgress' : 'Current';
}

/** Whether `kubectl wait --for=condition=Ready` ends. */
function waitEnds({ metadata, status = {} }: Karmada): boolean {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const observed = ready?.observedGeneration ?? status.observedGeneration ?? Infinity;
  return ready?.status === 'True' && observed >= (metadata.generation ?? 0);
}

describe('kstatus and kubectl wait', () => {
  it.each(GENERIC_STATES)('report %s as %j', (_title, [verdict], karmada) => {
    expect(kstatus(karmada)).toBe(verdict);
    expect(waitEnds(karmada)).toBe(verdict === 'Current');
  });

  const suspended = GENERIC_STATES.filter(([, , { status }]) => status?.phase === 'Suspended');
  it.each(suspended)(
    'see %s without further changes of the status',
    (_title, _verdicts, karmada) => {
      const { status = {} } = karmada;
      expect(suspendedStatus(karmada, status, NOW + 60_000)).toEqual(status);
    },
  );

  it('see the phase Blocked and the condition Stalled while a change is blocked', () => {
    const blocked = worked(karmadaIn(3), READY, { blockedChanges: [HOLD] }).status;
    expect(blocked).toMatchObject({
      phase: 'Blocked',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'EtcdMembersBlocked' }),
      ]),
    });
  });

  it('see no condition Stalled after a blocked change is reverted', () => {
    const blocked = worked(karmadaIn(3), READY, { blockedChanges: [HOLD] }).status ?? {};
    const after = worked(karmadaIn(4), blocked).status;
    expect(after?.phase).toBe('Running');
    expect(after?.conditions?.map(({ type }) => type)).not.toContain('Stalled');
  });
});
