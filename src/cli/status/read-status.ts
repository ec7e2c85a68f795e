/** Reads what the command `status` shows. Missing permissions make the result smaller, not an error. */
import type { Karmada } from '../../api/karmada.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../../api/labels.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { readCertificates, type CertificateRow } from '../certificates/read-certificates.ts';
import { openHost } from '../plan-host.ts';
import type { Connection } from '../program/connect.ts';
import { attempt, type Attempt } from '../program/karmada.ts';

export interface StatusFacts {
  readonly karmada: Karmada;
  /** Deployments and StatefulSets in the host cluster. */
  readonly workloads: readonly KubernetesObject[];
  readonly pods: readonly Pod[];
  /** Sorted by expiry; undefined if the user may not read the Secrets. */
  readonly certificates: readonly CertificateRow[] | undefined;
  /** What could not be read, and why. */
  readonly notes: readonly string[];
}

/** Reads the state of a control plane. Never throws for the host cluster; see `notes`. */
export async function readStatus(connection: Connection, karmada: Karmada): Promise<StatusFacts> {
  const opened = await attempt('host cluster', () => openHost(connection, karmada));
  if ('note' in opened) return withoutHost(karmada, opened.note);
  const { client, close } = opened.value;
  try {
    return await hostStatus(client, karmada);
  } finally {
    await close();
  }
}

const withoutHost = (karmada: Karmada, note: string): StatusFacts => ({
  karmada,
  workloads: [],
  pods: [],
  certificates: undefined,
  notes: [note],
});

async function hostStatus(client: KubernetesClient, karmada: Karmada): Promise<StatusFacts> {
  const { name, namespace = '' } = karmada.metadata;
  const instance = `${INSTANCE}=${name}`;
  const ours = { namespace, labelSelector: `${MANAGED_BY}=${MANAGER},${instance}` };
  const [deployments, sets, pods, certificates] = await Promise.all([
    attempt('Deployments', async () => (await client.list(resources.Deployment, ours)).items),
    attempt('StatefulSets', async () => (await client.list(resources.StatefulSet, ours)).items),
    attempt(
      'Pods',
      async () => (await client.list(resources.Pod, { namespace, labelSelector: instance })).items,
    ),
    attempt('certificates', () => readCertificates(client, karmada)),
  ]);
  const found = (result: Attempt<readonly KubernetesObject[]>): readonly KubernetesObject[] =>
    'value' in result ? result.value : [];
  return {
    karmada,
    workloads: [...found(deployments), ...found(sets)],
    pods: found(pods),
    certificates: 'value' in certificates ? certificates.value : undefined,
    notes: [deployments, sets, pods, certificates].flatMap((result) =>
      'note' in result ? [result.note] : [],
    ),
  };
}
