/** A call that has ended, for metrics. All values come from fixed sets, except for the duration. */
export interface FinishedCall {
  /** `get`, `list`, `watch`, `create`, `apply`, `replace`, `patch`, `delete` or `raw`. */
  readonly verb: string;
  /** Plural of the kind; empty for `raw`. */
  readonly resource: string;
  /** HTTP status, or `error` if there was no response. */
  readonly code: string;
  /** Time until the response, or until its headers for a watch. */
  readonly seconds: number;
}

/** Called after each attempt of a call; retries count separately. Must not throw. */
export type OnCall = (call: FinishedCall) => void;

/** Kinds of clusters that the operator calls: management, remote host, control plane and member clusters. */
export type ClusterKind = 'local' | 'remote' | 'control-plane' | 'member';

/** Receivers of finished calls by kind of cluster. */
export type OnCalls = Readonly<Partial<Record<ClusterKind, OnCall>>>;
