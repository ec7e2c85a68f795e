/** PersistentVolume controller: binds PVCs to their PersistentVolumes, and protects PVCs that a Pod uses. */
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { isTerminating, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import type { Store } from '../api/store.ts';
import { hasEnded } from './pods.ts';

const PROTECTION = 'kubernetes.io/pvc-protection';

interface VolumeSpec {
  readonly claimRef?: { readonly name: string; readonly namespace: string; readonly uid?: string };
  readonly capacity?: object;
  readonly accessModes?: readonly string[];
  readonly persistentVolumeReclaimPolicy?: string;
}

/** Names of the PVCs of a Pod. */
export const claimNames = ({ spec }: KubernetesObject): readonly string[] => {
  const { volumes = [] } = spec as {
    volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
  return volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
};

export class Claims {
  readonly #client: KubernetesClient;
  readonly #store: Store;

  constructor(client: KubernetesClient, store: Store) {
    this.#client = client;
    this.#store = store;
  }

  /** Binds the PVC that a PersistentVolume names, or deletes the volume of a deleted one. */
  async syncVolume(volume: KubernetesObject): Promise<void> {
    const { claimRef, capacity, accessModes, ...spec } = volume['spec'] as VolumeSpec;
    if (claimRef === undefined) return;
    const key = { name: claimRef.name, namespace: claimRef.namespace };
    const claim = this.#claim(key);
    const { name } = volume.metadata;
    if (claim === undefined || claim.metadata.uid !== claimRef.uid) {
      if (spec.persistentVolumeReclaimPolicy === 'Delete' && !isTerminating(volume))
        await this.#client.delete(resources.PersistentVolume, { name });
      return;
    }
    const { phase } = claim['status'] as { phase: string };
    if (phase === 'Bound') return;
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    const merge = { metadata: { annotations }, spec: { volumeName: name } };
    await this.#client.patch(resources.PersistentVolumeClaim, key, merge);
    const status = { phase: 'Bound', capacity, accessModes };
    const options = { subresource: 'status' } as const;
    await this.#client.patch(resources.PersistentVolumeClaim, key, { status }, options);
    await this.#client.patch(
      resources.PersistentVolume,
      { name },
      { status: { phase: 'Bound' } },
      options,
    );
  }

  /** Lets a terminating PVC go when no Pod uses it. */
  async syncClaim(claim: KubernetesObject): Promise<void> {
    const { name, namespace = '', finalizers = [] } = claim.metadata;
    if (!isTerminating(claim) || !finalizers.includes(PROTECTION)) return;
    const pods = this.#store.list('/pods', namespace);
    if (pods.some((pod) => !hasEnded(pod) && claimNames(pod).includes(name))) return;
    await this.#client.patch(
      resources.PersistentVolumeClaim,
      { name, namespace },
      { metadata: { finalizers: finalizers.filter((one) => one !== PROTECTION) } },
    );
  }

  #claim({ name, namespace }: { name: string; namespace: string }): KubernetesObject | undefined {
    return this.#store.get('/persistentvolumeclaims', `${namespace}/${name}`);
  }
}
