import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';

/** Namespace of the Karmada that is not attacked. */
export const OTHER = 'other-tenant';
export const otherPlane = { namespace: OTHER, name: 'karmada' };
export const otherKarmada: KubernetesObject = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: otherPlane,
  spec: {
    components: {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaMetricsAdapter: { enabled: false },
    },
  },
};

const webhook = { namespace: OTHER, name: 'karmada-webhook' };
/** Value that the operator never sets. */
const CHANGED = 7;

const historyOf = (deployment: KubernetesObject): unknown =>
  (deployment['spec'] as { revisionHistoryLimit?: number }).revisionHistoryLimit;

/** Changes a Deployment of the other tenant, and waits until the operator has repaired it. @returns milliseconds */
export async function repairTime(client: KubernetesClient): Promise<number> {
  const wanted = historyOf(await client.get(resources.Deployment, webhook));
  if (wanted === CHANGED) throw new Error('the Deployment is not repaired yet');
  await client.patch(resources.Deployment, webhook, { spec: { revisionHistoryLimit: CHANGED } });
  const began = performance.now();
  await poll(
    `Deployment ${OTHER}/${webhook.name} is repaired`,
    async (seen) => {
      const history = historyOf(await client.get(resources.Deployment, webhook));
      seen(String(history));
      return history === wanted ? true : undefined;
    },
    { deadlineMs: 120_000, intervalMs: 10 },
  );
  return performance.now() - began;
}

/** Ready of a Karmada, as text that differs after each transition. */
export function readiness(object: KubernetesObject): string {
  const { status } = object as unknown as Karmada;
  const ready: Partial<Condition> = status?.conditions?.find(({ type }) => type === 'Ready') ?? {};
  const since = String(ready.lastTransitionTime);
  return `${String(ready.status)} ${String(ready.reason)} since ${since}`;
}

/** Ready of the other tenant, as text that differs after each transition. */
export const otherReadiness = async (client: KubernetesClient): Promise<string> =>
  readiness(await client.get(karmadas, otherPlane));
