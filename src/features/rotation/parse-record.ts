/**
 * Parses the record of rotations: pure. Whoever may write the CA backup Secret may have changed it, so nothing of it is
 * used unless all of it is valid. A field of a later version of the operator is a fault too: its meaning is unknown.
 */
import { isObject } from '../../kubernetes/objects/compare.ts';
import { keysOf, optionalField } from '../../kubernetes/objects/records.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UntrustedLimitError } from '../../untrusted/limits.ts';
import { authorityNamed, ROTATION_AUTHORITIES, ROTATION_PHASES } from './authority.ts';
import {
  EMPTY_RECORD,
  MAX_EXECUTED,
  type Publication,
  type Rotation,
  type RotationRecord,
} from './record.ts';

/** The largest record that the operator writes has about 8 KiB. */
export const RECORD_LIMITS = { size: 16 * 1_024, values: 200 } as const;

/** Maximum length of an executed request. */
export const MAX_REQUEST_LENGTH = 160;

/** Why the record is not valid: a clause that follows the name of the annotation. */
export interface RecordFault {
  readonly fault: string;
}

/** Parses the value of the annotation. A missing annotation is an empty record. */
export function parseRecord(text: string | undefined): RotationRecord | RecordFault {
  if (text === undefined) return EMPTY_RECORD;
  const value = jsonIn(text);
  if ('fault' in value) return value;
  return recordIn(value.json);
}

function jsonIn(text: string): { readonly json: unknown } | RecordFault {
  try {
    return { json: parseJsonWithin(text, RECORD_LIMITS) };
  } catch (error) {
    // The message of a syntax error quotes the text.
    return { fault: error instanceof UntrustedLimitError ? error.message : 'is not JSON' };
  }
}

function recordIn(json: unknown): RotationRecord | RecordFault {
  const fields = { rotations: true, published: true, executed: true };
  const fault = fieldsFault(json, fields);
  if (!isObject(json) || fault !== undefined) return { fault: fault ?? 'is not an object' };
  const rotations = listIn(json, 'rotations', rotationIn, ROTATION_AUTHORITIES.length);
  if ('fault' in rotations) return rotations;
  const published = listIn(json, 'published', publicationIn, ROTATION_AUTHORITIES.length);
  if ('fault' in published) return published;
  const executed = listIn(json, 'executed', requestIn, MAX_EXECUTED);
  if ('fault' in executed) return executed;
  return { rotations: rotations.items, published: published.items, executed: executed.items };
}

type Read<T> = (value: unknown) => { readonly item: T; readonly key: string } | string;

/** Reads a list without duplicates. */
function listIn<T>(
  json: Record<string, unknown>,
  field: string,
  read: Read<T>,
  most: number,
): { readonly items: readonly T[] } | RecordFault {
  const list = json[field];
  if (!Array.isArray(list) || list.length > most)
    return { fault: `${field} is not a list of at most ${String(most)}` };
  const [items, keys] = [new Array<T>(), new Set<string>()];
  for (const [index, value] of list.entries()) {
    const found = read(value);
    const fault = typeof found === 'string' ? found : keys.has(found.key) && 'is a duplicate';
    if (fault !== false) return { fault: `${field}[${String(index)}] ${fault}` };
    if (typeof found === 'string') continue;
    keys.add(found.key);
    items.push(found.item);
  }
  return { items };
}

/** Returns why a value does not have exactly these fields. @param fields whether a field is required */
function fieldsFault(
  value: unknown,
  fields: Readonly<Record<string, boolean>>,
): string | undefined {
  if (!isObject(value)) return 'is not an object';
  if (Object.keys(value).some((name) => !Object.hasOwn(fields, name)))
    return 'has a field that this version of the operator does not know';
  const missing = Object.keys(fields).find((name) => fields[name] === true && !(name in value));
  return missing && `has no field ${missing}`;
}

const HASH = /^[0-9a-f]{64}$/;
const hashIn = (value: unknown): string | undefined =>
  typeof value === 'string' && HASH.test(value) ? value : undefined;

/** Reads a time as the operator writes it, so that formatting it returns the same text. */
function timeIn(value: unknown): number | undefined {
  const time = parseTime(value);
  return Number.isNaN(time) || new Date(time).toISOString() !== value ? undefined : time;
}

const ROTATION_FIELDS = {
  ...{ authority: true, phase: true, since: true, from: true, to: true },
  ...{ next: false, writtenAt: false, returns: false, switchedAt: false, used: false },
  ...{ completion: false, custom: false },
};

const rotationIn: Read<Rotation> = (value) => {
  const fault = fieldsFault(value, ROTATION_FIELDS);
  if (!isObject(value) || fault !== undefined) return fault ?? '';
  const core = coreIn(value);
  if (typeof core === 'string') return core;
  const rest = restIn(value, core);
  return typeof rest === 'string' ? rest : { item: { ...core, ...rest }, key: core.authority };
};

type Core = Pick<Rotation, 'authority' | 'phase' | 'since' | 'from' | 'to'>;

function coreIn(value: Record<string, unknown>): Core | string {
  const authority = authorityNamed(value['authority']);
  const phase = ROTATION_PHASES.find((one) => one === value['phase']);
  const since = timeIn(value['since']);
  const [from, to] = [hashIn(value['from']), hashIn(value['to'])];
  if (authority === undefined) return `has no CA or key of ${ROTATION_AUTHORITIES.join(', ')}`;
  if (phase === undefined) return `has no phase of ${ROTATION_PHASES.join(', ')}`;
  if (since === undefined) return 'has no time in since';
  if (from === undefined || to === undefined || from === to)
    return 'has no two different SHA-256 fingerprints in from and to';
  return { authority, phase, since, from, to };
}

type Rest = Pick<
  Rotation,
  'next' | 'writtenAt' | 'returns' | 'switchedAt' | 'used' | 'completion' | 'custom'
>;

const COMPLETIONS = ['awaited', 'confirmed'] as const;

/** Optional fields: whether a value that is present has a meaning, and otherwise a clause. */
const OPTIONAL: Readonly<
  Record<keyof Rest, readonly [(value: unknown, core: Core) => boolean, string]>
> = {
  next: [
    (value, { from, to }) => hashIn(value) !== undefined && value !== from && value !== to,
    'has no third SHA-256 fingerprint in next',
  ],
  writtenAt: [(value) => timeIn(value) !== undefined, 'has no time in writtenAt'],
  completion: [
    (value) => completionIn(value) !== undefined,
    `has no completion of ${COMPLETIONS.join(', ')}`,
  ],
  returns: [
    (value, { phase }) => value === true && phase === 'Preparing',
    'has returns other than true in the phase Preparing',
  ],
  switchedAt: [
    (value, { phase }) => timeIn(value) !== undefined && phase === 'Preparing',
    'has no time of the phase Preparing in switchedAt',
  ],
  used: [
    (value, { phase }) => value === true && (phase === 'Overlap' || phase === 'Completing'),
    'has used other than true in the phases Overlap and Completing',
  ],
  custom: [
    (value, { authority }) => value === true && authority === 'ca',
    'has custom other than true for ca',
  ],
};

/** A custom CA has no successor, and another one always has. */
const lacksNext = ({ phase }: Core, { next, custom }: Record<string, unknown>): boolean =>
  phase === 'Completing' && next === undefined && custom === undefined;

const completionIn = (value: unknown): Rest['completion'] =>
  COMPLETIONS.find((one) => one === value);

function restIn(value: Record<string, unknown>, core: Core): Rest | string {
  const wrong = keysOf(OPTIONAL).find(
    (name) => name in value && !OPTIONAL[name][0](value[name], core),
  );
  if (wrong !== undefined) return OPTIONAL[wrong][1];
  if (lacksNext(core, value)) return 'has no next, as Completing needs';
  return {
    ...optionalField('next', hashIn(value['next'])),
    ...optionalField('writtenAt', timeIn(value['writtenAt'])),
    ...optionalField('switchedAt', timeIn(value['switchedAt'])),
    ...optionalField('completion', completionIn(value['completion'])),
    ...(value['returns'] === true && { returns: true }),
    ...(value['used'] === true && { used: true }),
    ...(value['custom'] === true && { custom: true }),
  };
}

const publicationIn: Read<Publication> = (value) => {
  const fault = fieldsFault(value, { authority: true, root: true, at: true });
  if (!isObject(value) || fault !== undefined) return fault ?? '';
  const authority = authorityNamed(value['authority']);
  const [root, at] = [hashIn(value['root']), timeIn(value['at'])];
  if (authority === undefined || root === undefined || at === undefined)
    return 'has no CA or key, SHA-256 fingerprint and time';
  return { item: { authority, root, at }, key: authority };
};

const requestIn: Read<string> = (value) =>
  typeof value === 'string' && value !== '' && value.length <= MAX_REQUEST_LENGTH
    ? { item: value, key: value }
    : 'is not a request';
