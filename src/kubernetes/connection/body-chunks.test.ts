import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { BodyChunks } from './body-chunks.ts';
import { settle } from '../time/clock.fixture.ts';

const text = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const parts: string[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk).toString());
  return parts.join('|');
};

/** A body, and the text of its chunks or its error. */
function setUp() {
  const body = new PassThrough();
  const read = text(new BodyChunks(body)).catch((error: unknown) => error);
  return { body, read };
}

describe('BodyChunks', () => {
  it('returns the chunks as they arrive, and then the end', async () => {
    const { body, read } = setUp();
    for (const part of ['a', 'b', 'c']) {
      body.write(part);
      await settle();
    }
    body.end();
    expect(await read).toBe('a|b|c');
  });

  it('returns chunks that arrived before they were read', async () => {
    const body = new PassThrough();
    const chunks = new BodyChunks(body);
    body.write('a');
    await settle();
    body.end('b');
    await settle();
    expect((await text(chunks)).replace('|', '')).toBe('ab');
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });

  it.each([
    ['while it is read', true],
    ['before it is read', false],
  ])('throws the error of a body that fails %s', async (_, isRead) => {
    const body = new PassThrough();
    const chunks = new BodyChunks(body);
    const early = isRead ? chunks.next() : undefined;
    early?.catch(() => undefined);
    body.destroy(new Error('reset'));
    await settle();
    await expect(early ?? chunks.next()).rejects.toThrow('reset');
    await expect(chunks.next()).rejects.toThrow('reset');
  });

  it('throws an error when the body is closed before its end', async () => {
    const { body, read } = setUp();
    body.write('a');
    await settle();
    body.destroy();
    expect(await read).toMatchObject({ message: 'the body was closed before its end' });
  });

  it('reads no further than the caller, apart from what the stream has in its buffer', async () => {
    let pushed = 0;
    const body = new Readable({
      highWaterMark: 10,
      read() {
        pushed += 1;
        this.push('x'.repeat(10));
      },
    });
    const chunks = new BodyChunks(body);
    await chunks.next();
    await settle();
    const before = pushed;
    await settle();
    expect(pushed).toBe(before);
    expect(pushed).toBeLessThan(4);
    await chunks.return();
    expect(body.destroyed).toBe(true);
  });
});
