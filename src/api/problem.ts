/** Something that is wrong, in the words of a condition. Gates return one when they do not allow an action. */
export interface Problem {
  /** One word in CamelCase, for programs. */
  readonly reason: string;
  /** The object or field, the cause and what to do; nothing secret. */
  readonly message: string;
}
