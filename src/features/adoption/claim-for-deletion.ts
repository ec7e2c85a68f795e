import type { Karmada } from '../../api/karmada.ts';
import type { AdoptObject } from '../../actions/karmada-action.ts';
import { labelActions } from './decide-adoption.ts';
import { readAdoption, type AdoptionTools } from './read-adoption.ts';

/**
 * Returns the actions that label the objects that the Go operator created for a deleted Karmada, in rounds, so that the deletion
 * includes its Secrets. Otherwise the Secrets with its CAs would stay. No confirmation is necessary: the deletion is one.
 * @throws ApiError, NetworkError
 */
export async function adoptionForDeletion(
  tools: AdoptionTools,
  karmada: Karmada,
): Promise<readonly (readonly AdoptObject[])[]> {
  const { name, namespace = '' } = karmada.metadata;
  const found = await readAdoption(tools, `${namespace}/${name}`, karmada);
  return found === undefined ? [] : labelActions(found);
}
