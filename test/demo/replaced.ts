import { ABANDON_HOST_ANNOTATION } from '../../src/api/karmada.ts';
import { karmadas } from '../../src/hosts/host.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { keyOf, resources } from '../../src/kubernetes/resources.ts';
import type { Progress } from '../cluster/progress.ts';
import { deleteAndWait } from '../harness/deletion.ts';
import type { Target } from './target.ts';

/** Whether a Secret leads into another cluster than the one that was there before: its authority is another. */
export function leadsElsewhere(
  before: KubernetesObject | undefined,
  now: KubernetesObject,
): boolean {
  const authority = (secret: KubernetesObject): unknown =>
    (secret['data'] as Readonly<Record<string, unknown>> | undefined)?.['caBundle'];
  return before !== undefined && authority(before) !== authority(now);
}

/**
 * Lets a Karmada go whose host was taken down and made anew: its control plane is gone with all data, and the operator
 * makes no other in its place as long as the Karmada says that it was Ready. To be called before the new Secret is
 * there, so that a run which is interrupted here is taken up again.
 */
export async function removeReplaced(
  { client }: Target,
  karmada: Pick<KubernetesObject, 'metadata' | 'apiVersion' | 'kind'>,
  secret: KubernetesObject,
  progress: Progress,
): Promise<void> {
  const key = keyOf(karmada);
  if (!leadsElsewhere(await client.find(resources.Secret, keyOf(secret)), secret)) return;
  if ((await client.find(karmadas, key)) === undefined) return;
  await progress.step(`remove Karmada ${key.name}, its host is gone`, async () => {
    await client.patch(karmadas, key, {
      metadata: { annotations: { [ABANDON_HOST_ANNOTATION]: 'true' } },
    });
    await deleteAndWait(client, karmadas, key, { deadlineMs: 120_000, intervalMs: 500 });
  });
}
