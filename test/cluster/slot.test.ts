import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressesOf, checkName, chooseSlot, slots } from './slot.ts';

describe('the name of a cluster', () => {
  it.each(['a', 'host', 'e2e', 'a-b', 'a1', `a${'b'.repeat(19)}`])('%s is allowed', (name) => {
    expect(() => checkName(name)).not.toThrow();
  });

  it.each([
    ...['', 'Bad_Name', 'A', '1a', '-a', 'a-', 'a.b', 'a/b', '..', 'a b', 'a\n', 'ä'],
    `a${'b'.repeat(20)}`,
  ])('%j is refused with what to use', (name) => {
    expect(() => checkName(name)).toThrow(/is no name for a cluster: use 1 to 20 lower case/);
  });

  it('hostile names never pass and stay on one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        let message = '';
        try {
          checkName(name);
        } catch (error) {
          message = String(error);
        }
        if (message === '') expect(name).toMatch(/^[a-z0-9-]{1,20}$/);
        else expect(message).not.toContain('\n');
      }),
    );
  });
});

describe('the addresses of a cluster', () => {
  it('are disjoint, and the link has a name the kernel takes', () => {
    const all = Array.from({ length: slots }, (_, slot) => addressesOf(slot));
    expect(new Set(all.map(({ node }) => node)).size).toBe(slots);
    expect(new Set(all.map(({ link }) => link)).size).toBe(slots);
    expect(Math.max(...all.map(({ link }) => link.length))).toBeLessThanOrEqual(15);
  });

  it.each([
    ['nothing is taken', [], [], 0],
    ['other clusters have the first', [0, 1], [], 2],
    ['one in between is free', [0, 2], [], 1],
    ['a route leads to the first', [], ['10.240.0.0/24'], 1],
    ['a route leads to one address of it', [], ['10.240.7.7'], 1],
    ['a route holds several slots', [], ['10.240.0.0/14'], 4],
    [
      'a wider route holds them without beginning with their number',
      [],
      ['10.128.0.0/9'],
      undefined,
    ],
    ['a network has all of 10.0.0.0/8', [], ['10.0.0.0/8'], 0],
    ['there are the usual routes', [], ['default', '192.168.1.0/24', '::1', 'fe80::/64'], 0],
    ['a neighbour is routed', [], ['10.239.0.0/16', '10.250.0.0/16'], 0],
    ['a number only looks like a slot', [], ['10.24.0.0/16', '110.240.0.0/16'], 0],
    ['both kinds together take all', [0, 1, 2, 3], ['10.244.0.0/14', '10.248.0.0/15'], undefined],
  ])('when %s', (_, taken, routes, slot) => {
    const found = chooseSlot(
      taken,
      routes.map((dst) => ({ dst })),
    );
    expect(found).toBe(slot);
  });

  it('a taken slot is never chosen, and a free one is whenever there is one', () => {
    const slot = fc.integer({ min: 0, max: slots - 1 });
    const route = fc.record({
      slot,
      third: fc.nat(255),
      length: fc.integer({ min: 16, max: 32 }),
    });
    fc.assert(
      fc.property(fc.array(slot), fc.array(route), (taken, routed) => {
        const routes = routed.map((one) => ({
          dst: `10.${String(240 + one.slot)}.${one.length === 16 ? '0' : String(one.third)}.0/${String(one.length)}`,
        }));
        const busy = new Set([...taken, ...routed.map((one) => one.slot)]);
        const found = chooseSlot(taken, routes);
        if (found === undefined) expect(busy.size).toBe(slots);
        else expect(busy.has(found)).toBe(false);
      }),
    );
  });
});
