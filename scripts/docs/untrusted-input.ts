/** Row of the page of limits. */
export interface UntrustedInput {
  readonly data: string;
  /** Who controls it. */
  readonly owner: string;
  /** In bytes. */
  readonly limit: number;
  /** Further limits. */
  readonly more?: string;
  /** Path of the module that checks the limit before it parses the data. */
  readonly reader: string;
}
