import { ABANDON_HOST_ANNOTATION, type Condition, type Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import type { ImageName } from '../../tools/embedded-cluster/images.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { addressesOf, slotOf } from '../../tools/embedded-cluster/slot.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import { apply, getObject, useCluster } from './cluster.ts';
import { installOperator } from './operator.ts';
import { kubeconfigWith, grantHostAccess, type HostCredentials } from './remote-host.ts';
import { sharedCluster } from '../../tools/embedded-cluster/shared-cluster.ts';

const progress = createProgress(process.stderr);
/** Namespace of the Karmadas and their control planes. */
export const REMOTE_NAMESPACE = 'remote-test';
const inNamespace = ['-n', REMOTE_NAMESPACE];
const MADE = 'deployments,statefulsets,services,secrets,poddisruptionbudgets,pods';

/** Components of a small control plane on emptyDir volumes. */
export const SMALL = {
  etcd: { local: { volumeData: { emptyDir: {} } } },
  karmadaMetricsAdapter: { enabled: false },
};

/**
 * The shared cluster as management cluster with the operator, and a host cluster in which the operator has the
 * documented permissions. The Secret `host` contains the kubeconfig of the host cluster.
 */
export class RemoteHostScene {
  readonly management: Cluster;
  readonly host: Cluster;
  readonly credentials: HostCredentials;
  readonly #further: Cluster[] = [];

  private constructor(management: Cluster, host: Cluster, credentials: HostCredentials) {
    this.management = management;
    this.host = host;
    this.credentials = credentials;
  }

  /** Starts the clusters. @param images further images of the host cluster */
  static async start(images: readonly ImageName[] = []): Promise<RemoteHostScene> {
    const management = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    const host = await startCluster('remote', images);
    const scene = new RemoteHostScene(management, host, await grantHostAccess(host));
    await scene.#clean();
    await tryKubectl(management, ['delete', 'namespace', REMOTE_NAMESPACE, '--timeout=180s']);
    await installOperator(management);
    const metadata = { name: REMOTE_NAMESPACE };
    await apply(management, { apiVersion: 'v1', kind: 'Namespace', metadata });
    await scene.pointTo('host', host, scene.credentials);
    return scene;
  }

  /** Starts another cluster, which `end` removes too. */
  async startFurther(
    name: string,
    images: readonly ImageName[],
    dnsDomain: string,
  ): Promise<Cluster> {
    const cluster = await startCluster(name, images, dnsDomain);
    this.#further.push(cluster);
    return cluster;
  }

  async end(): Promise<void> {
    await this.#clean();
    const namespace = ['delete', 'namespace', REMOTE_NAMESPACE, '--wait=false'];
    await tryKubectl(this.management, namespace);
    for (const { name } of [this.host, ...this.#further]) await down(name, progress);
  }

  /** Deletes all Karmadas. Those whose host cluster is gone would wait for it. */
  async #clean(): Promise<void> {
    const all = ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s'];
    await tryKubectl(this.management, all);
    const left = ['get', 'karmada', ...inNamespace, '-o'];
    const named = 'jsonpath={range .items[*]}{.metadata.name}={.metadata.uid} {end}';
    const { stdout } = await tryKubectl(this.management, [...left, named]);
    for (const entry of stdout.split(' ').filter((text) => text !== '')) {
      const [name = '', uid = ''] = entry.split('=');
      const annotation = `${ABANDON_HOST_ANNOTATION}=${uid}`;
      const annotate = ['annotate', 'karmada', name, ...inNamespace, '--overwrite', annotation];
      await tryKubectl(this.management, annotate);
    }
    await tryKubectl(this.management, all);
  }

  /** URL of the API server of the host cluster. */
  get server(): string {
    return `https://${addressesOf(slotOf(this.host.name) ?? NaN).node}:6443`;
  }

  secret(name: string, values: object, namespace = REMOTE_NAMESPACE): object {
    const metadata = { name, namespace };
    return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: values };
  }

  /** Karmada with the host cluster of this Secret; an empty name means the management cluster. */
  karmada(name: string, secret: string, spec: object = {}): object {
    const namespace = REMOTE_NAMESPACE;
    const hostCluster = { secretRef: { name: secret, namespace } };
    return {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: { name, namespace },
      spec: { ...(secret !== '' && { hostCluster }), components: SMALL, ...spec },
    };
  }

  /** Writes the kubeconfig of a cluster into a Secret. */
  async pointTo(secret: string, cluster: Cluster, credentials: HostCredentials): Promise<void> {
    const kubeconfig = await kubeconfigWith(cluster, credentials);
    await apply(this.management, this.secret(secret, { kubeconfig }));
  }

  current(name: string): Promise<Karmada> {
    return getObject<Karmada>(this.management, 'karmada', name, REMOTE_NAMESPACE);
  }

  /** Waits until the condition of a Karmada has the given field values. */
  until(name: string, type: string, expected: Partial<Condition>): Promise<Condition> {
    return poll(
      `${type} of ${name} is ${JSON.stringify(expected)}`,
      async (seen) => {
        const { status } = await this.current(name);
        const found = status?.conditions?.find((condition) => condition.type === type);
        seen(JSON.stringify(found));
        const same = Object.entries(expected).every(
          ([key, value]) => found?.[key as keyof Condition] === value,
        );
        return same ? found : undefined;
      },
      { deadlineMs: 90_000 },
    );
  }

  /** Names of the objects of a control plane in a cluster. */
  async names(cluster: Cluster, name: string): Promise<string[]> {
    const text = await kubectl(cluster, ['get', MADE, ...inNamespace, '-o', 'name']);
    return text.split('\n').filter((line) => line.includes(`/${name}-`));
  }

  /** Names of all objects of a namespace in a cluster. */
  async namesIn(cluster: Cluster, namespace: string): Promise<string> {
    return (await kubectl(cluster, ['get', MADE, '-n', namespace, '-o', 'name'])).trim();
  }

  /** Waits until an object exists in a cluster. */
  untilThere(cluster: Cluster, object: string): Promise<true> {
    return poll(`${object} exists`, async (seen) => {
      const { code, stderr } = await tryKubectl(cluster, ['get', object, ...inNamespace]);
      seen(stderr);
      return code === 0 ? true : undefined;
    });
  }

  async patch(name: string, spec: object): Promise<void> {
    const patch = ['--type=merge', '-p', JSON.stringify({ spec })];
    await kubectl(this.management, ['patch', 'karmada', name, ...inNamespace, ...patch]);
  }

  /** Deletes a Karmada and waits until it is gone. */
  async remove(name: string): Promise<void> {
    const args = ['delete', 'karmada', name, ...inNamespace, '--timeout=180s'];
    await kubectl(this.management, args);
  }
}

/** Starts a cluster beside the shared one. @param images further images */
export function startCluster(
  suffix: string,
  images: readonly ImageName[] = [],
  dnsDomain?: string,
): Promise<Cluster> {
  const current = ['etcd', 'kubernetes', 'karmada'] as const;
  return up({
    name: `${sharedCluster}-${suffix}`,
    images: [...current, ...images],
    ...(dnsDomain !== undefined && { dnsDomain }),
    progress,
  });
}
