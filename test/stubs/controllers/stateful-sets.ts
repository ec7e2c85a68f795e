/** StatefulSet controller: PVCs and Pods in parallel, with the update strategy OnDelete or RollingUpdate. */
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { isStatus } from '../../../src/kubernetes/client/errors.ts';
import { isTerminating, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import type { Json } from '../api/json.ts';
import type { ClusterIndex } from './cluster-index.ts';
import { hasEnded, isReady, podOf, templateHash, type PodTemplate } from './pods.ts';

interface StatefulSetSpec {
  readonly replicas?: number;
  readonly serviceName?: string;
  readonly selector: { readonly matchLabels?: Record<string, string> };
  readonly updateStrategy?: { readonly type?: string };
  readonly template: PodTemplate;
  readonly volumeClaimTemplates?: readonly KubernetesObject[];
}

const REVISION = 'controller-revision-hash';

const keyOf = ({ metadata: { name, namespace = '' } }: KubernetesObject) => ({ name, namespace });

const ordinalOf = ({ metadata: { name } }: KubernetesObject): number =>
  Number(name.slice(name.lastIndexOf('-') + 1));

/** Whether a Pod has ended, is one too many, or is of a former revision that is replaced. */
function isSurplus(
  pod: KubernetesObject,
  { replicas = 1, updateStrategy }: StatefulSetSpec,
  revision: string,
): boolean {
  const isOld = pod.metadata.labels?.[REVISION] !== revision;
  const rolls = isOld && updateStrategy?.type !== 'OnDelete';
  return hasEnded(pod) || ordinalOf(pod) >= replicas || rolls;
}

export class StatefulSets {
  readonly #client: KubernetesClient;
  readonly #index: ClusterIndex;

  constructor(client: KubernetesClient, index: ClusterIndex) {
    this.#client = client;
    this.#index = index;
  }

  /** Makes one step towards the spec. */
  async sync(set: KubernetesObject): Promise<void> {
    if (isTerminating(set)) return;
    const spec = set['spec'] as unknown as StatefulSetSpec;
    const { replicas = 1 } = spec;
    const revision = `${set.metadata.name}-${templateHash(spec.template)}`;
    const pods = this.#pods(set);
    for (const pod of pods)
      if (!isTerminating(pod) && isSurplus(pod, spec, revision)) await this.#delete(pod);
    const present = new Set(pods.map(ordinalOf));
    for (let ordinal = 0; ordinal < replicas; ordinal += 1)
      if (!present.has(ordinal)) await this.#createPod(set, ordinal, revision);
    await this.#writeStatus(set, revision);
  }

  #pods({ metadata: { uid = '' } }: KubernetesObject): KubernetesObject[] {
    const owned = this.#index.dependents(uid);
    return owned.flatMap(({ resource, object }) => (resource === '/pods' ? [object] : []));
  }

  async #createPod(set: KubernetesObject, ordinal: number, revision: string): Promise<void> {
    const {
      template,
      volumeClaimTemplates = [],
      serviceName,
    } = set['spec'] as unknown as StatefulSetSpec;
    const name = `${set.metadata.name}-${String(ordinal)}`;
    for (const claim of volumeClaimTemplates) await this.#createClaim(set, claim, name);
    const labels = {
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
      [REVISION]: revision,
    };
    const volumes = [
      ...((template.spec['volumes'] ?? []) as readonly Json[]),
      ...volumeClaimTemplates.map(({ metadata }) => ({
        name: metadata.name,
        persistentVolumeClaim: { claimName: `${metadata.name}-${name}` },
      })),
    ];
    const spec = {
      hostname: name,
      ...(serviceName !== undefined && { subdomain: serviceName }),
      volumes,
    };
    await this.#client.create(podOf(set, template, { name, labels, spec }));
  }

  async #createClaim(
    set: KubernetesObject,
    template: KubernetesObject,
    pod: string,
  ): Promise<void> {
    const { selector } = set['spec'] as unknown as StatefulSetSpec;
    const { name, labels, annotations, finalizers } = template.metadata;
    const claim: KubernetesObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: template['spec'],
      metadata: {
        name: `${name}-${pod}`,
        ...(set.metadata.namespace !== undefined && { namespace: set.metadata.namespace }),
        labels: { ...labels, ...selector.matchLabels },
        ...(annotations && { annotations }),
        ...(finalizers && { finalizers }),
      },
    };
    await this.#client.create(claim).catch((error: unknown) => {
      if (!isStatus(error, 409)) throw error;
    });
  }

  async #delete(pod: KubernetesObject): Promise<void> {
    await this.#client.delete(resources.Pod, keyOf(pod));
  }

  async #writeStatus(set: KubernetesObject, updateRevision: string): Promise<void> {
    const pods = this.#pods(set);
    const ready = pods.filter(isReady).length;
    const updated = pods.filter(
      (pod) => pod.metadata.labels?.[REVISION] === updateRevision && !isTerminating(pod),
    ).length;
    const { currentRevision = updateRevision } = (set['status'] ?? {}) as {
      currentRevision?: string;
    };
    const { replicas = 1 } = set['spec'] as unknown as StatefulSetSpec;
    const status = {
      observedGeneration: set.metadata.generation,
      replicas: pods.length,
      readyReplicas: ready,
      availableReplicas: ready,
      updatedReplicas: updated,
      currentReplicas: pods.length - updated,
      collisionCount: 0,
      updateRevision,
      currentRevision: updated === replicas ? updateRevision : currentRevision,
    };
    const options = { subresource: 'status' } as const;
    await this.#client.patch(resources.StatefulSet, keyOf(set), { status }, options);
  }
}
