/** External etcd as a plan sees it: the Secret is read, and the etcd is assumed to be healthy. */
import { DEFAULT_ADDRESSES } from '../kubernetes/connection/addresses.ts';
import type { Clock } from '../kubernetes/time/clock.ts';
import { addressesOf, NameResolver } from '../kubernetes/connection/name-resolver.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import type { SecretPolicy } from '../api/secrets/secret-grant.ts';
import type { Karmada } from '../api/karmada.ts';
import { checkEtcd, type CheckTools } from '../external-etcd/check.ts';
import type { StoredData } from '../external-etcd/stored-data.ts';
import { etcdToCheck } from '../features/external-etcd/observe-etcd.ts';
import type { ExternalEtcdSnapshot, Snapshot } from '../instance/snapshot.ts';

export interface PlanEtcdTools {
  /** Client of the host cluster. */
  readonly client: Pick<KubernetesClient, 'find'>;
  readonly clock: Pick<Clock, 'wall'>;
  readonly secretPolicy: SecretPolicy;
}

/** The preview may run where the etcd is not reachable: it assumes a healthy one, with the data of the control plane or none. */
const assumeHealthy =
  ({ status }: Pick<Karmada, 'status'>): CheckTools['ask'] =>
  (endpoint) => {
    const { etcdDataUID: uid } = status ?? {};
    const [prefix = ''] = endpoint.prefixes ?? [];
    const data: StoredData =
      uid === undefined ? { kind: 'none', clusterID: '' } : { kind: 'cluster', prefix, uid };
    return Promise.resolve({ endpoint, health: { healthy: true, reason: '' }, data });
  };

/** @returns undefined for a local etcd */
export async function plannedEtcd(
  { client, clock, secretPolicy }: PlanEtcdTools,
  { karmada, spec }: Pick<Snapshot, 'karmada' | 'spec'>,
): Promise<ExternalEtcdSnapshot | undefined> {
  const { external } = spec.components.etcd;
  if (external === undefined) return undefined;
  const { secret, want } = etcdToCheck(karmada, spec, external);
  const tools = {
    client,
    secretPolicy,
    addresses: addressesOf(DEFAULT_ADDRESSES, new NameResolver()),
    wall: () => clock.wall(),
    ask: assumeHealthy(karmada),
    thread: { run: <T>(work: () => T) => Promise.resolve(work()) },
  };
  return { secret, check: await checkEtcd(tools, want, new AbortController().signal) };
}
