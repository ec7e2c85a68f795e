import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EtcdConnectionError } from './errors.ts';
import { framed } from './grpc.ts';
import { MessageSplitter } from './message-splitter.ts';

const messages = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 8 });

describe('MessageSplitter', () => {
  it('returns the messages however the stream is cut', () => {
    fc.assert(
      fc.property(
        messages,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (sent, cuts) => {
          const stream = Buffer.concat(sent.map(framed));
          const splitter = new MessageSplitter();
          const found: Buffer[] = [];
          for (let [at, cut] = [0, 0]; at < stream.length; cut += 1) {
            const length = cuts[cut % cuts.length] ?? 1;
            found.push(...splitter.add(stream.subarray(at, at + length)));
            at += length;
          }
          expect(found).toEqual(sent.map((one) => Buffer.from(one)));
          expect(splitter.isEmpty).toBe(true);
        },
      ),
    );
  });

  it('is not empty while a message is incomplete', () => {
    const whole = framed(Buffer.from('abc'));
    for (const length of [1, 5, 7]) {
      const splitter = new MessageSplitter();
      expect([...splitter.add(whole.subarray(0, length))]).toEqual([]);
      expect(splitter.isEmpty).toBe(false);
    }
  });

  it.each([
    ['compressed', [1, 0, 0, 0, 1]],
    ['longer than 4 MiB', [0, 0, 0x40, 0, 1]],
  ])('rejects a message that is %s', (_, head) => {
    expect(() => [...new MessageSplitter().add(Uint8Array.from(head))]).toThrow(
      EtcdConnectionError,
    );
  });
});
