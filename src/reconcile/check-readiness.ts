/**
 * Functional checks of a control plane with requests that its users send. Writes nothing: the create request is a dry
 * run.
 */
import { asError } from '../kubernetes/errors.ts';
import type { KubernetesClient, RawAnswer } from '../kubernetes/client-interface.ts';
import {
  CLUSTERS_PATH,
  CONTRADICTORY_POLICY,
  READYZ_PATH,
  type ReadinessAnswers,
} from './readiness-gate.ts';

/**
 * Sends all check requests in parallel. Never rejects; errors are part of the result.
 * @param timeoutMs timeout of each request in milliseconds
 */
export async function checkReadiness(
  client: Pick<KubernetesClient, 'create' | 'raw'>,
  timeoutMs: number,
): Promise<ReadinessAnswers> {
  const read = (path: string): Promise<RawAnswer | Error> =>
    client.raw(path, { timeoutMs }).catch(asError);
  const [policy, clusters, readyz] = await Promise.all([
    client.create(CONTRADICTORY_POLICY, { dryRun: true, timeoutMs }).then(
      () => undefined,
      (error: unknown) => error,
    ),
    read(CLUSTERS_PATH),
    read(READYZ_PATH),
  ]);
  return { policy, clusters, readyz };
}
