/** Output with `-o json` and `-o yaml`. */
import { Option } from 'commander';
import { dump } from 'js-yaml';

/** Formats for programs. */
export type StructuredFormat = 'json' | 'yaml';

/** The option `-o`. */
export const outputOption = (): Option =>
  new Option('-o, --output <format>', 'output format for programs').choices(['json', 'yaml']);

/** Formats a value. It must consist of JSON types. */
export function structured(value: unknown, format: StructuredFormat): string {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return format === 'json'
    ? `${JSON.stringify(plain, undefined, 4)}\n`
    : dump(plain, { lineWidth: -1, noRefs: true });
}
