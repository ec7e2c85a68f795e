/**
 * Record of the reissues that users have requested, a value of the CA backup Secret: pure. The operator stores it before it
 * writes the new certificates. It names the certificates that must be replaced by their fingerprints, so that what a crash
 * or a restored Secret leaves of them is replaced, and what was replaced is not replaced again.
 */
import { isObject } from '../kubernetes/objects/compare.ts';
import { optionalField } from '../kubernetes/objects/records.ts';
import { parseTime } from '../kubernetes/time/time.ts';
import { parseJsonWithin } from '../untrusted/documents.ts';
import { LEAVES } from './inventory.ts';
import { MAX_ROTATE_LENGTH } from './rotate-request.ts';
import type { LeafName } from './types.ts';

/** Key of the Secret `N(ca-backup)`. */
export const REISSUE_KEY = 'reissues.json';

/** Last requested reissue of one certificate. Fingerprints are SHA-256, hex. */
export interface Reissue {
  /** Certificate that must be replaced. */
  readonly from: string;
  /** Certificate that was issued in its place; absent while nothing was. */
  readonly to?: string;
  /** Value of the annotation. */
  readonly request: string;
  /** When the operator accepted the request, RFC 3339. */
  readonly at: string;
}

export interface ReissueRecord {
  /** Executed values of the annotation, the newest last. Each is executed once. */
  readonly executed: readonly string[];
  readonly leaves: Readonly<Partial<Record<LeafName, Reissue>>>;
}

export const NO_REISSUES: ReissueRecord = { executed: [], leaves: {} };

/** Maximum number of executed values. Older ones are forgotten, so that the Secret stays small. */
export const MAX_EXECUTED = 32;

/** The largest record that the operator writes has about 14 KiB. */
export const REISSUE_LIMITS = { size: 24 * 1_024, values: 300 } as const;

const HASH = /^[0-9a-f]{64}$/;

/** Formats a record. Equal records have equal texts. */
export const formatReissues = ({ executed, leaves }: ReissueRecord): string =>
  JSON.stringify({
    executed,
    leaves: Object.fromEntries(
      LEAVES.flatMap(({ name }) => {
        const leaf = leaves[name];
        if (leaf === undefined) return [];
        const { from, to, request, at } = leaf;
        return [[name, { from, ...optionalField('to', to), request, at }]];
      }),
    ),
  });

/**
 * Parses a record. Whoever may write the Secret may have changed it, so nothing of it is used unless all of it is valid.
 * @returns undefined for any other text
 */
export function parseReissues(text: string): ReissueRecord | undefined {
  const json = jsonIn(text);
  if (!hasOnly(json, ['executed', 'leaves'])) return undefined;
  const { executed, leaves } = json;
  if (!Array.isArray(executed) || executed.length > MAX_EXECUTED) return undefined;
  const values = executed.filter(isValue);
  const found = leavesIn(leaves);
  return values.length < executed.length || found === undefined
    ? undefined
    : { executed: values, leaves: found };
}

function jsonIn(text: string): unknown {
  try {
    return parseJsonWithin(text, REISSUE_LIMITS);
  } catch {
    return undefined;
  }
}

function leavesIn(json: unknown): ReissueRecord['leaves'] | undefined {
  const names = LEAVES.map(({ name }) => name);
  if (!hasOnly(json, names)) return undefined;
  const leaves: Partial<Record<LeafName, Reissue>> = {};
  for (const name of names) {
    if (!(name in json)) continue;
    const leaf = leafIn(json[name]);
    if (leaf === undefined) return undefined;
    leaves[name] = leaf;
  }
  return leaves;
}

function leafIn(json: unknown): Reissue | undefined {
  if (!hasOnly(json, ['from', 'to', 'request', 'at'])) return undefined;
  const { from, to, request, at } = json;
  if (!isHash(from) || !(to === undefined || isHash(to)) || !isValue(request)) return undefined;
  return typeof at === 'string' && !Number.isNaN(parseTime(at))
    ? { from, ...optionalField('to', to), request, at }
    : undefined;
}

/** Whether a value is an object without other fields. A field of a later version has a meaning that is unknown. */
const hasOnly = (json: unknown, fields: readonly string[]): json is Record<string, unknown> =>
  isObject(json) && Object.keys(json).every((name) => fields.includes(name));

const isHash = (value: unknown): value is string => typeof value === 'string' && HASH.test(value);

const isValue = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ROTATE_LENGTH;
