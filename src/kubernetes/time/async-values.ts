/**
 * Asynchronous values that take long to come. While a generator or a loop with `await` waits, its frame keeps the last value, also one
 * that it does not need any more. A process with thousands of watches would keep so many objects, lines and chunks. Here, each
 * step is a call of its own.
 */

/**
 * Opens an iterator when its first value is needed.
 * @param onFailure called when `open` or the iterator fails
 */
export function openedLater<T>(
  open: () => Promise<AsyncIterator<T>>,
  onFailure: () => void = () => undefined,
): AsyncIterableIterator<T> {
  let opened: Promise<AsyncIterator<T>> | undefined;
  let values: AsyncIterator<T> | undefined;
  const failed = (error: unknown): never => {
    onFailure();
    throw error;
  };
  const first = async (): Promise<IteratorResult<T>> => {
    opened ??= open();
    values = await opened;
    return values.next();
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => (values?.next() ?? first()).catch(failed),
    async return() {
      await (await opened)?.return?.();
      return { done: true, value: undefined };
    },
  };
}

/**
 * Calls `take` for each value until it returns false, or the values end.
 * @throws errors of the values and of `take`
 */
export async function takeEach<T>(
  values: AsyncIterable<T>,
  take: (value: T) => boolean,
): Promise<void> {
  const iterator = values[Symbol.asyncIterator]();
  let goesOn = true;
  while (goesOn) goesOn = await takeNext(iterator, take);
}

/** @returns whether further values are needed */
async function takeNext<T>(
  iterator: AsyncIterator<T>,
  take: (value: T) => boolean,
): Promise<boolean> {
  const next = await iterator.next();
  if (next.done === true) return false;
  let goesOn = false;
  try {
    goesOn = take(next.value);
  } finally {
    if (!goesOn) await iterator.return?.();
  }
  return goesOn;
}
