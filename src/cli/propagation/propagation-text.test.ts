import { describe, expect, it } from '@jest/globals';
import type { Effect } from '../../member-clusters/difference/difference.ts';
import { propagationText } from './propagation-text.ts';
import type { MemberView, PropagationView } from './read-propagation.ts';

const object = (effect: Effect, name: string, more: object = {}) => ({
  ...{ effect, apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name, ...more },
});

const counts = { create: 1, change: 1, delete: 0, orphaned: 1, blocked: 1, suspended: 0, equal: 7 };

const paris: MemberView = {
  ...{ name: 'paris', syncMode: 'Push', counts },
  objects: [
    object('create', 'lost'),
    object('change', 'web', { fields: ['spec.replicas', 'spec.paused'] }),
    object('orphaned', 'new\u001b[31m'),
    { effect: 'blocked', apiVersion: 'v1', kind: 'Namespace', name: 'x', reason: 'no label' },
  ],
};

const rome: MemberView = { name: 'rome', syncMode: 'Pull', problem: 'no route' };

const view = (members: readonly MemberView[], paused = true): PropagationView => ({
  ...{ namespace: 'team', name: 'demo', paused, members },
});

describe('propagationText', () => {
  it('shows counts, the objects by what happens to them, and what is unknown', () => {
    expect(propagationText(view([paris, rome])).split('\n')).toEqual([
      'Karmada team/demo: propagation is paused; this is what changes when it continues',
      'MEMBER   MODE   CREATE    CHANGE   DELETE   ORPHANED   BLOCKED   SUSPENDED   EQUAL',
      'paris    Push   1         1        0        1          1         0           7',
      'rome     Pull   unknown',
      '',
      'paris:',
      '  Karmada changes:',
      '    Deployment default/web (spec.replicas, spec.paused)',
      '  Karmada creates:',
      '    Deployment default/lost',
      '  Karmada does not know, and leaves as they are:',
      '    Deployment default/new',
      '  Karmada cannot write:',
      '    Namespace x: no label',
      '',
      'rome:',
      '  could not be compared: no route',
      expect.stringContaining('scale deployment karmada-agent --replicas 0'),
      '',
    ]);
  });

  it('says when the propagation is not paused, and when there are no member clusters', () => {
    expect(propagationText(view([], false))).toBe(
      'Karmada team/demo: propagation is not paused; Karmada already makes these changes\nNo member clusters\n',
    );
  });
});
