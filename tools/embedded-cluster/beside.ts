/**
 * Runs builds, and something else beside them that mostly waits for downloads. If the latter fails, no further build
 * starts.
 * @param other what runs beside the builds
 * @param builds starts the builds; checks the signal before each of them
 * @returns both results, when both have ended
 * @throws the error of `other`, otherwise that of the builds
 */
export async function besideBuilds<O, B>(
  other: () => Promise<O>,
  builds: (signal: AbortSignal) => Promise<B>,
): Promise<[O, B]> {
  const failed = new AbortController();
  const waiting = other();
  waiting.catch((error: unknown) => failed.abort(error));
  const building = builds(failed.signal);
  await Promise.allSettled([waiting, building]);
  return [await waiting, await building];
}
