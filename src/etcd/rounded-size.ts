/** Rounds sizes of databases, so that a growing database does not change the status all the time. Pure. */

const MEBIBYTE = 1_048_576;

/** Smallest step in MiB. Larger sizes are rounded up to eighths of a power of two. */
const STEP_MIB = 8;

/**
 * Rounds a size up, such as to `16Mi`.
 * @param bytes in decimal
 */
export function roundedSize(bytes: string): string {
  const mebibytes = Number(bytes) / MEBIBYTE;
  const step = Math.max(STEP_MIB, 2 ** (Math.floor(Math.log2(Math.max(mebibytes, 1))) - 3));
  return `${String(Math.ceil(mebibytes / step) * step)}Mi`;
}
