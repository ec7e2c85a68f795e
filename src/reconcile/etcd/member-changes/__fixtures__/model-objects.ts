/** Objects of the model of an etcd. */
export interface Disk {
  /** ID of the member that wrote the data; undefined for an empty disk. */
  owner?: string;
  /** Number of log entries. */
  index: number;
  /** Whether the operator annotated it. */
  isAnnotated: boolean;
  /** Whether a Pod has used it. */
  isBound: boolean;
  /** Deleted, but a Pod still uses it. */
  isTerminating: boolean;
  /** Why no member can use it. */
  defect?: 'nodeLost' | 'nodeUnready' | 'corrupt' | 'behind';
}

export interface ModelPod {
  uid: number;
  join: string;
  isRunning: boolean;
  failures: number;
  isScheduled: boolean;
  /** Time since which it has not been ready. */
  downSince?: number;
}

export interface ModelMember {
  id: string;
  ordinal: number;
  isLearner: boolean;
  hasStarted: boolean;
}
