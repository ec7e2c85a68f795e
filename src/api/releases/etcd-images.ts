/** Images of etcd in the registry of Kubernetes. Data only. */

/** Newest image tag of etcd by Kubernetes minor version: `DefaultEtcdVersion` in the constants of kubeadm. */
export const KUBEADM_ETCD: Readonly<Record<number, string>> = {
  37: '3.7.0-0',
  36: '3.6.8-0',
  35: '3.6.6-0',
  34: '3.6.5-0',
  33: '3.5.24-0',
  32: '3.5.24-0',
  31: '3.5.24-0',
};

/** Minor versions of etcd 3 that the tests of this operator run. */
export const TESTED_ETCD: readonly number[] = [5, 6];
