export interface EtcdHealth {
  /**
   * `split`: members belong to several clusters; `corrupt`, `noSpace`: etcd raised this alarm; `quorum`: a majority is healthy; `impaired`: a majority is healthy,
   * but the member of a ready Pod is not; `noQuorum`: no majority; `quorumLost`: no majority has its data; `pending`: Pods are ready, but the operator has not
   * queried the members yet; `unobserved`: Pods are ready, but the operator cannot query the members.
   */
  readonly state:
    | 'split'
    | 'corrupt'
    | 'noSpace'
    | 'quorum'
    | 'impaired'
    | 'noQuorum'
    | 'quorumLost'
    | 'pending'
    | 'unobserved';
  /** Healthy members of all members, as far as the operator knows, such as `3/3`. */
  readonly summary: string;
  readonly message: string;
}
