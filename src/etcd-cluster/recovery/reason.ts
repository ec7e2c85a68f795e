/** Reason of conditions and blocked changes while etcd is recovered. */
export const ETCD_RECOVERING = 'EtcdRecovering';
