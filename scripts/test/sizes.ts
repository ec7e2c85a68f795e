/**
 * Sizes of test suites. A suite declares its size in its own file, and no time of a run is stored. The names are those
 * of Bazel.
 */

/** Size of a suite: an upper bound of its duration on two cores with warm caches, while another suite runs. */
export type Size = 'small' | 'medium' | 'large' | 'enormous';

interface SizeSeconds {
  /** Upper bound. */
  readonly limit: number;
  /** Seconds that a plan counts for a suite: about the mean of all suites of the size. */
  readonly planned: number;
}

export const SIZES: Readonly<Record<Size, SizeSeconds>> = {
  small: { limit: 60, planned: 30 },
  medium: { limit: 300, planned: 160 },
  large: { limit: 900, planned: 420 },
  enormous: { limit: 3_600, planned: 1_800 },
};

/** Returns true if the text is the name of a size. */
export const isSize = (text: unknown): text is Size =>
  typeof text === 'string' && Object.hasOwn(SIZES, text);
