/**
 * Shapes of parsed JSON: the type of each part on which code relies. An API server that is not trusted may send anything, and
 * `Buffer.from({ length: 1e9 })` or `'x'.repeat(1e9)` stop the operator for all. Pure.
 */
import { isObject } from '../objects/compare.ts';
import type { KubernetesObject } from '../objects/object.ts';

/**
 * Returns where the first part with another type is, such as `.spec.replicas`; empty for the value itself. An absent value has every
 * shape.
 */
export interface Shape<T> {
  (value: unknown): string | undefined;
  /** Whether a value of another type counts as absent: the API server accepts any. */
  readonly isUntyped?: true;
  /** Exists only as a type: what values of this shape are. */
  readonly of?: T;
}

/** Shape of a value that must not be absent. */
interface Needed<T> extends Shape<T> {
  readonly isNeeded: true;
}

/** Fields that an interface names, without those that an index signature allows. */
type Known<T> = { readonly [K in keyof T as string extends K ? never : K]: T[K] };

/** A shape for each field that an interface names. One that is added to the interface needs a shape, too. */
export type Fields<T> = {
  readonly [K in keyof Known<T>]-?: object extends Pick<Known<T>, K>
    ? Shape<NonNullable<Known<T>[K]>>
    : Needed<Known<T>[K]>;
};

const isAbsent = (value: unknown): value is undefined | null =>
  value === undefined || value === null;

const whereNot =
  <T>(isOf: (value: unknown) => boolean): Shape<T> =>
  (value) =>
    isAbsent(value) || isOf(value) ? undefined : '';

/** A text that meets a condition. */
export const textThat = (isValid: (value: string) => boolean): Shape<string> =>
  whereNot((value) => typeof value === 'string' && isValid(value));

export const text: Shape<string> = textThat(() => true);

export const amount: Shape<number> = whereNot((value) => typeof value === 'number');

export const flag: Shape<boolean> = whereNot((value) => typeof value === 'boolean');

/** A port, or a quantity. */
export const textOrNumber: Shape<string | number> = whereNot(
  (value) => typeof value === 'string' || typeof value === 'number',
);

/** An object whose fields no code relies on. */
export const record: Shape<Readonly<Record<string, unknown>>> = whereNot(isObject);

/** The same shape, of a value that must not be absent. */
export const needed = <T>(shape: Shape<T>): Needed<T> =>
  Object.assign((value: unknown) => (isAbsent(value) ? '' : shape(value)), {
    isNeeded: true,
  } as const);

/** The same shape, of a field whose values the API server does not check. */
export const untyped = <T>(shape: Shape<T>): Shape<T> =>
  Object.assign((value: unknown) => shape(value), { isUntyped: true } as const);

/** Keys are foreign, too: only short and plain ones become part of a message. */
const at = (key: string): string => `[${/^[-.\w/]{1,253}$/.test(key) ? key : '…'}]`;

/** A list whose items have a shape, and are not absent. */
export const listOf = <T>(shape: Shape<T>): Shape<readonly T[]> => {
  const item = needed(shape);
  return (value) => {
    if (isAbsent(value)) return undefined;
    if (!Array.isArray(value)) return '';
    for (const [index, one] of value.entries()) {
      const fault = item(one);
      if (fault !== undefined) return `[${String(index)}]${fault}`;
    }
    return undefined;
  };
};

/** An object with any keys, whose values have a shape. Removes those that are null, as `fieldsOf` does. */
export const mapOf =
  <T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> =>
  (value) => {
    if (isAbsent(value)) return undefined;
    if (!isObject(value)) return '';
    for (const [key, one] of Object.entries(value)) {
      if (one === null) Reflect.deleteProperty(value, key);
      const fault = item(one);
      if (fault !== undefined) return at(key) + fault;
    }
    return undefined;
  };

/** Texts by key. */
export const texts: Shape<Readonly<Record<string, string>>> = mapOf(text);

/**
 * An object with these fields and any others. Removes fields that are null, which means absent in the Kubernetes API: Go writes empty
 * lists and times as null.
 */
export function fieldsOf<T>(shapes: Fields<T>): Shape<T> {
  const entries = Object.entries<Shape<unknown>>(shapes);
  return (value) => {
    if (isAbsent(value)) return undefined;
    if (!isObject(value)) return '';
    for (const [name, shape] of entries) {
      if (value[name] === null) Reflect.deleteProperty(value, name);
      const fault = shape(value[name]);
      if (fault !== undefined && shape.isUntyped !== true) return `.${name}${fault}`;
      if (fault !== undefined) Reflect.deleteProperty(value, name);
    }
    return undefined;
  };
}

/** Shape of the objects of a kind: of the fields that it has besides those of all kinds. */
export type ObjectShape<T extends KubernetesObject> = Shape<Omit<Known<T>, keyof Common>>;

/** Fields of all kinds. checked-response.ts checks them. */
type Common = Pick<KubernetesObject, 'apiVersion' | 'kind' | 'metadata'>;

/** Whether a kind declares fields besides those of all kinds. */
export type HasFields<T extends KubernetesObject> = [
  Exclude<keyof Known<T>, keyof Common>,
] extends [never]
  ? false
  : true;

/** An object of a kind. */
export const objectWith = <T extends KubernetesObject>(
  shapes: Fields<Omit<Known<T>, keyof Common>>,
): ObjectShape<T> => fieldsOf(shapes);
