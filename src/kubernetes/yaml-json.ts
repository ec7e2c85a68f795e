/**
 * JSON that is YAML too, and the same there. Server-side apply is decoded as YAML, which takes some characters
 * for line ends (U+0085, U+2028, U+2029: they would become spaces, or end a key) and refuses others (U+007F, C1
 * controls, U+FEFF). So what is beyond ASCII is escaped, but for the pairs that stand for one character: YAML
 * knows no escapes for halves of it, and takes the whole as it is.
 * @param value what JSON can hold
 */
export function jsonForYaml(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\ud7ff\ue000-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
