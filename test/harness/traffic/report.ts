/** What clients met while something was done to a control plane. */

/** How a client calls, and by which way. */
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
  /** Number of calls by `client way`. */
  calls: Record<string, number>;
  failed: FailedCall[];
  /**
   * Number of answers with Retry-After, by which a server that shuts down says that it has not looked at a call.
   * Clients of Kubernetes send it again by themselves, and so do these.
   */
  repeated: number;
  /** Number of acknowledged writes. */
  written: number;
  /** Names of acknowledged objects that are not there afterwards. */
  lost: string[];
  /** Names of acknowledged objects that the watch was never told of. */
  unseen: string[];
}
