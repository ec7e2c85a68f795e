/** Encodes and decodes DER values for X.509, with bytes instead of the binary strings of node-forge. */
import forge from 'node-forge/lib/asn1.js';
import type { Asn1 } from 'node-forge/lib/asn1.js';
import { DER_VALUES } from '../untrusted/limits.ts';

export type { Asn1 };

const UNIVERSAL = 0x00;
const CONTEXT = 0x80;

/** Tag numbers of X.680. */
const TAG = {
  boolean: 1,
  integer: 2,
  bitString: 3,
  octetString: 4,
  null: 5,
  oid: 6,
  utf8: 12,
  sequence: 16,
  set: 17,
  utcTime: 23,
  generalizedTime: 24,
} as const;

const binary = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

export const sequence = (...items: Asn1[]): Asn1 =>
  forge.create(UNIVERSAL, TAG.sequence, true, items);

export const set = (...items: Asn1[]): Asn1 => forge.create(UNIVERSAL, TAG.set, true, items);

/** INTEGER. @param bytes two's complement, big endian */
export const integer = (bytes: Uint8Array): Asn1 =>
  forge.create(UNIVERSAL, TAG.integer, false, binary(bytes));

export const oid = (dotted: string): Asn1 =>
  forge.create(UNIVERSAL, TAG.oid, false, forge.oidToDer(dotted).getBytes());

export const utf8 = (text: string): Asn1 =>
  forge.create(UNIVERSAL, TAG.utf8, false, binary(Buffer.from(text, 'utf8')));

export const nothing = (): Asn1 => forge.create(UNIVERSAL, TAG.null, false, '');

/** BOOLEAN TRUE. X.509 needs no FALSE, because it is always the default value, which DER omits. */
export const yes = (): Asn1 => forge.create(UNIVERSAL, TAG.boolean, false, '\xff');

export const octets = (bytes: Uint8Array): Asn1 =>
  forge.create(UNIVERSAL, TAG.octetString, false, binary(bytes));

/** BIT STRING. @param unused number of unused bits at the end (0 to 7) */
export const bits = (bytes: Uint8Array, unused = 0): Asn1 =>
  forge.create(UNIVERSAL, TAG.bitString, false, String.fromCharCode(unused) + binary(bytes));

/** `[number] EXPLICIT` */
export const explicit = (number: number, inner: Asn1): Asn1 =>
  forge.create(CONTEXT, number, true, [inner]);

/** `[number] IMPLICIT` of a primitive type */
export const implicit = (number: number, bytes: Uint8Array): Asn1 =>
  forge.create(CONTEXT, number, false, binary(bytes));

/** `[number] IMPLICIT` of an empty SET */
export const emptySet = (number: number): Asn1 => forge.create(CONTEXT, number, true, []);

/** Time: UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280, 4.1.2.5). */
export function time(date: Date): Asn1 {
  return date.getUTCFullYear() < 2050
    ? forge.create(UNIVERSAL, TAG.utcTime, false, forge.dateToUtcTime(date))
    : forge.create(UNIVERSAL, TAG.generalizedTime, false, forge.dateToGeneralizedTime(date));
}

export const encode = (value: Asn1): Buffer => Buffer.from(forge.toDer(value).getBytes(), 'latin1');

/** Decodes DER. @throws Error when the bytes are not one complete DER value, or contain more than `DER_VALUES` */
export function decode(der: Uint8Array): Asn1 {
  if (exceedsValues(der, DER_VALUES)) throw new Error(`has more than ${DER_VALUES} DER values`);
  return forge.fromDer(binary(der), { strict: true, decodeBitStrings: false });
}

/** Whether there are more values, of which it reads only the headers. */
function exceedsValues(der: Uint8Array, most: number): boolean {
  let count = 0;
  for (let at = 0; at < der.length && count <= most; count += 1) at = nextValue(der, at);
  return count > most;
}

const CONSTRUCTED = 0x20;
const LONG_LENGTH = 0x80;

/** Position of the first child of a constructed value, or of what follows a primitive one. */
function nextValue(der: Uint8Array, at: number): number {
  const [tag = 0, length = 0] = der.subarray(at, at + 2);
  const start = at + 2 + (length >= LONG_LENGTH ? length - LONG_LENGTH : 0);
  if ((tag & CONSTRUCTED) !== 0) return start;
  if (length < LONG_LENGTH) return start + length;
  return der.subarray(at + 2, start).reduce((size, byte) => size * 256 + byte, 0) + start;
}

/** Returns the child values of a constructed value, or an empty list for a primitive value. */
export const children = (value: Asn1 | undefined): readonly Asn1[] =>
  value === undefined || typeof value.value === 'string' ? [] : value.value;

/** Returns the content of a primitive value, or an empty buffer for a constructed value. */
export const contents = (value: Asn1 | undefined): Buffer =>
  Buffer.from(value === undefined || typeof value.value !== 'string' ? '' : value.value, 'latin1');

/** Returns the dotted form of an OBJECT IDENTIFIER, or an empty string for other types. */
export const dotted = (value: Asn1 | undefined): string =>
  value?.type === TAG.oid ? forge.derToOid(contents(value).toString('latin1')) : '';

/** Returns whether the value has the context-specific tag `[number]`. */
export const isContext = (value: Asn1, number: number): boolean =>
  value.tagClass === CONTEXT && value.type === number;
