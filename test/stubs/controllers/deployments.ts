/** Deployment controller: ReplicaSets, Pods with a rolling update, and the status. */
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { isTerminating, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import type { Json } from '../api/json.ts';
import type { ClusterIndex } from './cluster-index.ts';
import { hasEnded, isReady, podOf, templateHash, type PodTemplate } from './pods.ts';

interface DeploymentSpec {
  readonly replicas?: number;
  readonly selector: { readonly matchLabels?: Record<string, string> };
  readonly strategy?: { readonly type?: string; readonly rollingUpdate?: Json };
  readonly template: PodTemplate;
  readonly minReadySeconds?: number;
}

/** Random part of the name of a Pod. */
const suffix = (): string => Math.random().toString(36).slice(2, 7).padEnd(5, 'x');

const keyOf = ({ metadata: { name, namespace = '' } }: KubernetesObject) => ({ name, namespace });

const REVISION = 'deployment.kubernetes.io/revision';

const revisionOf = ({ metadata }: KubernetesObject): number =>
  Number(metadata.annotations?.[REVISION] ?? 0);

const annotated = (revision: number) => ({ annotations: { [REVISION]: String(revision) } });

/** Number or share of a rollout, such as `25%`. */
function shareOf(value: unknown, replicas: number, round: (share: number) => number): number {
  const text = String(value ?? '25%');
  return text.endsWith('%') ? round((replicas * Number.parseInt(text, 10)) / 100) : Number(text);
}

/** Numbers of Pods: wanted, created in addition during a rollout, and allowed to be missing. */
function limitsOf({ replicas = 1, strategy }: DeploymentSpec): {
  readonly replicas: number;
  readonly surge: number;
  readonly missing: number;
} {
  if (strategy?.type === 'Recreate') return { replicas, surge: 0, missing: replicas };
  const { maxSurge, maxUnavailable } = strategy?.rollingUpdate ?? {};
  return {
    replicas,
    surge: shareOf(maxSurge, replicas, Math.ceil),
    missing: shareOf(maxUnavailable, replicas, Math.floor),
  };
}

export class Deployments {
  readonly #client: KubernetesClient;
  readonly #index: ClusterIndex;

  constructor(client: KubernetesClient, index: ClusterIndex) {
    this.#client = client;
    this.#index = index;
  }

  /** Makes one step towards the spec. */
  async sync(deployment: KubernetesObject): Promise<void> {
    if (isTerminating(deployment)) return;
    const spec = deployment['spec'] as unknown as DeploymentSpec;
    const hash = templateHash(spec.template);
    const sets = this.#owned(deployment, 'apps/replicasets');
    const current = await this.#currentSet(deployment, sets, hash);
    const all = [...new Set([...sets, current])].map((set) => ({
      set,
      pods: this.#owned(set, '/pods').filter((pod) => !isTerminating(pod) && !hasEnded(pod)),
    }));
    const own = all.find(({ set }) => set === current)?.pods ?? [];
    const old = all.filter(({ set }) => set !== current).flatMap(({ pods }) => pods);
    await this.#roll({ spec, current }, own, old);
    await this.#writeStatus(deployment, own, old);
  }

  #owned({ metadata: { uid = '' } }: KubernetesObject, resource: string): KubernetesObject[] {
    return this.#index
      .dependents(uid)
      .flatMap((one) => (one.resource === resource ? [one.object] : []));
  }

  async #roll(
    { spec, current }: { readonly spec: DeploymentSpec; readonly current: KubernetesObject },
    own: readonly KubernetesObject[],
    old: readonly KubernetesObject[],
  ): Promise<void> {
    const { replicas, surge, missing } = limitsOf(spec);
    const room = Math.min(replicas - own.length, replicas + surge - own.length - old.length);
    for (let n = 0; n < room; n += 1) await this.#createPod(current, spec.template);
    for (const pod of own.slice(replicas)) await this.#delete(pod);
    const unready = old.filter((pod) => !isReady(pod));
    const ready = [...own, ...old].filter(isReady).length;
    const spare = Math.max(0, ready - Math.max(0, replicas - missing));
    const surplus = own.length >= replicas ? unready : [];
    for (const pod of [...surplus, ...old.filter(isReady).slice(0, spare)]) await this.#delete(pod);
  }

  /** The ReplicaSet of the template. Its revision, and that of the Deployment, is above those of all others. */
  async #currentSet(
    deployment: KubernetesObject,
    sets: readonly KubernetesObject[],
    hash: string,
  ): Promise<KubernetesObject> {
    const isCurrent = ({ metadata }: KubernetesObject): boolean =>
      metadata.labels?.['pod-template-hash'] === hash;
    const others = sets.filter((set) => !isCurrent(set)).map(revisionOf);
    const known = sets.find(isCurrent);
    const revision = Math.max(known ? revisionOf(known) : 0, Math.max(0, ...others) + 1);
    const current = known ?? (await this.#createSet(deployment, hash, revision));
    for (const [type, object] of [
      [resources.ReplicaSet, current],
      [resources.Deployment, deployment],
    ] as const)
      if (revisionOf(object) !== revision)
        await this.#client.patch(type, keyOf(object), { metadata: annotated(revision) });
    return current;
  }

  async #createSet(
    deployment: KubernetesObject,
    hash: string,
    revision: number,
  ): Promise<KubernetesObject> {
    const { apiVersion, kind, metadata } = deployment;
    const { replicas, selector, template } = deployment['spec'] as unknown as DeploymentSpec;
    const labels = { ...template.metadata?.labels, 'pod-template-hash': hash };
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' };
    return this.#client.create({
      apiVersion,
      kind: 'ReplicaSet',
      metadata: {
        name: `${metadata.name}-${hash}`,
        labels,
        ...annotated(revision),
        ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
        ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
      },
      spec: {
        replicas,
        selector: { matchLabels: { ...selector.matchLabels, 'pod-template-hash': hash } },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
    });
  }

  async #createPod(set: KubernetesObject, template: PodTemplate): Promise<void> {
    const name = `${set.metadata.name}-${suffix()}`;
    const hash = set.metadata.labels?.['pod-template-hash'] ?? '';
    await this.#client.create(
      podOf(set, template, { name, labels: { 'pod-template-hash': hash } }),
    );
  }

  async #delete(pod: KubernetesObject): Promise<void> {
    await this.#client.delete(resources.Pod, keyOf(pod));
  }

  async #writeStatus(
    deployment: KubernetesObject,
    own: readonly KubernetesObject[],
    old: readonly KubernetesObject[],
  ): Promise<void> {
    const { replicas = 1 } = deployment['spec'] as unknown as DeploymentSpec;
    const { status: before } = deployment as { status?: Json };
    const all = [...own, ...old];
    const ready = all.filter(isReady).length;
    const isAvailable = ready >= replicas;
    const conditions = [
      condition(
        before,
        'Available',
        isAvailable,
        isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      ),
      condition(before, 'Progressing', true, 'NewReplicaSetAvailable'),
    ];
    const status = {
      observedGeneration: deployment.metadata.generation,
      replicas: all.length,
      updatedReplicas: own.length,
      readyReplicas: ready,
      availableReplicas: ready,
      unavailableReplicas: Math.max(0, replicas - ready),
      conditions,
    };
    const options = { subresource: 'status' } as const;
    await this.#client.patch(resources.Deployment, keyOf(deployment), { status }, options);
  }
}

/** A condition whose time changes only with its status. */
function condition(
  before: Json | undefined,
  type: string,
  isTrue: boolean,
  reason: string,
): object {
  const known = ((before?.['conditions'] ?? []) as readonly Json[]).find(
    (one) => one['type'] === type,
  );
  const status = isTrue ? 'True' : 'False';
  if (known?.['status'] === status && known['reason'] === reason) return known;
  return {
    type,
    status,
    reason,
    lastTransitionTime: new Date().toISOString().replace(/\.\d+/, ''),
  };
}
