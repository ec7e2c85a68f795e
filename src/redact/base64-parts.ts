/** Forms of a text within a longer one in base64. Pure. */

/** Parts of shorter texts occur in every text. In characters. */
const SHORTEST = 6;

/**
 * Returns what is the same in every base64 text that contains this text: one of three forms, depending on the number of
 * bytes before it, each in both alphabets.
 */
export function base64Parts(text: string): readonly string[] {
  if (text.length < SHORTEST) return [];
  const bytes = Buffer.from(text, 'utf8');
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    // Characters that depend on the bytes before and after the text are omitted.
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor((padded.length * 8) / 6);
    const part = padded.toString('base64').slice(start, end);
    return [part, part.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
