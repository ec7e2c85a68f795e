/** Time until deleted Deployments of a control plane are back. */
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import type { Session } from '../install/session.ts';
import { REPAIR_LIMIT_S } from './report.ts';

/** Names of the deleted Deployments in a control plane of `karmadactl init` or of the chart. The operators have the same components. */
export const DELETED = ['karmada-scheduler', 'karmada-webhook', 'karmada-controller-manager'];

/**
 * Deletes Deployments one after the other.
 * @returns for each, the seconds until an object with its name exists again; undefined if none did within the limit
 */
export async function measureRepairs(
  { client }: Session,
  namespace: string,
  names: readonly string[],
): Promise<(number | undefined)[]> {
  const times: (number | undefined)[] = [];
  for (const name of names) {
    const key = { namespace, name };
    const { uid } = (await client.get(resources.Deployment, key)).metadata;
    const began = performance.now();
    await client.delete(resources.Deployment, key);
    const restored = poll(
      `Deployment ${name} is back`,
      async (seen) => {
        const found = await client.find(resources.Deployment, key);
        seen(String(found?.metadata.uid));
        return found !== undefined && found.metadata.uid !== uid ? performance.now() : undefined;
      },
      { deadlineMs: REPAIR_LIMIT_S * 1000, intervalMs: 20 },
    );
    times.push(await restored.then((at) => (at - began) / 1000).catch(() => undefined));
  }
  return times;
}
