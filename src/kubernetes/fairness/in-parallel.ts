const CALLS_AT_ONCE = 8;

/**
 * Maps values with a limited number of calls at a time, in their order. After an error no further call starts.
 * @param atOnce number of calls at a time
 * @throws the first error
 */
export async function inParallel<T, R>(
  values: readonly T[],
  map: (value: T) => Promise<R>,
  atOnce = CALLS_AT_ONCE,
): Promise<readonly R[]> {
  const results: R[] = [];
  const left = values.entries();
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const [index, value] of left) {
      if (hasFailed) return;
      try {
        results[index] = await map(value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
