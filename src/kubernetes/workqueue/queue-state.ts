/** Numbers of keys, and the age of the oldest one in progress. */
export interface QueueState {
  /** Keys that wait for a worker. */
  readonly waiting: number;
  /** Keys that are added later: repetitions by time, and failed keys. */
  readonly delayed: number;
  /** Keys whose last processing failed. */
  readonly failing: number;
  readonly processing: number;
  /** Milliseconds; 0 if no key is in progress. */
  readonly longestMs: number;
}
