/** Quantities of Kubernetes, such as `500m` and `1Gi`. Pure. */

/** Units of the results: a quantity of 1. */
export const NANO = 1_000_000_000n;

const SUFFIX: Readonly<Record<string, readonly [bigint, bigint]>> = {
  n: [1n, 1_000_000_000n],
  u: [1n, 1_000_000n],
  m: [1n, 1_000n],
  '': [1n, 1n],
  k: [1_000n, 1n],
  M: [1_000_000n, 1n],
  G: [1_000_000_000n, 1n],
  T: [1_000_000_000_000n, 1n],
  P: [1_000_000_000_000_000n, 1n],
  E: [1_000_000_000_000_000_000n, 1n],
  Ki: [1n << 10n, 1n],
  Mi: [1n << 20n, 1n],
  Gi: [1n << 30n, 1n],
  Ti: [1n << 40n, 1n],
  Pi: [1n << 50n, 1n],
  Ei: [1n << 60n, 1n],
};

/** Characters of a quantity. A host cluster may report any text, and the time of BigInt grows faster than its length. */
const MAX_QUANTITY_LENGTH = 64;
const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?$/;

/**
 * Parses a quantity to an integer in units of 10^-9, rounded up as in the API server; undefined if it is invalid or has more than 64
 * characters.
 */
export function parseQuantity(value: unknown): bigint | undefined {
  const match = QUANTITY.exec(quantityText(value));
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0', suffix = ''] = match;
  const [factor, parts] = SUFFIX[suffix] ?? [1n, 1n];
  if (whole + fraction === '') return undefined;
  const power = 9 - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction) * factor * 10n ** BigInt(Math.max(power, 0));
  const divisor = parts * 10n ** BigInt(Math.max(-power, 0));
  const size = (digits + divisor - 1n) / divisor;
  return sign === '-' ? -size : size;
}

/** Whether a quantity in units of 10^-9 is a whole number. */
export const isWhole = (size: bigint): boolean => size % NANO === 0n;

/** The text of a value that may be a quantity; empty if it is none. */
function quantityText(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return text.length > MAX_QUANTITY_LENGTH ? '' : text;
}
