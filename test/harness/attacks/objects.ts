import { API_VERSION, KIND, type KarmadaSpec } from '../../../src/api/karmada.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { namespacedType } from '../../../src/kubernetes/objects/resources.ts';

/** Kind that the operator does not use. */
export const resourceQuotas = namespacedType('v1', 'ResourceQuota', 'resourcequotas');

export const karmadaIn = (
  namespace: string,
  name: string,
  spec: KarmadaSpec,
): KubernetesObject => ({
  apiVersion: API_VERSION,
  kind: KIND,
  metadata: { name, namespace },
  spec: { components: { etcd: { local: { volumeData: { emptyDir: {} } } } }, ...spec },
});

/** Limits the Pods of a namespace, so that control planes of attacks do not load the machine. */
export const podLimit = (namespace: string, pods: number): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'pods', namespace },
  spec: { hard: { pods: String(pods) } },
});
