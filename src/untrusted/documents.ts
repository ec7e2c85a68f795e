/** Parses JSON and YAML within limits for the size and the number of values, so that a small text needs little memory. */
import { load } from 'js-yaml';
import { JsonStructure } from './json-structure.ts';
import { checkSize, JSON_DEPTH, UntrustedLimitError, UNTRUSTED_VALUES } from './limits.ts';

/** Limits of one document. */
export interface DocumentLimits {
  /** Characters of the text. */
  readonly size: number;
  /** About the number of members and items. Defaults to `UNTRUSTED_VALUES`. */
  readonly values?: number;
}

/** Nesting levels of YAML. A CRD of a Karmada release has about 60. */
export const YAML_DEPTH = 100;

/**
 * Parses JSON.
 * @throws UntrustedLimitError above a limit, SyntaxError for other text; its message may quote the text
 */
export function parseJsonWithin(text: string, { size, values }: DocumentLimits): unknown {
  checkSize(text, size);
  const structure = new JsonStructure();
  structure.add(Buffer.from(text));
  checkValues(structure.values, values);
  if (structure.depth > JSON_DEPTH)
    throw new UntrustedLimitError(`is nested more than ${JSON_DEPTH} levels deep`);
  return JSON.parse(text);
}

/**
 * Parses one YAML document without aliases, which would expand a small text to a huge tree.
 * @throws UntrustedLimitError above a limit, YAMLException for other text; its message quotes the text
 */
export function parseYamlWithin(text: string, { size, values }: DocumentLimits): unknown {
  checkSize(text, size);
  checkValues(yamlValuesIn(text), values);
  return load(text, { maxAliases: 0, maxDepth: YAML_DEPTH });
}

/** Copies a parsed tree. The strings of a parser are slices that keep the complete text in memory. */
export const detached = (tree: unknown): unknown => JSON.parse(JSON.stringify(tree ?? null));

function checkValues(found: number, most = UNTRUSTED_VALUES): void {
  if (found > most) throw new UntrustedLimitError(`has more than ${most} values`);
}

const codes = (characters: string): ReadonlySet<number> =>
  new Set(Array.from(characters, (character) => character.charCodeAt(0)));
const SEPARATORS = codes(',[{\n\r');
const INDICATORS = codes('-?:');
const BLANK = codes(' \t\n\r');

/**
 * Returns after how many characters of a YAML text a value or a member may follow, without parsing it: separators, line breaks,
 * and indicators with a space. Counts them in strings too.
 */
export function yamlValuesIn(text: string): number {
  let count = 1;
  for (let at = 0; at < text.length; at += 1) {
    const found = text.charCodeAt(at);
    if (SEPARATORS.has(found)) count += 1;
    else if (INDICATORS.has(found) && BLANK.has(text.charCodeAt(at + 1))) count += 1;
  }
  return count;
}
