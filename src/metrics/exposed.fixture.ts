import type { Metrics } from './metrics-interface.ts';

/** Text that the metrics endpoint serves. */
export async function exposed(metrics: Pick<Metrics, 'expose'>): Promise<string> {
  return Buffer.concat((await metrics.expose()).body).toString();
}
