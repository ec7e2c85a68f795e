import type { Karmada } from '../../api/karmada.ts';
import type { AdoptObject } from '../../actions/karmada-action.ts';
import { labelActions } from './decide-adoption.ts';
import { ownedBy, type Host } from '../../host-clusters/host.ts';
import { readAdoption, type AdoptionTools } from './read-adoption.ts';

/**
 * Returns the actions that label the objects that the Go operator created for a deleted Karmada, in rounds, so that the deletion
 * includes its Secrets. Otherwise the Secrets with its CAs would stay. No confirmation is necessary: the deletion is one.
 * @throws ApiError, NetworkError
 */
export async function adoptionForDeletion(
  tools: AdoptionTools & { readonly host: Pick<Host, 'owned'> },
  karmada: Karmada,
): Promise<readonly (readonly AdoptObject[])[]> {
  const { name, namespace = '' } = karmada.metadata;
  const owned = ownedBy(tools.host.owned, `${namespace}/${name}`);
  const found = await readAdoption(tools, { owned }, karmada);
  return found === undefined ? [] : labelActions(found);
}
