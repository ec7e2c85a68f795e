import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LEAVES } from './inventory.ts';
import { formatReissues, parseReissues, type Reissue } from './reissue-record.ts';

const HASH = 'a'.repeat(64);
const LEAF = {
  from: HASH,
  to: 'b'.repeat(64),
  request: 'leaves/1',
  at: '2026-11-21T12:00:00.000Z',
};
const text = (change: object = {}, leaf: object = LEAF): string =>
  JSON.stringify({ executed: ['leaves/1'], leaves: { apiserver: leaf }, ...change });

describe('parseReissues', () => {
  it('reads what formatReissues writes', () => {
    const hash = fc
      .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 64, maxLength: 64 })
      .map((digits) => digits.join(''));
    const value = fc.string({ minLength: 1, maxLength: 153 });
    const base = { from: hash, request: value, at: fc.constant(LEAF.at) };
    const leaf: fc.Arbitrary<Reissue> = fc.oneof(fc.record(base), fc.record({ ...base, to: hash }));
    const leaves = fc.dictionary(fc.constantFrom(...LEAVES.map(({ name }) => name)), leaf);
    const record = fc.record({ executed: fc.array(value, { maxLength: 32 }), leaves });
    fc.assert(
      fc.property(record, (one) => {
        expect(parseReissues(formatReissues(one))).toEqual(one);
      }),
    );
  });

  it('reads the largest record', () => {
    const request = 'x'.repeat(153);
    const leaves = Object.fromEntries(LEAVES.map(({ name }) => [name, { ...LEAF, request }]));
    const record = { executed: Array.from({ length: 32 }, () => request), leaves };
    expect(parseReissues(formatReissues(record))).toEqual(record);
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['a missing list', '{"leaves":{}}'],
    ['a missing object', '{"executed":[]}'],
    ['an unknown field', text({ more: 1 })],
    ['an unknown certificate', text({ leaves: { other: LEAF } })],
    ['a value that is no text', text({ executed: [1] })],
    ['an empty value', text({ executed: [''] })],
    ['too many values', text({ executed: Array.from({ length: 33 }, String) })],
    ['a long value', text({ executed: ['x'.repeat(154)] })],
    ['a certificate without a fingerprint', text({}, { ...LEAF, from: undefined })],
    ['an upper case fingerprint', text({}, { ...LEAF, from: 'A'.repeat(64) })],
    ['a short fingerprint', text({}, { ...LEAF, to: 'b' })],
    ['an unknown field of a certificate', text({}, { ...LEAF, more: 1 })],
    ['a request that is no text', text({}, { ...LEAF, request: {} })],
    ['a time that is none', text({}, { ...LEAF, at: 'now' })],
    ['a large text', text({ executed: [' '.repeat(30_000)] })],
  ])('rejects %s', (_case, value) => {
    expect(parseReissues(value)).toBeUndefined();
  });

  it('rejects each other text without an error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (value) => {
        expect(parseReissues(value)).toBeUndefined();
      }),
    );
  });
});
