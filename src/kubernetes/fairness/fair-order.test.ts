import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairOrder, NO_LOAD, type Flow, type Load, type Priority } from './fair-order.ts';

/** Adds items named `<group><tenant><number>`. */
function orderOf(items: readonly string[], priority: Priority = 'normal'): FairOrder<string> {
  const order = new FairOrder<string>();
  for (const item of items) order.add(item, flowOf(item), priority);
  return order;
}

const flowOf = (item: string): Flow => ({ group: item.charAt(0), tenant: item.charAt(1) });

function drain(order: FairOrder<string>, load: Load = NO_LOAD): readonly string[] {
  const taken: string[] = [];
  for (let next = order.take(load); next !== undefined; next = order.take(load))
    taken.push(next.item);
  return taken;
}

const many = (flow: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${flow}${String(index)}`);

describe('FairOrder', () => {
  it.each<[string, readonly string[], string]>([
    ['keeps the order of one flow', ['ax1', 'ax2', 'ax3'], 'ax1 ax2 ax3'],
    ['lets groups take turns', ['ax1', 'ax2', 'ax3', 'bx1', 'bx2'], 'ax1 bx1 ax2 bx2 ax3'],
    ['lets tenants of a group take turns', ['ax1', 'ax2', 'ax3', 'ay1'], 'ax1 ay1 ax2 ax3'],
    [
      'shares the turns of a group among its tenants',
      ['ax1', 'ax2', 'ay1', 'bx1', 'bx2'],
      'ax1 bx1 ay1 bx2 ax2',
    ],
  ])('%s', (_, items, expected) => {
    expect(drain(orderOf(items)).join(' ')).toBe(expected);
  });

  it('keeps an item once, at its first place', () => {
    const order = orderOf(['ax1', 'ax2', 'ax1']);
    expect(order.size).toBe(2);
    expect(drain(order)).toEqual(['ax1', 'ax2']);
  });

  it('serves a new tenant before one that was served', () => {
    const order = orderOf(many('ax', 100));
    for (let turn = 0; turn < 10; turn += 1) order.take(NO_LOAD);
    order.add('ay1', flowOf('ay1'), 'normal');
    expect(order.take(NO_LOAD)?.item).toBe('ay1');
  });

  it('does not prefer a tenant that waits again and again to one that keeps waiting', () => {
    const order = orderOf(['ax1', 'ay1', 'ay2']);
    expect(order.take(NO_LOAD)?.item).toBe('ax1');
    order.add('ax1', flowOf('ax1'), 'normal');
    expect(order.take(NO_LOAD)?.item).toBe('ay1');
    expect(order.take(NO_LOAD)?.item).toBe('ax1');
    order.add('ax1', flowOf('ax1'), 'normal');
    expect(order.take(NO_LOAD)?.item).toBe('ay2');
  });

  it('takes normal priority first, but gives every fifth turn to low priority', () => {
    const order = orderOf(many('ax', 20));
    for (const item of ['ay1', 'ay2']) order.add(item, flowOf(item), 'low');
    const taken = drain(order);
    expect(taken.indexOf('ay1')).toBe(4);
    expect(taken.indexOf('ay2')).toBe(9);
  });

  it('takes high priority first, and gives one of six turns to each lower one', () => {
    const order = orderOf(many('ax', 20), 'high');
    for (const item of many('by', 20)) order.add(item, flowOf(item), 'normal');
    for (const item of many('cz', 20)) order.add(item, flowOf(item), 'low');
    const first = drain(order).slice(0, 20);
    const shareOf = (group: string): number => first.filter((item) => item[0] === group).length;
    expect([first[0]?.[0], shareOf('a'), shareOf('b'), shareOf('c')]).toEqual(['a', 14, 3, 3]);
  });

  it('raises the priority of a waiting item, and does not lower it', () => {
    const order = orderOf(['ax1', 'ax2'], 'low');
    order.add('ax2', flowOf('ax2'), 'normal');
    order.add('ax2', flowOf('ax2'), 'low');
    expect(order.take(NO_LOAD)).toEqual({ item: 'ax2', priority: 'normal' });
  });

  it('skips groups and tenants that may not begin more, and prefers those with the least load', () => {
    const order = orderOf(['ax1', 'ay1', 'bx1', 'cx1']);
    const load: Load = {
      ofGroup: (group) => ({ a: 1, b: undefined, c: 2 })[group],
      ofTenant: ({ tenant }) => (tenant === 'x' ? 3 : 0),
    };
    expect(drain(order, load)).toEqual(['ay1', 'ax1', 'cx1']);
    expect(order.size).toBe(1);
  });

  it('loses no item and bounds the wait of each flow for arbitrary sequences of calls', () => {
    const item = fc.tuple(
      fc.constantFrom('a', 'b', 'c'),
      fc.constantFrom('x', 'y', 'z'),
      fc.integer({ min: 0, max: 4 }),
    );
    const step = fc.record({
      do: fc.constantFrom('add', 'add', 'take', 'delete'),
      item: item.map((parts) => parts.join('')),
      priority: fc.constantFrom<Priority>('normal', 'low'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const order = new FairOrder<string>();
        const model = new Set<string>();
        /** Turns that each waiting flow has been passed over. */
        const passed = new Map<string, number>();
        const isWaiting = (flow: string): boolean => [...model].some((one) => one.startsWith(flow));
        for (const { do: action, item: name, priority } of steps) {
          if (action === 'add') {
            order.add(name, flowOf(name), priority);
            model.add(name);
          } else if (action === 'delete') {
            expect(order.delete(name) !== undefined).toBe(model.delete(name));
          } else {
            const taken = order.take(NO_LOAD)?.item;
            expect(taken !== undefined).toBe(model.size > 0);
            if (taken === undefined) continue;
            model.delete(taken);
            for (const flow of ['a', 'b', 'c'].flatMap((a) => ['x', 'y', 'z'].map((b) => a + b))) {
              const isNext = taken.startsWith(flow) || !isWaiting(flow);
              passed.set(flow, isNext ? 0 : (passed.get(flow) ?? 0) + 1);
              // Three groups of three tenants, and one turn of five for low priority.
              expect(passed.get(flow)).toBeLessThan(3 * 3 * 5 * 2);
            }
          }
          expect(order.size).toBe(model.size);
        }
        expect([...drain(order)].sort()).toEqual([...model].sort());
      }),
    );
  });
});
