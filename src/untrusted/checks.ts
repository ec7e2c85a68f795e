/** Checks of parsed JSON and YAML: type guards, of which those of objects and lists are composed. Pure. */

/** Whether a parsed value has a type. */
export type Check<T> = (value: unknown) => value is T;

/** Type of the objects whose fields pass the checks. */
type Checked<C> = {
  readonly [Name in keyof C]: C[Name] extends Check<infer T> ? T : never;
};

export const isText: Check<string> = (value) => typeof value === 'string';

export const isFlag: Check<boolean> = (value) => typeof value === 'boolean';

/** A text that matches a pattern. */
export const matching =
  (pattern: RegExp): Check<string> =>
  (value): value is string =>
    isText(value) && pattern.test(value);

/** One of some texts. */
export const oneOf =
  <const T extends string>(texts: readonly T[]): Check<T> =>
  (value): value is T =>
    texts.some((text) => text === value);

/** A field that may be absent. */
export const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || check(value);

/** An object whose own fields pass the checks. It may have further fields, which later versions add. */
export const fields =
  <C extends Readonly<Record<string, Check<unknown>>>>(checks: C): Check<Checked<C>> =>
  (value): value is Checked<C> =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(checks).every(([name, check]) =>
      check(Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined),
    );

/** A list of values that pass the check. */
export const listOf =
  <T>(
    check: Check<T>,
    { least = 0, most = Infinity }: { readonly least?: number; readonly most?: number } = {},
  ): Check<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.length >= least && value.length <= most && value.every(check);
