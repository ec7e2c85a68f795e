/** Something about an etcd or its Secret that does not mend by waiting alone. */
export interface EtcdProblem {
  /** One word in capitals and small letters, for programs. */
  readonly reason: string;
  /** The object or endpoint, the cause and the remedy; nothing secret. */
  readonly message: string;
}
