import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AUTHORITIES, LEAVES } from './inventory.ts';
import { MAX_ROTATE_LENGTH, parseRotate } from './rotate-request.ts';

const LEAF_NAMES = LEAVES.map(({ name }) => name);
const AUTHORITY_NAMES = ['service-account-key', ...AUTHORITIES.map(({ name }) => name)];

describe('parseRotate', () => {
  it.each([
    ['leaves/1', { leaves: 'leaves' }],
    ['apiserver/2026-11-28T0630', { leaves: ['apiserver'] }],
    ['etcd-peer,karmada/a.b_c-d', { leaves: ['karmada', 'etcd-peer'] }],
    ['ca,etcd-ca/2026-11', { authorities: ['ca', 'etcd-ca'] }],
    ['service-account-key/1', { authorities: ['service-account-key'] }],
  ])('reads %s', (value, targets) => {
    expect(parseRotate(value)).toEqual(targets);
  });

  it.each([
    ['', 'the value is not names joined by commas'],
    ['leaves', 'the value is not names joined by commas'],
    ['leaves/', 'the value is not names joined by commas'],
    ['leaves/1/2', 'the value is not names joined by commas'],
    ['leaves/-1', 'the value is not names joined by commas'],
    [`leaves/${'1'.repeat(64)}`, 'the value is not names joined by commas'],
    ['/1', '"" is none of leaves, service-account-key, ca, etcd-ca, front-proxy-ca'],
    ['api-server/1', '"api-server" is none of leaves'],
    ['constructor/1', '"constructor" is none of'],
    ['apiserver, karmada/1', '" karmada" is none of'],
    [`${'x'.repeat(100)}/1`, `"${'x'.repeat(64)}" is none of`],
    ['"\n"/1', String.raw`"\"\n\"" is none of`],
    ['apiserver,apiserver/1', 'has a name twice'],
    ['leaves,apiserver/1', 'other names besides leaves'],
    ['leaves,ca/1', 'request one after the other'],
    [`${'a'.repeat(200)}/1`, 'longer than 153 characters'],
  ])('rejects %j with the cause', (value, cause) => {
    const parsed = parseRotate(value);
    expect('fault' in parsed ? parsed.fault : parsed).toContain(cause);
  });

  it.each([
    ['ca', true],
    ['ca/1/2', true],
    ['apiserver,ca/1', true],
    ['x,etcd-ca/1', true],
    [`service-account-key/${'1'.repeat(200)}`, true],
    ['leaves', false],
    ['leaves/ca/ca', false],
    ['caa/1', false],
  ])('tells whether %j, which is not valid, names a CA or a key', (value, isOfAuthority) => {
    expect(parseRotate(value)).toMatchObject({ isOfAuthority });
  });

  it('reads each list of known names in any order, and only of one kind', () => {
    const list = (names: readonly string[]) =>
      fc
        .subarray([...names], { minLength: 1, maxLength: 4 })
        .chain((some) => fc.shuffledSubarray(some, { minLength: some.length }));
    fc.assert(
      fc.property(list(LEAF_NAMES), list(AUTHORITY_NAMES), (leaves, authorities) => {
        const found = parseRotate(`${leaves.join(',')}/1`);
        expect('leaves' in found && new Set(found.leaves)).toEqual(new Set(leaves));
        const other = parseRotate(`${authorities.join(',')}/1`);
        expect('authorities' in other && new Set(other.authorities)).toEqual(new Set(authorities));
        expect(parseRotate(`${[...leaves, ...authorities].join(',')}/1`)).toHaveProperty('fault');
      }),
    );
  });

  it('answers each text with targets of the inventory or with a short cause on one line', () => {
    const near = fc
      .array(fc.constantFrom('leaves', 'ca', 'apiserver', ',', '/', '1', ' ', '\n', 'x'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 400 }), near), (value) => {
        const found = parseRotate(value);
        if ('fault' in found) {
          expect(found.fault.length).toBeLessThan(700);
          expect(/[\u0000-\u001f]/.test(found.fault)).toBe(false);
          return;
        }
        expect(value.length).toBeLessThanOrEqual(MAX_ROTATE_LENGTH);
        const names = 'leaves' in found ? found.leaves : found.authorities;
        for (const name of [names].flat())
          expect(['leaves', ...LEAF_NAMES, ...AUTHORITY_NAMES]).toContain(name);
      }),
    );
  });
});
