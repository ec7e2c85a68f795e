/** A real Prometheus in a Pod of a test cluster, which finds its targets through the API server. */
import { basename, dirname } from 'node:path';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { kubectl, tryKubectl, type Cluster } from '../../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { apply } from '../cluster.ts';

/** Name of the Pod and of its ServiceAccount. */
const NAME = 'prometheus';
const PORT = 9090;

export interface PodOptions {
  readonly namespace: string;
  /** Content of prometheus.yml. */
  readonly configuration: object;
  readonly secret: { readonly name: string; readonly mountPath: string };
}

export interface Target {
  readonly scrapePool: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly health: 'up' | 'down' | 'unknown';
  readonly lastError: string;
}

export class PrometheusPod {
  readonly #cluster: Cluster;
  readonly #namespace: string;

  private constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  /** Builds Prometheus if necessary, and waits until it is ready. The program is that of the machine. */
  static async start(cluster: Cluster, options: PodOptions): Promise<PrometheusPod> {
    const { prometheus } = await ensureBinaries(['prometheus']);
    await apply(cluster, ...objects(prometheus, options));
    const pod = new PrometheusPod(cluster, options.namespace);
    await poll('Prometheus is ready', async (seen) => {
      const { code, stdout, stderr } = await tryKubectl(cluster, [
        'get',
        '--raw',
        pod.#path('-/ready'),
      ]);
      if (code !== 0) seen(`${stdout}${stderr}${await pod.#log()}`);
      return code === 0 ? true : undefined;
    });
    return pod;
  }

  async targets(): Promise<readonly Target[]> {
    const { activeTargets } = await this.#get<{ activeTargets: readonly Target[] }>(
      'targets?state=active',
    );
    return activeTargets;
  }

  /** Evaluates an expression now, and returns the labels of its series. */
  async query(expression: string): Promise<readonly Readonly<Record<string, string>>[]> {
    const query = new URLSearchParams({ query: expression }).toString();
    const { result } = await this.#get<{ result: readonly { metric: Record<string, string> }[] }>(
      `query?${query}`,
    );
    return result.map(({ metric }) => metric);
  }

  #path(path: string): string {
    return `/api/v1/namespaces/${this.#namespace}/pods/${NAME}:${String(PORT)}/proxy/${path}`;
  }

  async #get<T>(path: string): Promise<T> {
    const text = await kubectl(this.#cluster, ['get', '--raw', this.#path(`api/v1/${path}`)]);
    return (JSON.parse(text) as { data: T }).data;
  }

  async #log(): Promise<string> {
    const log = await tryKubectl(this.#cluster, ['logs', NAME, '-n', this.#namespace, '--tail=20']);
    return log.stdout;
  }
}

function objects(program: string, given: PodOptions): readonly object[] {
  const metadata = { name: NAME, namespace: given.namespace };
  // JSON is YAML.
  const data = { 'prometheus.yml': JSON.stringify(given.configuration) };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
    { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec(program, given) },
  ];
}

const podSpec = (program: string, { secret }: PodOptions): object => ({
  serviceAccountName: NAME,
  terminationGracePeriodSeconds: 1,
  containers: [
    {
      name: NAME,
      image: 'docker.io/library/busybox:1.36',
      command: [
        `/program/${basename(program)}`,
        '--config.file=/config/prometheus.yml',
        '--storage.tsdb.path=/data',
        '--log.level=warn',
      ],
      volumeMounts: [
        { name: 'program', mountPath: '/program', readOnly: true },
        { name: 'config', mountPath: '/config', readOnly: true },
        { name: 'secret', mountPath: secret.mountPath, readOnly: true },
        { name: 'data', mountPath: '/data' },
      ],
    },
  ],
  volumes: [
    { name: 'program', hostPath: { path: dirname(program), type: 'Directory' } },
    { name: 'config', configMap: { name: NAME } },
    { name: 'secret', secret: { secretName: secret.name } },
    { name: 'data', emptyDir: {} },
  ],
});
