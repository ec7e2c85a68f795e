/** Clients of the operator for the management cluster. */
import { OPERATOR_LIMITS } from '../kubernetes/client/limits.ts';
import {
  karmadaBackups,
  karmadaBackupSchedules,
  karmadaBackupStores,
  karmadaRestores,
} from '../api/backup/kinds.ts';
import { karmadas } from '../host-clusters/host.ts';
import { createClient } from '../kubernetes/client/client.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import type { Endpoint } from '../kubernetes/connection/connection.ts';
import type { FinishedCall } from '../kubernetes/client/finished-call.ts';
import { inClusterEndpoint, podNamespace } from '../kubernetes/connection/in-cluster.ts';
import type { RateLimit } from '../kubernetes/fairness/limiter.ts';
import { LongResponses } from '../kubernetes/client/long-responses.ts';
import type { ServerClock } from '../kubernetes/time/server-clock.ts';
import type { LeaderTerm } from '../kubernetes/time/term.ts';
import type { Metrics } from '../metrics/metrics-interface.ts';
import type { Options } from '../options/options.ts';
import { operatorVersion } from '../options/version.ts';

export const userAgent = `karmada-operator/${operatorVersion}`;

/** Returns how to reach the management cluster. @param kubeconfig path; the ServiceAccount of the Pod if undefined */
export async function endpointOf(kubeconfig: string | undefined): Promise<Endpoint> {
  if (kubeconfig === undefined) return inClusterEndpoint(process.env);
  const { kubeConfigFileEndpoint } = await import('../kubernetes/connection/kubeconfig.ts');
  return kubeConfigFileEndpoint(kubeconfig);
}

/** Returns the namespace of the Pods of the operator. Outside of a Pod, that of its Lease stands for it. */
export async function namespaceOf({
  kubeconfig,
  leaderElection,
}: Pick<Options, 'kubeconfig' | 'leaderElection'>): Promise<string> {
  const own = kubeconfig === undefined ? await podNamespace() : undefined;
  return own ?? leaderElection.namespace;
}

export interface Clients {
  readonly client: KubernetesClient;
  /** Client for the leader Lease, with its own connections and no rate limit. */
  readonly leaseClient: KubernetesClient;
}

interface ClientParts {
  readonly clock: ServerClock;
  readonly metrics: Metrics;
  readonly term: LeaderTerm;
  readonly rate: RateLimit;
}

/** Creates the clients. */
export async function clientsOf(
  options: Options,
  { clock, metrics, term, rate }: ClientParts,
): Promise<Clients> {
  const endpoint = await endpointOf(options.kubeconfig);
  const common = {
    userAgent,
    clock,
    hearDate: (date: string, sentAt: number): void => clock.hear(date, sentAt),
    onCall: (call: FinishedCall): void => metrics.called('local', call),
  };
  return {
    client: createClient(endpoint, {
      ...common,
      rateLimit: rate,
      // Slots of its own: no host cluster that sends slowly delays the management cluster.
      responses: new LongResponses({ clock, origins: rate.origins }),
      limits: OPERATOR_LIMITS,
      resources: [
        karmadas,
        karmadaBackups,
        karmadaBackupSchedules,
        karmadaBackupStores,
        karmadaRestores,
      ],
      term,
    }),
    leaseClient: createClient(endpoint, common),
  };
}
