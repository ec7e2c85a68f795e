/** Conversion of Kubernetes resource quantities to numbers. */

const QUANTITY =
  /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<part>\d*))?(?<unit>[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,2})?$/;
const NANO = 10n ** 9n;
/** Exponents of ten for decimal suffixes. */
const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY = 'KMGTPE';

/**
 * Converts a quantity such as `500m`, `2Gi` or `1e3` to billionths (nano units), rounded up as in Kubernetes.
 * @returns undefined if the text is not a quantity
 */
export function billionths(quantity: string): bigint | undefined {
  const groups = QUANTITY.exec(quantity)?.groups ?? {};
  const { sign, whole = '', part = '', unit = '' } = groups;
  if (whole + part === '') return undefined;
  const digits = BigInt(whole + part) * NANO * 1024n ** binaryPower(unit);
  const value = shifted(digits, decimalPower(unit) - part.length);
  return sign === '-' ? -value : value;
}

function binaryPower(unit: string): bigint {
  return unit.endsWith('i') ? BigInt(BINARY.indexOf(unit.charAt(0)) + 1) : 0n;
}

function decimalPower(unit: string): number {
  if (unit.endsWith('i')) return 0;
  return /^[eE]./.test(unit) ? Number(unit.slice(1)) : (DECIMAL[unit] ?? 0);
}

/** Multiplies by a power of ten and rounds up. */
function shifted(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const by = 10n ** BigInt(-power);
  return (value + by - 1n) / by;
}

/** Whether a quantity in billionths is a whole number. */
export function isWhole(value: bigint): boolean {
  return value % NANO === 0n;
}
