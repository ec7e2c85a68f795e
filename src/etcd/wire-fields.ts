/** Reads messages in the wire format of protobuf, which are untrusted: each decoder error becomes EtcdConnectionError. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { CODE, EtcdConnectionError } from './errors.ts';

/** Readers of fields, by number. */
export type Fields = Readonly<Record<number, (reader: BinaryReader) => unknown>>;

/** Decodes a message field by field, and skips unknown fields. @throws EtcdConnectionError when the message is malformed */
export function readFields(message: Uint8Array, fields: Fields): void {
  try {
    const reader = new BinaryReader(message);
    while (reader.pos < reader.len) {
      const [number, type] = reader.tag();
      const read = fields[number];
      if (read === undefined) reader.skip(type, number);
      else read(reader);
    }
  } catch {
    throw malformed();
  }
}

/** First field with a number and a length; undefined without one. @throws EtcdConnectionError when the message is malformed */
export function bytesField(message: Uint8Array, field: number): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  readFields(message, { [field]: (reader) => (found ??= reader.bytes()) });
  return found;
}

export const malformed = (): EtcdConnectionError =>
  new EtcdConnectionError({ stage: 'answer', code: CODE.malformed });
