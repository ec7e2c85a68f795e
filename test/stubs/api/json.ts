/** Values of JSON, and patches. Pure functions. */
import { isDeepStrictEqual } from 'node:util';
import { badRequest, StatusError } from './errors.ts';

export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isEqual = isDeepStrictEqual;

/** An object without some fields. */
export const omit = (object: object, ...keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

/** Applies a JSON merge patch (RFC 7386). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

interface Operation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

const failed = (text: string): StatusError =>
  new StatusError(
    422,
    'Invalid',
    `the server rejected our request due to an error in our request: ${text}`,
  );

/** Applies a JSON patch (RFC 6902) with add, remove, replace and test. @throws StatusError */
export function jsonPatch(target: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw badRequest('a JSON patch is a list');
  return (operations as readonly Operation[]).reduce((document, operation) => {
    const steps = operation.path.split('/').slice(1).map(unescaped);
    return at(document, steps, operation);
  }, target);
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

function at(value: unknown, steps: readonly string[], operation: Operation): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return change(value, operation);
  if (Array.isArray(value)) return atIndex(value as readonly unknown[], steps, operation);
  if (!isRecord(value)) throw failed(`no parent of ${operation.path}`);
  const { op, path } = operation;
  if (op !== 'add' && value[step] === undefined) throw failed(`no value at ${path}`);
  if (rest.length === 0 && op === 'remove') {
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step));
  }
  return { ...value, [step]: at(value[step], rest, operation) };
}

function atIndex(
  list: readonly unknown[],
  steps: readonly string[],
  operation: Operation,
): unknown {
  const [step = '', ...rest] = steps;
  const index = step === '-' ? list.length : Number(step);
  const { op, path, value } = operation;
  if (rest.length === 0 && op === 'add') return list.toSpliced(index, 0, value);
  if (list[index] === undefined) throw failed(`no value at ${path}`);
  if (rest.length === 0 && op === 'remove') return list.toSpliced(index, 1);
  return list.with(index, at(list[index], rest, operation));
}

function change(present: unknown, { op, path, value }: Operation): unknown {
  if (op === 'test') {
    if (!isEqual(present, value)) throw failed(`test of ${path} failed`);
    return present;
  }
  return value;
}
