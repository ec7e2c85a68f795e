/** Views of a text without its escapes: those of JSON and Go strings, and percent-encoding. Pure functions. */
import type { Span } from './exact-redaction.ts';

/** A decoded text. Each of its characters stands for a part of the original text. */
interface View {
  readonly text: string;
  /** By character, the part of the original text. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A message quotes an error that quotes a URL: three levels. */
const LEVELS = 3;

const BYTE = /(?:%|\\x)([\dA-Fa-f]{2})/g;
const ESCAPE =
  /((?:(?:%|\\x)[\dA-Fa-f]{2})+)|\\u([\dA-Fa-f]{4})|\\U([\dA-Fa-f]{8})|\\([abfnrtv"'\\/])/g;

const CONTROLS: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Returns the text, and the same decoded once, twice and three times, as long as it has escapes. */
export function decodedViews(text: string): readonly View[] {
  let last = original(text);
  const views = [last];
  while (views.length <= LEVELS && /[%\\]/.test(last.text)) {
    last = decoded(last);
    views.push(last);
  }
  return views;
}

/** Returns the part of the original text for a part of a view. */
export const originalSpan = ({ starts, ends }: View, { start, end }: Span): Span => ({
  start: starts[start] ?? 0,
  end: ends[end - 1] ?? 0,
});

function original(text: string): View {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  return { text, starts, ends: starts.map((index) => index + 1) };
}

/** Text that replaces an escape, and the length of the escape. */
interface Piece {
  readonly text: string;
  readonly length: number;
}

function decoded({ text, starts, ends }: View): View {
  const parts: string[] = [];
  const own: { readonly starts: number[]; readonly ends: number[] } = { starts: [], ends: [] };
  const add = (part: string, from: number, until: number): void => {
    parts.push(part);
    for (let index = 0; index < part.length; index += 1) {
      own.starts.push(starts[from] ?? 0);
      own.ends.push(ends[until - 1] ?? 0);
    }
  };
  let at = 0;
  for (const found of text.matchAll(ESCAPE)) {
    for (; at < found.index; at += 1) add(text.charAt(at), at, at + 1);
    for (const piece of piecesOf(found)) {
      add(piece.text, at, at + piece.length);
      at += piece.length;
    }
  }
  for (; at < text.length; at += 1) add(text.charAt(at), at, at + 1);
  return { text: parts.join(''), ...own };
}

function piecesOf([escape, bytes, short, long, sign = '']: RegExpMatchArray): readonly Piece[] {
  if (bytes !== undefined) return bytesIn(bytes);
  const { length } = escape;
  const hex = short ?? long;
  if (hex === undefined) return [{ text: CONTROLS[sign] ?? sign, length }];
  const code = Number.parseInt(hex, 16);
  // Half of a surrogate pair is one UTF-16 unit, as in a string of JavaScript.
  return [{ text: code > 0x10_ff_ff ? escape : String.fromCodePoint(code), length }];
}

/** Characters of bytes in UTF-8; a byte that is none stands for itself. */
function bytesIn(escapes: string): readonly Piece[] {
  const found = [...escapes.matchAll(BYTE)].map(([{ length }, hex = '']) => ({
    length,
    byte: Number.parseInt(hex, 16),
  }));
  const pieces: Piece[] = [];
  for (let at = 0; at < found.length;) {
    const first = found[at]?.byte ?? 0;
    const part = found.slice(at, at + widthOf(first));
    const text = Buffer.from(part.map(({ byte }) => byte)).toString('utf8');
    const isValid = !text.includes('\uFFFD');
    const used = isValid ? part : part.slice(0, 1);
    const length = used.reduce((sum, { length: one }) => sum + one, 0);
    pieces.push({ text: isValid ? text : String.fromCharCode(first), length });
    at += used.length;
  }
  return pieces;
}

/** Number of bytes of a character in UTF-8, from the first one. */
function widthOf(first: number): number {
  if (first < 0xc0) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
