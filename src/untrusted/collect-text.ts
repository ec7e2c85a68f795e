/** Collects a text that arrives in pieces. Needs as much memory as the text, however small the pieces are. */

import { StringDecoder } from 'node:string_decoder';

/** Pieces that are joined to one: an array entry of each byte would need eight times the text. */
const JOINED = 1_024;

export class TextCollector {
  #parts: string[] = [];
  #recent: string[] = [];

  add(piece: string): void {
    if (piece === '') return;
    this.#recent.push(piece);
    if (this.#recent.length < JOINED) return;
    this.#parts.push(this.#recent.join(''));
    this.#recent = [];
  }

  /** Returns the text, and starts a new one. */
  take(): string {
    const text = [...this.#parts, ...this.#recent].join('');
    this.#parts = [];
    this.#recent = [];
    return text;
  }
}

/**
 * Reads a stream of UTF-8 while its chunks are within limits.
 * @param excessOf returns what a chunk exceeds; the rest is not read then
 * @throws errors of the stream
 */
export async function textUnless<T>(
  chunks: AsyncIterable<Uint8Array>,
  excessOf: (chunk: Uint8Array) => T | undefined,
): Promise<{ readonly text: string } | { readonly excess: T }> {
  const decoder = new StringDecoder('utf8');
  const text = new TextCollector();
  for await (const chunk of chunks) {
    const excess = excessOf(chunk);
    if (excess !== undefined) return { excess };
    text.add(decoder.write(Buffer.from(chunk)));
  }
  return { text: text.take() + decoder.end() };
}

/**
 * Reads a stream of UTF-8.
 * @param most in bytes
 * @returns undefined if the stream has more; the rest is not read
 * @throws errors of the stream
 */
export async function textWithin(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
): Promise<string | undefined> {
  let size = 0;
  const read = await textUnless(chunks, (chunk) => {
    size += chunk.byteLength;
    return size > most ? true : undefined;
  });
  return 'text' in read ? read.text : undefined;
}
