/** Returns a copy of a value without some fields. */
export function without<T extends object, K extends keyof T & string>(
  value: T,
  ...fields: readonly K[]
): Omit<T, K> {
  const left: ReadonlySet<string> = new Set(fields);
  const kept = Object.entries(value).filter(([name]) => !left.has(name));
  return Object.fromEntries(kept) as Omit<T, K>;
}
