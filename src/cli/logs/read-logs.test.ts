import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../test/harness/code-point.ts';
import { firstBytes, splitLines } from './read-logs.ts';

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

it('splitLines returns the same lines however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: codePoint }).map((text) => text.replaceAll('\n', ''))),
      fc.integer({ min: 1, max: 5 }),
      async (lines, size) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect(await all(splitLines(Readable.from(chunks)))).toEqual(lines);
      },
    ),
  );
  expect(await all(splitLines(Readable.from([Buffer.from('a\nb')])))).toEqual(['a', 'b']);
});

it('splitLines rejects a line above its limit, and returns the lines before it', async () => {
  const chunks = ['a\n', ...Array<string>(3).fill('x'.repeat(512))].map((text) =>
    Buffer.from(text),
  );
  const seen: string[] = [];
  const read = async (): Promise<void> => {
    for await (const line of splitLines(Readable.from(chunks), 1_024)) seen.push(line);
  };
  await expect(read()).rejects.toThrow('the log has a line with more than 1 KiB');
  expect(seen).toEqual(['a']);
});

it.each([
  [undefined, 'abcdef'],
  [6, 'abcdef'],
  [4, 'abcd'],
  [3, 'abc'],
])(
  'firstBytes with the limit %s returns %s of a server that ignores it',
  async (most, expected) => {
    const chunks = Readable.from([Buffer.from('abc'), Buffer.from('def')]);
    expect((await all(splitLines(firstBytes(chunks, most)))).join('')).toBe(expected);
  },
);
