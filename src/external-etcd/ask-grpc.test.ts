import { describe, expect, it } from '@jest/globals';
import { textIn } from './ask-grpc.ts';

describe('a text in a message of protocol buffers', () => {
  // StatusResponse of etcd 3.6.6 up to its size: header, version, size.
  const status = Buffer.from(
    '0a1a0895a2b49b8bcff6e48c0110b0a786f6f0fda5beac01180120021205332e362e361880c001',
    'hex',
  );

  it.each<[string, Buffer, number, string | undefined]>([
    ['is found after another message', status, 2, '3.6.6'],
    ['is not taken from where another kind of field is', status, 3, undefined],
    ['is not there in an empty message', Buffer.alloc(0), 2, undefined],
    ['is cut when the message is', status.subarray(0, 31), 2, '3'],
    [
      'is not looked for behind what is longer than it should be',
      Buffer.of(0x0a, 0x80, 0x01),
      2,
      undefined,
    ],
  ])('%s', (_, message, field, expected) => {
    expect(textIn(message, field)).toBe(expected);
  });
});
