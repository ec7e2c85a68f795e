/** HTTP endpoints of the operator: `/healthz`, `/readyz` and `/metrics`. */
import { hostname } from 'node:os';
import type { Clock, Log } from '../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import type { Origins } from '../kubernetes/fairness/origin.ts';
import type { Reconciler } from '../kubernetes/workqueue/reconciler.ts';
import type { LeaderTerm } from '../kubernetes/time/term.ts';
import { serve, type Answer, type BindAddress, type EndpointServer } from '../http/endpoints.ts';
import type { Metrics } from '../metrics/metrics-interface.ts';
import { serveSecurely } from '../http/secure-metrics/serve-metrics.ts';
import type { Options } from '../options/options.ts';

export interface ListenOptions {
  readonly options: Pick<Options, 'health' | 'metrics' | 'secureMetrics'>;
  readonly client: KubernetesClient;
  readonly reconciler: Pick<Reconciler, 'unready'>;
  readonly term: Pick<LeaderTerm, 'isLost'>;
  readonly metrics: Pick<Metrics, 'expose'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly origins?: Pick<Origins, 'run'>;
}

/** Starts the servers. @throws Error when the operator cannot listen on an address */
export async function listen(given: ListenOptions): Promise<readonly EndpointServer[]> {
  const { health, metrics } = given.options;
  const routes = { '/healthz': () => alive(given), '/readyz': () => ready(given) };
  return [
    ...(health === undefined ? [] : [await serve(health, routes)]),
    ...(metrics === undefined ? [] : [await serveMetrics(given, metrics)]),
  ];
}

/** A process ends soon after it has lost the lease. If it does not, the kubelet restarts it. */
const alive = ({ term }: ListenOptions): Answer =>
  term.isLost ? { status: 503, body: 'the leader lease is lost\n' } : { status: 200, body: 'ok\n' };

function ready({ reconciler }: ListenOptions): Answer {
  const unready = reconciler.unready();
  return unready === undefined
    ? { status: 200, body: 'ok\n' }
    : { status: 503, body: `${unready}\n` };
}

function serveMetrics(
  { options, metrics, client, clock, log, origins }: ListenOptions,
  address: BindAddress,
): Promise<EndpointServer> {
  const expose = async (): Promise<Answer> => ({ status: 200, ...(await metrics.expose()) });
  const secure = options.secureMetrics;
  if (secure === undefined) return serve(address, { '/metrics': expose });
  const names = ['localhost', hostname()];
  return serveSecurely({ ...secure, address, client, clock, log, origins, names }, expose);
}
