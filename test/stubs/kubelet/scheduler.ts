/** Scheduler with one node, and provisioner of its volumes. */
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { isStatus } from '../../../src/kubernetes/client/errors.ts';
import { isTerminating, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import { claimNames } from '../controllers/claims.ts';

interface ClaimSpec {
  readonly accessModes?: readonly string[];
  readonly resources?: { readonly requests?: { readonly storage?: string } };
  readonly storageClassName?: string;
  readonly volumeMode?: string;
}

/** Body of a request that binds a Pod to a node. The client of a kubelet must know this type. */
export const BINDING: ResourceType = { ...resources.Pod, kind: 'Binding' };

/** Provisioner of the StorageClass. */
export const PROVISIONER = 'stub/volumes';

export class Scheduler {
  readonly #client: KubernetesClient;
  readonly #node: string;

  constructor(client: KubernetesClient, node: string) {
    this.#client = client;
    this.#node = node;
  }

  /** Binds a Pod to the node when its PVCs are bound. @returns false while something is missing */
  async schedule(pod: KubernetesObject): Promise<boolean> {
    const { name, namespace = '', uid } = pod.metadata;
    for (const claim of claimNames(pod)) {
      const found = await this.#client.find(resources.PersistentVolumeClaim, {
        namespace,
        name: claim,
      });
      if (found === undefined || isTerminating(found)) return false;
      if ((found['status'] as { phase?: string } | undefined)?.phase !== 'Bound') {
        await this.#provision(found);
        return false;
      }
    }
    const target = { apiVersion: 'v1', kind: 'Node', name: this.#node };
    const metadata = { name, namespace, ...(uid !== undefined && { uid }) };
    const binding = { apiVersion: 'v1', kind: BINDING.kind, metadata, target };
    await this.#client.create(binding, { subresource: 'binding' });
    return true;
  }

  /** Creates a volume for a PVC; the PersistentVolume controller binds it. */
  async #provision({ metadata, spec }: KubernetesObject): Promise<void> {
    const { accessModes, resources: wanted, storageClassName, volumeMode } = spec as ClaimSpec;
    const { name, namespace = '', uid = '' } = metadata;
    const volume: KubernetesObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: {
        name: `pvc-${uid}`,
        annotations: { 'pv.kubernetes.io/provisioned-by': PROVISIONER },
      },
      spec: {
        accessModes,
        capacity: wanted?.requests,
        storageClassName,
        volumeMode,
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid },
        hostPath: { path: `/volumes/${uid}` },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'kubernetes.io/hostname', operator: 'In', values: [this.#node] },
                ],
              },
            ],
          },
        },
      },
    };
    await this.#client.create(volume).catch((error: unknown) => {
      if (!isStatus(error, 409)) throw error;
    });
  }
}
