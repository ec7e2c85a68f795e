/** Results of clients that call a control plane while it changes. */

/** Type of connection, and API component that processes the call. */
export type ClientKind = 'kept' | 'fresh' | 'watch';
export type Way = 'apiserver' | 'aggregated' | 'webhook';

/** Calls of a client that failed in the same way. */
export interface FailedCalls {
  readonly client: ClientKind;
  readonly way: Way;
  /** What their errors have in common. */
  readonly kind: string;
  readonly count: number;
  /** The first ones; `at` is RFC 3339. */
  readonly first: readonly { readonly at: string; readonly error: string }[];
}

/** Objects that a client created. */
export interface ObjectNames {
  readonly client: string;
  readonly count: number;
  /** The first names. */
  readonly first: readonly string[];
}

export interface TrafficReport {
  seconds: number;
  /** Number of calls by `<client> <way>`. */
  calls: Record<string, number>;
  /** Empty if no call failed. */
  failed: FailedCalls[];
  /**
   * Number of responses with Retry-After, which a terminating server sends for calls that it has not processed, and of watches
   * from a resourceVersion that has expired. Kubernetes clients send these calls again, and so does this client.
   */
  repeated: number;
  /** Number of acknowledged writes. */
  written: number;
  /** Acknowledged objects that do not exist afterwards. */
  lost: ObjectNames[];
  /** Acknowledged objects that the watch did not receive. */
  unseen: ObjectNames[];
}
