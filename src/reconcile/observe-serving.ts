/** Asks a control plane what its users would ask. Writes nothing: the one create is a dry run. */
import { asError } from '../kubernetes/errors.ts';
import type { KubernetesClient, RawAnswer } from '../kubernetes/contract.ts';
import { CLUSTERS_PATH, CONTRADICTORY_POLICY, READYZ_PATH, type Answers } from './serving.ts';

/**
 * All questions at once. Never rejects: what is thrown is an answer too.
 * @param timeoutMs for each of them
 */
export async function askControlPlane(
  client: Pick<KubernetesClient, 'create' | 'raw'>,
  timeoutMs: number,
): Promise<Answers> {
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
