/** Restarts of the Pods of each component in a rotation, at most: data. A test counts them in a rotation. */
import type { ComponentName } from '../../api/component-catalog.ts';
import type { RotationAuthority } from './authority.ts';

type Restarts = Readonly<Partial<Record<ComponentName, number>>>;

export const ROTATION_RESTARTS: Readonly<Record<RotationAuthority, Restarts>> = {
  'service-account-key': { 'karmada-apiserver': 3, 'kube-controller-manager': 1 },
  'front-proxy-ca': {},
  // At the end, each component that reads the bundle only at start. Before that, those which also read a certificate only at start.
  ca: {
    'karmada-aggregated-apiserver': 1,
    'karmada-search': 1,
    'karmada-metrics-adapter': 1,
    'karmada-webhook': 1,
    'kube-controller-manager': 1,
    'karmada-controller-manager': 1,
    'karmada-scheduler': 2,
    'karmada-descheduler': 2,
    'karmada-scheduler-estimator': 2,
  },
  'etcd-ca': {
    ...{ etcd: 1, 'karmada-apiserver': 1, 'karmada-aggregated-apiserver': 1 },
    'karmada-search': 1,
  },
};
