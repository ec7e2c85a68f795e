import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { podFactsOf } from './pod-facts.ts';

const AT = Date.UTC(2026, 0, 1);

describe('podFactsOf', () => {
  it.each<[string, readonly (number | undefined)[], object]>([
    ['its container', [5], { startedAt: AT + 5 }],
    ['containers that started together', [5, 5], { startedAt: AT + 5 }],
    ['a container that started again', [5, 9], { startedAt: AT + 5, lastStartedAt: AT + 9 }],
    ['a container that does not run', [5, undefined], {}],
    ['no container', [], {}],
  ])('knows the start of a Pod with %s', (_, starts, expected) => {
    const containerStatuses = starts.map((ms, index) => ({
      name: String(index),
      state: ms === undefined ? {} : { running: { startedAt: new Date(AT + ms).toISOString() } },
    }));
    const pod = {
      metadata: { name: 'scheduler-0' },
      status: { containerStatuses },
    } as object as Pod;
    const shown = { probes: [], presented: [] };
    const { name, component, probes, presented, ...found } = podFactsOf(
      pod,
      'scheduler',
      undefined,
      shown,
    );
    expect([name, component, probes, presented]).toEqual(['scheduler-0', 'scheduler', [], []]);
    expect(found).toEqual(expected);
  });
});
