/** What this process has seen of a control plane that is not ready. */
export interface ProgressMemo {
  /** Changes with the spec and with each release on the way: all states count anew. */
  readonly epoch: string;
  /** Seen states, by stage. */
  readonly states: ReadonlyMap<string, ReadonlySet<string>>;
  /** Time of the last progress, wall clock in milliseconds. */
  readonly progressAt: number;
  /** Time when a stage was at work the last time, wall clock in milliseconds. */
  readonly workAt: number;
}
