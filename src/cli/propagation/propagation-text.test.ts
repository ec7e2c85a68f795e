import { describe, expect, it } from '@jest/globals';
import type { Effect } from '../../member-clusters/difference/difference.ts';
import { propagationText } from './propagation-text.ts';
import type { MemberView, PropagationView } from './read-propagation.ts';

const object = (effect: Effect, name: string, more: object = {}) => ({
  effect,
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'default',
  name,
  ...more,
});

const counts = { create: 1, change: 1, delete: 0, orphaned: 1, blocked: 1, suspended: 0, equal: 7 };

const paris: MemberView = {
  name: 'paris',
  syncMode: 'Push',
  ready: 'True',
  counts,
  objects: [
    object('create', 'lost'),
    object('change', 'web', { fields: ['spec.replicas', 'spec.paused'] }),
    object('orphaned', 'new\u001b[31m'),
    { effect: 'blocked', apiVersion: 'v1', kind: 'Namespace', name: 'x', reason: 'no label' },
  ],
};

const rome: MemberView = { name: 'rome', syncMode: 'Pull', ready: 'True', problem: 'no route' };

const server = 'https://karmada.example.com:443';

const view = (members: readonly MemberView[], paused = true): PropagationView => ({
  namespace: 'team',
  name: 'demo',
  paused,
  server,
  members,
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

  describe('for member clusters in pull mode while the propagation is not paused', () => {
    const text = (member: object, more: Partial<PropagationView> = {}): string =>
      propagationText({ ...view([{ ...rome, ...member } as MemberView], false), ...more });

    it('only says how to stop an agent that reports', () => {
      expect(text({})).toContain('--replicas 0');
      expect(text({})).not.toContain('agent.kubeconfig');
    });

    it('lists an agent that does not report, with the commands that replace the address in its kubeconfig', () => {
      const found = text({ ready: 'Unknown', since: '2026-01-02T03:04:05.000Z' });
      expect(found).toContain(
        '  its agent does not report since 2026-01-02T03:04:05.000Z; if it is stopped, start it: kubectl --context MEMBER -n karmada-system scale deployment karmada-agent --replicas 1\n',
      );
      expect(found).toContain(
        "    kubectl --kubeconfig agent.kubeconfig config set-cluster karmada-apiserver --server 'https://karmada.example.com:443'\n",
      );
    });

    it.each(['https://a b', 'https://a;b', 'https://$(id)', 'http://a', ''])(
      'has a placeholder for an address that is not safe in a command: %s',
      (unsafe) => {
        expect(text({ ready: 'False' }, { server: unsafe })).toContain(
          "--server 'https://ADDRESS'\n",
        );
      },
    );

    it('names no agent of a member cluster in push mode', () => {
      expect(text({ syncMode: 'Push', ready: 'False' })).not.toContain('agent');
    });
  });
});
