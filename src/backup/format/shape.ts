/** Checks of parsed JSON from a store or a Pod, whose writer may not be the operator: pure. */

export type Check = (value: unknown) => boolean;

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);

export const IDENTIFIER = matches(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/);
export const VERSION = matches(/^[A-Za-z0-9][A-Za-z0-9.+-]{0,99}$/);
export const TIME = matches(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/);
const ETCD_ID = matches(/^[0-9a-f]{1,16}$/);
const DECIMAL = matches(/^(0|[1-9]\d{0,19})$/);
/** Revision of the last compaction; etcd reports -1 before the first one. */
const COMPACT_REVISION = matches(/^(-1|0|[1-9]\d{0,18})$/);
export const DIGEST = matches(/^[0-9a-f]{64}$/);
export const KEY_ID = matches(/^\.?[-_A-Za-z0-9][-._A-Za-z0-9]{0,251}$/);
export const SIZE: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** An object whose own fields pass the checks. It may have further fields, which later versions add. */
export const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(checks).every(([name, check]) =>
      check(Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined),
    );

export const listOf =
  (check: Check, { least, most }: { readonly least: number; readonly most: number }): Check =>
  (value) =>
    Array.isArray(value) && value.length >= least && value.length <= most && value.every(check);

/** State of etcd in a manifest, and in the result of a Pod. */
export const ETCD = fields({
  version: VERSION,
  clusterID: ETCD_ID,
  memberID: ETCD_ID,
  revision: DECIMAL,
  keys: DECIMAL,
  hashes: listOf(fields({ hash: DECIMAL, compactRevision: COMPACT_REVISION }), {
    least: 1,
    most: 2,
  }),
});
