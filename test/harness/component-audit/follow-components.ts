/** Follows the audit log of a control plane, also while its API servers are replaced. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { COMPONENTS_GROUP } from '../../../src/api/identities.ts';
import { tryKubectl, type Cluster } from '../../../tools/embedded-cluster/cluster.ts';
import { apply } from '../cluster.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import {
  auditReport,
  componentRequest,
  forbiddenIn,
  requestKey,
  unreviewedIn,
  unusedPermissions,
  type ComponentRequest,
} from './component-requests.ts';

const NAME = 'audit-components';
const PATH = '/etc/karmada/audit-components';

/** ConfigMap with the audit policy, in the namespace of the Karmada. */
const componentPolicy = (namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: NAME, namespace },
  data: {
    'policy.yaml': JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [{ level: 'Metadata', userGroups: [COMPONENTS_GROUP] }, { level: 'None' }],
    }),
  },
});

/** Settings of karmada-apiserver that write the audit log to standard output. */
export const auditedComponents = {
  extraArgs: { 'audit-log-path': '-', 'audit-policy-file': `${PATH}/policy.yaml` },
  extraVolumes: [{ name: NAME, configMap: { name: NAME } }],
  extraVolumeMounts: [{ name: NAME, mountPath: PATH, readOnly: true }],
};

/** The log of a deleted Pod is gone, so that the requests of its last seconds are not seen. */
const EVERY_MS = 5_000;
/** Overlap of two readings, which a slow command needs. */
const OVERLAP_MS = 5_000;
/** What the first reading includes. */
const FIRST_MS = 60_000;
const PODS = 'app.kubernetes.io/name=karmada-apiserver';

export interface ComponentFindings {
  /** Suffixes of the components that have sent requests with an identity of their own. */
  readonly components: readonly string[];
  /** See `forbiddenIn`. */
  readonly forbidden: readonly string[];
  /** See `unreviewedIn`. It means something only after all that the components can do. */
  readonly unreviewed: readonly string[];
}

interface At {
  readonly name: string;
  readonly namespace: string;
}

export class ComponentAudit {
  readonly #cluster: Cluster;
  readonly #at: At;
  readonly #requests = new Map<string, ComponentRequest>();
  readonly #stop = new AbortController();
  readonly #loop: Promise<void>;
  #readAt = Date.now() - FIRST_MS;

  private constructor(cluster: Cluster, at: At) {
    this.#cluster = cluster;
    this.#at = at;
    this.#loop = this.#follow();
  }

  /** Creates the policy in a Namespace that exists, and starts to follow the control plane, which need not exist yet. */
  static async start(cluster: Cluster, at: At): Promise<ComponentAudit> {
    await apply(cluster, componentPolicy(at.namespace));
    return new ComponentAudit(cluster, at);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#read();
      await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #read(): Promise<void> {
    const { name, namespace } = this.#at;
    const [former, now] = [this.#readAt, Date.now()];
    this.#readAt = now;
    const since = Math.ceil((now - former + OVERLAP_MS) / 1_000);
    const selector = `${PODS},app.kubernetes.io/instance=${name}`;
    const list = ['get', 'pods', '-l', selector, '-n', namespace, '-o', 'name'];
    const pods = (await tryKubectl(this.#cluster, list)).stdout.split('\n').filter(Boolean);
    for (const pod of pods) {
      const logs = ['logs', pod, '-n', namespace, `--since=${String(since)}s`];
      const { stdout } = await tryKubectl(this.#cluster, logs);
      for (const line of stdout.split('\n')) {
        const request = componentRequest(line);
        if (request !== undefined) this.#requests.set(requestKey(request), request);
      }
    }
  }

  /** Ends, and saves a report below `artifacts/`. It may be called again. */
  async end(): Promise<ComponentFindings> {
    const isFirst = !this.#stop.signal.aborted;
    this.#stop.abort();
    await this.#loop;
    if (isFirst) await this.#read();
    const requests = [...this.#requests.values()];
    const components = [...new Set(requests.map(({ component }) => component))].sort();
    const folder = join(checkout, 'artifacts/component-audit');
    mkdirSync(folder, { recursive: true });
    const { name, namespace } = this.#at;
    const unused = unusedPermissions(requests, components);
    writeFileSync(join(folder, `${namespace}-${name}.txt`), auditReport(requests, unused));
    return { components, forbidden: forbiddenIn(requests), unreviewed: unreviewedIn(unused) };
  }
}
