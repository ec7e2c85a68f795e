import type { Karmada } from '../../api/karmada.ts';
import { adoptObject } from './adopt-object.ts';
import { labelActions } from './decide-adoption.ts';
import { readAdoption, type AdoptionTools } from './read-adoption.ts';

/**
 * Labels the objects that the Go operator created for a deleted Karmada, so that the deletion includes its Secrets.
 * Otherwise the Secrets with its CAs would stay. No confirmation is necessary: the deletion is one.
 * @throws ApiError, NetworkError
 */
export async function claimForDeletion(tools: AdoptionTools, karmada: Karmada): Promise<void> {
  const { name, namespace = '' } = karmada.metadata;
  const found = await readAdoption(tools, `${namespace}/${name}`, karmada);
  if (found === undefined) return;
  for (const round of labelActions(found))
    await Promise.all(round.map((action) => adoptObject(tools, action)));
}
