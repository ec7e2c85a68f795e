/** YAML files as kubectl takes them, with anchors, aliases and merge keys, and bounded: pure. */
import { CORE_SCHEMA, loadAll, mergeTag } from 'js-yaml';

/** Aliases of one document, and values that all documents of a file hold once aliases are resolved. */
const MAX_ALIASES = 1_000;
const MAX_VALUES = 100_000;

const SCHEMA = CORE_SCHEMA.withTags(mergeTag);

/**
 * @param file name of the file, for messages
 * @returns the documents as plain trees: no value is in two places, so that what reads them meets no tree without end
 * @throws Error that names the file and what is wrong
 */
export function readYaml(text: string, file: string): readonly unknown[] {
  let documents: readonly unknown[];
  try {
    documents = loadAll(text, { schema: SCHEMA, maxAliases: MAX_ALIASES });
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const left = { values: MAX_VALUES };
  return documents.map((document) => resolved(document, { file, left, above: [] }));
}

interface Walk {
  readonly file: string;
  readonly left: { values: number };
  /** Lists and mappings that the value is in. */
  readonly above: readonly object[];
}

function resolved(value: unknown, walk: Walk): unknown {
  const { file, left, above } = walk;
  left.values -= 1;
  if (left.values < 0)
    throw new Error(`${file}: more than ${MAX_VALUES} values once its aliases are resolved`);
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value)) throw new Error(`${file}: an alias is inside of what it stands for`);
  const inside = { file, left, above: [...above, value] };
  if (Array.isArray(value)) return value.map((item) => resolved(item, inside));
  const entries = Object.entries(value).map(([key, item]) => [key, resolved(item, inside)]);
  return Object.fromEntries(entries) as unknown;
}
