import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseShard, shardOf } from './shards.ts';

describe('parseShard', () => {
  it('parses the number and the count', () => {
    expect(parseShard('2/3')).toEqual({ index: 2, count: 3 });
  });

  it.each(['', '3', '0/2', '3/2', '1/0', 'a/b', '1/2/3'])('rejects %j', (text) => {
    expect(() => parseShard(text)).toThrow('such as 1/3');
  });
});

describe('shardOf', () => {
  const names = (suites: readonly { file: string }[]) => suites.map(({ file }) => file);

  it('splits the suites into shards of about equal time', () => {
    const seconds = { a: 100, b: 60, c: 50, d: 10, e: 1 };
    const suites = Object.entries(seconds).map(([file, time]) => ({ file, seconds: time }));
    expect(names(shardOf(suites, parseShard('1/2')))).toEqual(['a', 'd', 'e']);
    expect(names(shardOf(suites, parseShard('2/2')))).toEqual(['b', 'c']);
  });

  it('has every suite in exactly one shard', () => {
    const some = fc.uniqueArray(fc.record({ file: fc.string(), seconds: fc.nat(900) }), {
      selector: ({ file }) => file,
    });
    fc.assert(
      fc.property(some, fc.integer({ min: 1, max: 6 }), (suites, count) => {
        const shards = Array.from({ length: count }, (_, at) =>
          shardOf(suites, { index: at + 1, count }),
        );
        expect(names(shards.flat()).sort()).toEqual(names(suites).sort());
      }),
    );
  });
});
