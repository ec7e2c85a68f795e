/** Restarts of the Pods of each component in a rotation, at most: data. */
import type { ComponentName } from '../../api/component-catalog.ts';
import type { RotationAuthority } from './authority.ts';

type Restarts = Readonly<Partial<Record<ComponentName, number>>>;

/** No entry for what this version does not rotate. */
export const ROTATION_RESTARTS: Readonly<Partial<Record<RotationAuthority, Restarts>>> = {
  'service-account-key': { 'karmada-apiserver': 3, 'kube-controller-manager': 1 },
  'front-proxy-ca': {},
};
