/** Results of clients that call a control plane while it changes. */

/** Type of connection, and API component that processes the call. */
export type ClientKind = 'kept' | 'fresh' | 'watch';
export type Way = 'apiserver' | 'aggregated' | 'webhook';

interface FailedCall {
  /** RFC 3339 */
  at: string;
  client: ClientKind;
  way: Way;
  error: string;
}

export interface TrafficReport {
  seconds: number;
  /** Number of calls by `<client> <way>`. */
  calls: Record<string, number>;
  failed: FailedCall[];
  /**
   * Number of responses with Retry-After, which a terminating server sends for calls that it has not processed.
   * Kubernetes clients send these calls again, and so does this client.
   */
  repeated: number;
  /** Number of acknowledged writes. */
  written: number;
  /** Names of acknowledged objects that do not exist afterwards. */
  lost: string[];
  /** Names of acknowledged objects that the watch did not receive. */
  unseen: string[];
}
