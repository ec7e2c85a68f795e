/** Values of `extraArgs`. */

/**
 * Splits the value of a flag. Each line is one value, so that a map can set a flag several times:
 * `service-account-issuer: "https://new\nhttps://old"`. No flag has a value of several lines.
 * @returns at least one value; an empty text is one empty value
 */
export function flagValues(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  return lines.length === 0 ? [''] : lines;
}

/** Entries of a flag whose value is a list, such as `enable-admission-plugins`. */
export const listEntries = (text: string): readonly string[] =>
  flagValues(text)
    .flatMap((value) => value.split(','))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Whether a Go program reads the text as false; undefined if it is no boolean. */
export function booleanOf(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  return /^(0|f|F|false|FALSE|False)$/.test(text) ? false : undefined;
}
