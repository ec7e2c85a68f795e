/** Problem in the form of a condition. A gate returns one if it does not allow an action. */
export interface Problem {
  /** Machine-readable reason in CamelCase. */
  readonly reason: string;
  /** Object or field, cause and what to do, without secret data. */
  readonly message: string;
}
