/**
 * Serializes JSON that is also YAML with the same value. The API server decodes the body of a server-side apply as
 * YAML. YAML treats some characters as line breaks (U+0085, U+2028, U+2029) and rejects others (U+007F, C1 controls,
 * U+FEFF). Therefore all non-ASCII characters are escaped, except surrogate pairs: YAML accepts the character itself,
 * but has no escape for half of a pair.
 * @param value any JSON value
 */
export function jsonForYaml(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\ud7ff\ue000-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
