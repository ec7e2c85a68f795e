/** Returns the largest of any number of values, at least `least`. `Math.max` fails with more arguments than fit on the stack. */
export const largestOf = (values: readonly number[], least: number): number =>
  values.reduce((largest, value) => Math.max(largest, value), least);
