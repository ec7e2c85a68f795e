/** All objects of a control plane in a stub cluster. */
import { MANAGED_BY, MANAGER } from '../../src/api/labels.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { resources } from '../../src/kubernetes/objects/resources.ts';
import type { EndState } from '../harness/compare-states.ts';
import { HOST_KINDS, INSIDE_KINDS } from '../harness/end-state.ts';
import { normalised } from '../harness/normalize-objects.ts';
import type { InstalledObjects } from '../harness/owned-state.ts';
import type { StubApi } from './api/stub-api.ts';
import { resourceOf } from './api/writes.ts';
import { KINDS, type StubCluster } from './stub-cluster.ts';

function listed(api: StubApi, plurals: readonly string[], namespace?: string): KubernetesObject[] {
  const types = [...Object.values(resources), ...KINDS];
  return plurals.flatMap((plural) => {
    const type = types.find((one) => one.plural === plural);
    if (type === undefined) throw new Error(`no resource ${plural}`);
    return api.store.list(resourceOf(type), namespace);
  });
}

/** @param name of the Karmada */
export function objectsOf(cluster: StubCluster, name: string, namespace: string): InstalledObjects {
  const karmada = cluster.karmadaApi(namespace, name);
  const inside = karmada === undefined ? [] : listed(karmada, INSIDE_KINDS);
  return {
    host: listed(cluster.api, HOST_KINDS, namespace),
    inside: inside.filter(({ metadata }) => metadata.labels?.[MANAGED_BY] === MANAGER),
  };
}

/** The objects, normalized to compare two runs. */
export const endStateOf = (objects: InstalledObjects, namespace: string): EndState => ({
  host: normalised(objects.host, namespace),
  inside: normalised(objects.inside, namespace),
});
