import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../test/harness/code-point.ts';
import {
  addressesOf,
  checkName,
  checkNodes,
  chooseSlot,
  maxNodes,
  nodeAddress,
  nodeDirectory,
  nodePods,
  slots,
} from './slot.ts';

describe('checkName', () => {
  it.each(['a', 'host', 'e2e', 'a-b', 'a1', `a${'b'.repeat(19)}`])(
    'accepts the cluster name %s',
    (name) => {
      expect(() => checkName(name)).not.toThrow();
    },
  );

  it.each([
    '',
    'Bad_Name',
    'A',
    '1a',
    '-a',
    'a-',
    'a.b',
    'a/b',
    '..',
    'a b',
    'a\n',
    'ä',
    `a${'b'.repeat(20)}`,
  ])('rejects the cluster name %j and describes valid names', (name) => {
    expect(() => checkName(name)).toThrow(/is not a valid cluster name: use 1 to 20 lower case/);
  });

  it('rejects hostile names with a message of one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (name) => {
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

describe('cluster addresses', () => {
  it('returns unique addresses, and interface names of at most 15 characters', () => {
    const all = Array.from({ length: slots }, (_, slot) => addressesOf(slot));
    expect(new Set(all.map(({ node }) => node)).size).toBe(slots);
    expect(new Set(all.map(({ link }) => link)).size).toBe(slots);
    expect(Math.max(...all.map(({ link }) => link.length))).toBeLessThanOrEqual(15);
  });

  it.each([
    ['no slot is in use', [], [], 0],
    ['other clusters use the first slots', [0, 1], [], 2],
    ['a slot between two used ones is free', [0, 2], [], 1],
    ['a route overlaps with the first slot', [], ['10.240.0.0/24'], 1],
    ['a route leads to one address of the first slot', [], ['10.240.7.7'], 1],
    ['a route covers several slots', [], ['10.240.0.0/14'], 4],
    ['a larger route covers all slots with another prefix', [], ['10.128.0.0/9'], undefined],
    ['a route covers all of 10.0.0.0/8', [], ['10.0.0.0/8'], 0],
    ['the machine has the usual routes', [], ['default', '192.168.1.0/24', '::1', 'fe80::/64'], 0],
    ['routes lead to adjacent networks', [], ['10.239.0.0/16', '10.250.0.0/16'], 0],
    ['routes have similar prefixes', [], ['10.24.0.0/16', '110.240.0.0/16'], 0],
    [
      'clusters and routes use all slots',
      [0, 1, 2, 3],
      ['10.244.0.0/14', '10.248.0.0/15'],
      undefined,
    ],
  ])('chooses the expected slot when %s', (_, taken, routes, slot) => {
    const found = chooseSlot(
      taken,
      routes.map((dst) => ({ dst })),
    );
    expect(found).toBe(slot);
  });

  it('chooses a free slot when one exists, and never a used one', () => {
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

describe('checkNodes', () => {
  it.each([
    [1, false],
    [1, true],
    [3, false],
  ])('accepts %d nodes when dual-stack is %j', (count, dualStack) => {
    expect(() => checkNodes(count, dualStack)).not.toThrow();
  });

  it.each([0, -1, 4, 1.5, NaN])('rejects %d nodes and names the valid numbers', (count) => {
    expect(() => checkNodes(count, false)).toThrow(/is not a valid number of nodes: use 1 to 3$/);
  });

  it('rejects several nodes of a dual-stack cluster', () => {
    expect(() => checkNodes(2, true)).toThrow(/cannot have IPv6: omit --nodes or --dual-stack$/);
  });
});

describe('node addresses', () => {
  it.each([
    [1, '10.243.0.2', '10.243.128.0/19'],
    [2, '10.243.0.3', '10.243.160.0/19'],
    [3, '10.243.0.4', '10.243.192.0/19'],
  ])('returns the address and the Pod CIDR of node %d', (number, address, pods) => {
    const addresses = addressesOf(3);
    expect(nodeAddress(addresses, number)).toBe(address);
    expect(nodePods(addresses, number, maxNodes)).toBe(pods);
  });

  it('returns all Pod addresses for the node of a cluster with one node', () => {
    const addresses = addressesOf(3);
    expect(nodePods(addresses, 1, 1)).toBe(addresses.pods);
  });

  it('returns the directory of the cluster for the first node, and folders in it for the others', () => {
    expect(nodeDirectory('a', 1)).toBe('/var/lib/karmada-embedded/a');
    expect(nodeDirectory('a', 2)).toBe('/var/lib/karmada-embedded/a/node-2');
  });
});
