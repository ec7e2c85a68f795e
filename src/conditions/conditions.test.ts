import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../api/karmada.ts';
import { mergeConditions, transitions, type ConditionDraft } from './conditions.ts';

const THEN = '2026-01-01T00:00:00Z';
const NOW = '2026-01-01T00:01:00Z';

const READY: ConditionDraft = {
  type: 'Ready',
  status: 'False',
  reason: 'Progressing',
  message: 'etcd: not created yet',
};
const before = (more: Partial<Condition> = {}): Condition => ({
  ...READY,
  lastTransitionTime: THEN,
  observedGeneration: 1,
  ...more,
});
const merge = (
  present: readonly Condition[],
  findings: readonly ConditionDraft[],
): readonly Condition[] =>
  mergeConditions(present, findings, { now: NOW, generation: 2, ours: new Set(['Ready', 'Old']) });

describe('mergeConditions', () => {
  it.each<[string, Partial<ConditionDraft>, string]>([
    ['keeps the transition time when nothing changes', {}, THEN],
    ['keeps the transition time when only the reason changes', { reason: 'Failed' }, THEN],
    ['keeps the transition time when only the message changes', { message: 'other' }, THEN],
    ['sets the transition time when the status changes', { status: 'True' }, NOW],
    ['sets the transition time when the status becomes Unknown', { status: 'Unknown' }, NOW],
  ])('%s', (_, change, lastTransitionTime) => {
    const finding = { ...READY, ...change };
    const expected = { ...finding, lastTransitionTime, observedGeneration: 2 };
    expect(merge([before()], [finding])).toEqual([expected]);
  });

  it('sets the transition time of a new condition', () => {
    expect(merge([], [READY])).toEqual([
      { ...READY, lastTransitionTime: NOW, observedGeneration: 2 },
    ]);
  });

  it('keeps conditions of other controllers after its own, and removes its own without a finding', () => {
    const others = [before({ type: 'Backup' }), before({ type: 'Old' })];
    expect(merge(others, [READY]).map(({ type }) => type)).toEqual(['Ready', 'Backup']);
    expect(merge(others, [READY])[1]).toEqual(others[0]);
  });

  it.each<[number, number]>([
    [1_023, 1_023],
    [1_024, 1_024],
    [1_025, 1_024],
  ])('writes a message of %i characters with %i characters', (given, expected) => {
    const [condition] = merge([], [{ ...READY, message: 'x'.repeat(given) }]);
    expect(condition?.message).toHaveLength(expected);
    expect(condition?.message.endsWith('…')).toBe(given !== expected);
  });
});

describe('transitions', () => {
  const bad = (type: string, status: Condition['status'], reason: string): Condition => ({
    type,
    status,
    reason,
    message: reason,
    lastTransitionTime: THEN,
  });

  it.each([
    ['is an Event for Ready', bad('Ready', 'False', 'Progressing'), 'Failed', ['Failed']],
    ['is none for Degraded', bad('Degraded', 'True', 'ImagePullFailed'), 'CrashLoopBackOff', []],
    ['is none for a component', bad('EtcdReady', 'False', 'Progressing'), 'ImagePullFailed', []],
    ['is none for Progressing', bad('Progressing', 'False', 'Progressing'), 'Failed', []],
  ])('another reason of the same state %s', (_, old, reason, expected) => {
    const found = transitions([old], [{ ...old, reason }]);
    expect(found.map((event) => event.reason)).toEqual(expected);
  });

  const lacks = (message: string, reason = 'IdentityRoleChanged'): Condition => ({
    ...bad('ComponentIdentities', 'False', reason),
    message,
  });

  it.each<[string, readonly Condition[], Condition, readonly string[]]>([
    ['a new fault of a role', [], lacks('a'), ['a']],
    ['another fault of a role', [lacks('a')], lacks('b'), ['b']],
    ['the same fault of a role', [lacks('a')], lacks('a'), []],
    ['progress', [], lacks('a', 'IdentitySwitching'), []],
  ])('reports %s', (_, old, next, notes) => {
    const found = transitions(old, [next]);
    expect(found.map(({ note, type }) => [type, note])).toEqual(
      notes.map((note) => ['Warning', note]),
    );
  });
});
