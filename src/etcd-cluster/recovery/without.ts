/** Returns a copy of a value without one field. */
export function without<T extends object, K extends keyof T & string>(
  value: T,
  field: K,
): Omit<T, K> {
  const kept = Object.entries(value).filter(([name]) => name !== field);
  return Object.fromEntries(kept) as Omit<T, K>;
}
