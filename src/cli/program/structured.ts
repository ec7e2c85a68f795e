/** Output with `-o json` and `-o yaml`. */
import { Option } from 'commander';
import { dump } from 'js-yaml';
import { escapedJson, printableLines } from './text.ts';

/** Formats for programs. */
export type StructuredFormat = 'json' | 'yaml';

/** The option `-o`. */
export const outputOption = (): Option =>
  new Option('-o, --output <format>', 'output format for programs').choices(['json', 'yaml']);

/**
 * Formats a value, without characters that a terminal interprets: they are escaped. Of them, YAML does not escape those that change the
 * direction of a text, so such a value is formatted as JSON, which is YAML too.
 * @param value must consist of JSON types
 */
export function structured(value: unknown, format: StructuredFormat): string {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  const yaml = format === 'yaml' ? dump(plain, { lineWidth: -1, noRefs: true }) : undefined;
  return yaml !== undefined && printableLines(yaml, false) === yaml
    ? yaml
    : `${escapedJson(JSON.stringify(plain, undefined, 4))}\n`;
}
