/** Objects of the control plane karmada-demo in the namespace team, as a rotation reads them. */
import { COMPONENT, INSTANCE, MANAGED_BY, MANAGER } from '../../../api/labels.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';

export const OWNED = { [INSTANCE]: 'karmada-demo', [MANAGED_BY]: MANAGER };

/** @param startedAt wall clock in milliseconds */
export const podOf = (component: string, startedAt: number, index = 1): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `${component}-${String(index)}`,
    namespace: 'team',
    labels: { [COMPONENT]: component },
  },
  status: {
    phase: 'Running',
    podIP: '10.0.0.1',
    containerStatuses: [
      { name: 'main', state: { running: { startedAt: new Date(startedAt).toISOString() } } },
    ],
  },
});
