import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { without } from '../../etcd-cluster/recovery/without.ts';
import { A, B, C, NOW, recordWith, rotationOf } from './__fixtures__/facts.ts';
import { ROTATION_AUTHORITIES, ROTATION_PHASES } from './authority.ts';
import { parseRecord } from './parse-record.ts';
import {
  EMPTY_RECORD,
  formatRecord,
  MAX_EXECUTED,
  withExecuted,
  withPublication,
  withRotation,
  type Rotation,
} from './record.ts';

const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
const rotation = fc
  .record({
    phase: fc.constantFrom(...ROTATION_PHASES),
    since: time,
    roots: fc.uniqueArray(hash, { minLength: 3, maxLength: 3 }),
    writtenAt: fc.option(time, { nil: undefined }),
    completion: fc.constantFrom('awaited' as const, 'confirmed' as const, undefined),
    returns: fc.boolean(),
  })
  .map(({ phase, since, roots, writtenAt, completion, returns }): Omit<Rotation, 'authority'> => {
    const [from = '', to = '', next = ''] = roots;
    return {
      ...{ phase, since, from, to },
      ...(phase === 'Completing' && { next }),
      ...(writtenAt !== undefined && { writtenAt }),
      ...(completion && { completion }),
      ...(returns && phase === 'Preparing' && { returns, switchedAt: since }),
    };
  });

describe('parseRecord', () => {
  it('returns what formatRecord has written', () => {
    fc.assert(
      fc.property(
        fc.subarray([...ROTATION_AUTHORITIES]),
        fc.array(rotation, { minLength: 4, maxLength: 4 }),
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 160 }), { maxLength: MAX_EXECUTED }),
        (names, rotations, executed) => {
          const record = {
            rotations: names.map((authority, index) => ({
              ...rotationOf(),
              ...rotations[index],
              authority,
            })),
            published: names.map((authority) => ({ authority, root: A, at: NOW })),
            executed,
          };
          const same = record.rotations.map((one) => JSON.parse(JSON.stringify(one)) as Rotation);
          expect(parseRecord(formatRecord(record))).toEqual({ ...record, rotations: same });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('returns an empty record when there is no annotation', () => {
    expect(parseRecord(undefined)).toBe(EMPTY_RECORD);
  });

  const stored = {
    authority: 'ca',
    phase: 'Preparing',
    since: '2026-11-28T03:00:00.000Z',
    from: A,
    to: B,
  };
  const withOne = (change: object): string =>
    JSON.stringify({ rotations: [{ ...stored, ...change }], published: [], executed: [] });

  it.each([
    ['text that is no JSON', '{', 'is not JSON'],
    ['a list', '[]', 'is not an object'],
    ['no rotations', '{"published":[],"executed":[]}', 'has no field rotations'],
    [
      'a field of another version',
      '{"rotations":[],"published":[],"executed":[],"more":1}',
      'has a field that this version',
    ],
    ['more than 16 KiB', ' '.repeat(17_000), 'has more than 16 KiB'],
    ['many values', `[${'1,'.repeat(300)}1]`, 'has more than 200 values'],
    ['an unknown authority', withOne({ authority: 'root' }), 'rotations[0] has no CA or key of'],
    ['an unknown phase', withOne({ phase: 'constructor' }), 'rotations[0] has no phase of'],
    [
      'a time without milliseconds',
      withOne({ since: '2026-11-28' }),
      'rotations[0] has no time in since',
    ],
    ['a short fingerprint', withOne({ from: 'aa' }), 'in from and to'],
    ['equal fingerprints', withOne({ to: A }), 'in from and to'],
    ['a successor that is the new root', withOne({ next: B }), 'in next'],
    ['no successor in Completing', withOne({ phase: 'Completing' }), 'has no next'],
    ['a custom CA that is none', withOne({ custom: false }), 'has custom other than'],
    ['a custom etcd-ca', withOne({ authority: 'etcd-ca', custom: true }), 'has custom other than'],
    ['an unknown completion', withOne({ completion: true }), 'has no completion of'],
    [
      'a return from the overlap',
      withOne({ phase: 'Overlap', returns: true }),
      'has returns other than',
    ],
    ['a proof of use before the overlap', withOne({ used: true }), 'has used other than'],
    ['another field of a rotation', withOne({ __proto__x: 1 }), 'has a field that this version'],
    [
      'a request that is no text',
      '{"rotations":[],"published":[],"executed":[1]}',
      'executed[0] is not a request',
    ],
    [
      'a publication without time',
      `{"rotations":[],"published":[{"authority":"ca","root":"${A}","at":"now"}],"executed":[]}`,
      'published[0] has no',
    ],
  ])('rejects %s', (_, text, fault) => {
    expect(parseRecord(text)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it.each(ROTATION_PHASES)('returns a rotation to a custom CA in %s', (phase) => {
    const rotation: Rotation = { ...rotationOf({ phase }), custom: true };
    const given = without(rotation, 'next');
    expect(parseRecord(formatRecord(recordWith(given)))).toEqual(recordWith(given));
  });

  it('rejects two rotations of one authority', () => {
    const text = JSON.stringify({ rotations: [stored, stored], published: [], executed: [] });
    expect(parseRecord(text)).toEqual({ fault: 'rotations[1] is a duplicate' });
  });

  it('returns a record or a fault for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const result = parseRecord(text);
        expect('fault' in result || 'rotations' in result).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('changes of a record', () => {
  it('keep the newest executed requests, each once', () => {
    let record = EMPTY_RECORD;
    for (let count = 0; count < 40; count += 1)
      record = withExecuted(record, `rotate=ca/${String(count)}`);
    record = withExecuted(record, 'rotate=ca/20');
    expect(record.executed).toHaveLength(MAX_EXECUTED);
    expect(record.executed.at(-1)).toBe('rotate=ca/20');
    expect(record.executed.filter((one) => one === 'rotate=ca/20')).toHaveLength(1);
  });

  it('replace or end the rotation of one authority only', () => {
    const other = rotationOf({ authority: 'etcd-ca' });
    const record = recordWith(rotationOf(), other);
    const switching = rotationOf({ phase: 'Switching' });
    expect(withRotation(record, 'ca', switching).rotations).toEqual([switching, other]);
    expect(withRotation(record, 'ca', undefined).rotations).toEqual([other]);
  });

  it('replace the publication of an authority', () => {
    const first = withPublication(EMPTY_RECORD, { authority: 'ca', root: B, at: 1 });
    const second = withPublication(first, { authority: 'ca', root: C, at: 2 });
    expect(second.published).toEqual([{ authority: 'ca', root: C, at: 2 }]);
  });
});
