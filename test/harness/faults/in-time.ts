/** When the status must name the faults of a run. */

/** Time in milliseconds from the report of Kubernetes until the status names a fault. */
const IN_TIME_MS = 30_000;
/** Of so many faults in a complete run, this many may be named later. */
const [OF, LATE] = [60, 2];

/** @param namedAfterMs undefined if the status has not named the fault */
export const isInTime = (namedAfterMs = Infinity): boolean => namedAfterMs <= IN_TIME_MS;

/** Number of faults of a run that may be named later. In a run with some of the faults, it is none. */
export const mostLate = (chosen: number, all: number): number =>
  chosen < all ? 0 : Math.floor((all * LATE) / OF);
