const CALLS_AT_ONCE = 8;

/** Maps values with a limited number of calls at a time, in their order. After an error no further call starts. @throws the first error */
export async function inParallel<T, R>(
  values: readonly T[],
  map: (value: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < values.length; index = next++) {
      const [value] = values.slice(index, index + 1) as [T];
      try {
        results[index] = await map(value);
      } catch (error) {
        next = values.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
  return results;
}
