import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../test/harness/code-point.ts';
import { splitLines } from './read-logs.ts';

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
