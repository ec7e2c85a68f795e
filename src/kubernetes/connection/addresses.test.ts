import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  AddressError,
  DEFAULT_ADDRESSES,
  guardedLookup,
  hostError,
  parseCidr,
  refusedKind,
  type AddressPolicy,
} from './addresses.ts';

const allow = (...ranges: string[]): AddressPolicy => ({ allowed: ranges.map(parseCidr) });

describe('refusedKind', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.1.2', 'loopback'],
    ['::1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['::ffff:169.254.169.254', 'link-local'],
    ['::ffff:7f00:1', 'loopback'],
    ['64:ff9b::a9fe:a9fe', 'link-local'],
    ['2002:7f00:1::', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['fd00:ec2::254', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['not an address', 'unknown'],
    ['10.0.0.1', undefined],
    ['192.168.1.1', undefined],
    ['100.64.0.1', undefined],
    ['203.0.113.7', undefined],
    ['fd00::1', undefined],
    ['2001:db8::1', undefined],
  ])('returns for %s the kind %s', (address, expected) => {
    expect(refusedKind(address, DEFAULT_ADDRESSES)).toBe(expected);
  });

  it('allows addresses in the ranges of the policy', () => {
    const policy = allow('127.0.0.0/8', '169.254.20.10');
    expect(refusedKind('127.0.0.1', policy)).toBeUndefined();
    expect(refusedKind('::ffff:127.0.0.1', policy)).toBeUndefined();
    expect(refusedKind('169.254.20.10', policy)).toBeUndefined();
    expect(refusedKind('169.254.20.11', policy)).toBe('link-local');
  });

  it('rejects 127.0.0.0/8 and 169.254.0.0/16 in IPv4, mapped and translated form', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.constantFrom([127], [169, 254]), octet, octet, octet, (head, b, c, d) => {
        const bytes = [...head, b, c, d].slice(0, 4);
        const dotted = bytes.join('.');
        for (const form of [dotted, `::ffff:${dotted}`, `64:ff9b::${dotted}`])
          expect(refusedKind(form, DEFAULT_ADDRESSES)).toBeDefined();
      }),
    );
  });
});

describe('hostError', () => {
  it.each(['localhost', 'LOCALHOST.', 'a.localhost', '127.0.0.1', '[::1]', '[fe80::1]'])(
    'returns an error with the flag for %s',
    (host) => {
      expect(hostError(host, DEFAULT_ADDRESSES)?.message).toMatch(/--allow-addresses/);
    },
  );

  it.each(['example.com', '10.0.0.1', '[2001:db8::1]', 'localhost.example.com'])(
    'allows %s',
    (host) => {
      expect(hostError(host, DEFAULT_ADDRESSES)).toBeUndefined();
    },
  );
});

describe('AddressError', () => {
  it.each([
    ['unknown', 'x is an unknown address, and'],
    ['unspecified', 'x is an unspecified address, and'],
    ['loopback', 'x is a loopback address, and'],
  ])('has the article that fits the kind %s', (kind, expected) => {
    expect(new AddressError('x', 'x', kind).message).toContain(expected);
  });
});

describe('guardedLookup', () => {
  const found = (addresses: readonly LookupAddress[], all: boolean): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const lookup = guardedLookup({
        ...DEFAULT_ADDRESSES,
        lookup: (_, __, done) => done(null, [...addresses]),
      });
      lookup('name.example.com', { all }, (error, address, family) => {
        if (error === null) resolve(all ? address : [address, family]);
        else reject(error);
      });
    });
  const loopback = { address: '127.0.0.1', family: 4 };
  const inside = { address: '10.0.0.1', family: 4 };

  it('returns only allowed addresses', async () => {
    expect(await found([loopback, inside], true)).toEqual([inside]);
    expect(await found([loopback, inside], false)).toEqual(['10.0.0.1', 4]);
  });

  it('throws an error with name and address when no address is allowed', async () => {
    await expect(found([loopback], true)).rejects.toThrow(
      'name.example.com resolves to 127.0.0.1, which is a loopback address',
    );
  });
});
