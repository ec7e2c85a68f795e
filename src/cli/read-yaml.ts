/** Parses YAML files as kubectl does, with anchors, aliases and merge keys, and with size limits (pure function). */
import { CORE_SCHEMA, loadAll, mergeTag, YAMLException } from 'js-yaml';
import { errorText } from '../kubernetes/client/errors.ts';

/** Limits: aliases per document, and values of all documents of a file after alias resolution. */
const MAX_ALIASES = 1_000;
const MAX_VALUES = 100_000;

const SCHEMA = CORE_SCHEMA.withTags(mergeTag);

/**
 * Parses all documents of a YAML file.
 * @param file file name for messages
 * @returns the documents as plain trees without shared values, so that consumers meet no cycles
 * @throws Error with the file name, the line and column if they are known, and the cause
 */
export function readYaml(text: string, file: string): readonly unknown[] {
  let documents: readonly unknown[];
  try {
    documents = loadAll(text, { schema: SCHEMA, maxAliases: MAX_ALIASES });
  } catch (error) {
    throw new Error(syntaxError(file, error));
  }
  const left = { values: MAX_VALUES };
  return documents.map((document) => resolved(document, { file, left, above: [] }));
}

/** One line; the message of the library quotes several lines of the file. */
function syntaxError(file: string, error: unknown): string {
  if (!(error instanceof YAMLException)) return `${file}: ${errorText(error)}`;
  const { reason, mark } = error;
  return mark === undefined
    ? `${file}: cannot be parsed as YAML: ${reason}`
    : `${file}:${mark.line + 1}:${mark.column + 1}: cannot be parsed as YAML: ${reason}`;
}

interface Walk {
  readonly file: string;
  readonly left: { values: number };
  /** Lists and mappings that contain the value. */
  readonly above: readonly object[];
}

function resolved(value: unknown, walk: Walk): unknown {
  const { file, left, above } = walk;
  left.values -= 1;
  if (left.values < 0)
    throw new Error(`${file}: more than ${MAX_VALUES} values after alias resolution`);
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value)) throw new Error(`${file}: an alias is inside its own anchor`);
  const inside = { file, left, above: [...above, value] };
  if (Array.isArray(value)) return value.map((item) => resolved(item, inside));
  const entries = Object.entries(value).map(([key, item]) => [key, resolved(item, inside)]);
  return Object.fromEntries(entries);
}
