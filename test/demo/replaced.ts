import { ABANDON_HOST_ANNOTATION } from '../../src/api/karmada.ts';
import { karmadas } from '../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { keyOf, resources } from '../../src/kubernetes/objects/resources.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { deleteAndWait } from '../harness/deletion.ts';
import type { Target } from './target.ts';

/** Returns true if the new Secret points to another cluster than the previous one: the CA is different. */
export function leadsElsewhere(
  before: KubernetesObject | undefined,
  now: KubernetesObject,
): boolean {
  const caOf = (secret: KubernetesObject): unknown =>
    (secret['data'] as Readonly<Record<string, unknown>> | undefined)?.['caBundle'];
  return before !== undefined && caOf(before) !== caOf(now);
}

/**
 * Deletes a Karmada whose host cluster was recreated. Its control plane is lost with all data, and the operator does
 * not replace a control plane whose Karmada was Ready once. Call this before the new Secret is created, so that an
 * interrupted run is repeated.
 */
export async function removeReplaced(
  { client }: Target,
  karmada: Pick<KubernetesObject, 'metadata' | 'apiVersion' | 'kind'>,
  secret: KubernetesObject,
  progress: Progress,
): Promise<void> {
  const key = keyOf(karmada);
  if (!leadsElsewhere(await client.find(resources.Secret, keyOf(secret)), secret)) return;
  const uid = (await client.find(karmadas, key))?.metadata.uid;
  if (uid === undefined) return;
  await progress.step(`remove Karmada ${key.name} of the previous host cluster`, async () => {
    await client.patch(karmadas, key, {
      metadata: { annotations: { [ABANDON_HOST_ANNOTATION]: uid } },
    });
    await deleteAndWait(client, karmadas, key, { deadlineMs: 120_000, intervalMs: 500 });
  });
}
