import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { instanceName } from '../../src/api/naming.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import {
  CLAIM_ANNOTATION,
  recordIn,
  claimAnnotationIn,
  type ClaimAnnotation,
  type EtcdRecord,
} from '../../src/etcd-cluster/identity/record.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { etcdTags } from '../../tools/embedded-cluster/releases.ts';
import { apply, getObject } from './cluster.ts';
import { untilReady } from './control-plane.ts';
import { etcdAnswers, type InstanceAt, type MemberAnswer } from './etcd-members.ts';
import { auditedApiServer } from './requests.ts';

/** Clusters and namespace of a suite. */
export interface Stage {
  readonly management: Cluster;
  /** Host cluster of the control planes. */
  readonly host: Cluster;
  readonly namespace: string;
}

/** UID and restart count by Pod name. */
export type Pods = Readonly<Record<string, string>>;

/** Long enough for several control planes that start at the same time. */
const DEADLINE = { deadlineMs: 300_000, intervalMs: 500 };

const volumeClaim = {
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

export const ON_CLAIMS = { volumeClaim };
export const IN_MEMORY = { emptyDir: {} };

const IDENTITIES = 'operator.karmada.io/component-identities';

/** Name of the Secret with the credentials of the remote host cluster. */
export const HOST_SECRET = 'host';

/** One small Karmada and queries for the objects of its control plane. */
export class Scene {
  readonly name: string;
  readonly #stage: Stage;

  constructor(stage: Stage, name: string) {
    this.#stage = stage;
    this.name = name;
  }

  get at(): InstanceAt {
    const { host: cluster, namespace } = this.#stage;
    return { cluster, name: this.name, namespace };
  }

  /** Creates the Karmada, or changes its etcd settings. */
  async create(local: object): Promise<void> {
    const { management, host, namespace } = this.#stage;
    const components = {
      // The default image of an earlier operator may not be one of the embedded images.
      etcd: { local: { imageTag: etcdTags.current, ...local } },
      karmadaAPIServer: auditedApiServer,
      karmadaMetricsAdapter: { enabled: false },
    };
    const hostCluster = { secretRef: { name: HOST_SECRET, namespace } };
    await apply(management, {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      // The switch of identities has tests of its own, and would go on for more than an hour.
      metadata: { name: this.name, namespace, annotations: { [IDENTITIES]: 'Keep' } },
      spec: { components, ...(host !== management && { hostCluster }) },
    });
  }

  /** Returns the age of the Secret with the certificates in milliseconds. @throws Error if there is none */
  async certificateAge(): Promise<number> {
    const { host, namespace } = this.#stage;
    const secret = instanceName(this.name, 'cert');
    const { metadata } = await getObject<KubernetesObject>(host, 'secret', secret, namespace);
    return Date.now() - Date.parse(metadata.creationTimestamp ?? '');
  }

  async patch(spec: object): Promise<void> {
    const { management, namespace } = this.#stage;
    const patch = ['--type=merge', '-p', JSON.stringify({ spec })];
    await kubectl(management, ['patch', 'karmada', this.name, '-n', namespace, ...patch]);
  }

  async remove(): Promise<void> {
    const { management, namespace } = this.#stage;
    await kubectl(management, ['delete', 'karmada', this.name, '-n', namespace, '--timeout=120s']);
  }

  async untilReady(): Promise<void> {
    const { management, namespace } = this.#stage;
    await untilReady(management, this.name, namespace, DEADLINE.deadlineMs);
  }

  async conditions(): Promise<readonly Condition[]> {
    const { management, namespace } = this.#stage;
    const { status } = await getObject<Karmada>(management, 'karmada', this.name, namespace);
    return status?.conditions ?? [];
  }

  /** Waits until the condition has the given field values. */
  async until(type: string, wanted: Partial<Condition>): Promise<Condition> {
    return poll(
      `${type} of ${this.name} is ${JSON.stringify(wanted)}`,
      async (seen) => {
        const conditions = await this.conditions();
        seen(JSON.stringify(conditions));
        const found = conditions.find((condition) => condition.type === type);
        const fields = Object.entries(wanted) as [keyof Condition, unknown][];
        return fields.every(([field, value]) => found?.[field] === value) ? found : undefined;
      },
      DEADLINE,
    );
  }

  /** Waits until the responses of the etcd members satisfy `isSo`. */
  async untilMembers(
    what: string,
    isSo: (answers: readonly MemberAnswer[]) => boolean,
  ): Promise<readonly MemberAnswer[]> {
    return poll(
      `etcd of ${this.name}: ${what}`,
      async (seen) => {
        const answers = await this.members().catch((error: unknown) => String(error));
        seen(JSON.stringify(answers));
        return typeof answers !== 'string' && isSo(answers) ? answers : undefined;
      },
      DEADLINE,
    );
  }

  /** Status of the etcd members that respond, with the number of all keys. */
  members(): Promise<MemberAnswer[]> {
    return etcdAnswers(this.at, '/registry/');
  }

  /** Object of the control plane on the host cluster, by kind and name suffix; undefined if it does not exist. */
  async find(kind: string, suffix: string): Promise<KubernetesObject | undefined> {
    return (await this.#objects(kind)).find(
      ({ metadata }) => metadata.name === instanceName(this.name, suffix),
    );
  }

  async untilThere(kind: string, suffix: string): Promise<void> {
    await poll(
      `${kind} ${instanceName(this.name, suffix)} exists`,
      async () => this.find(kind, suffix),
      { ...DEADLINE, intervalMs: 100 },
    );
  }

  async #objects(kind: string): Promise<readonly KubernetesObject[]> {
    const { host, namespace } = this.#stage;
    const text = await kubectl(host, ['get', kind, '-n', namespace, '-o', 'json']);
    return (JSON.parse(text) as { items: KubernetesObject[] }).items;
  }

  /** Record of the etcd cluster from the CA backup Secret. */
  async record(): Promise<EtcdRecord | undefined> {
    const backup = await this.find('secrets', 'ca-backup');
    const record = recordIn(backup?.metadata.annotations);
    if (record === 'unreadable') throw new Error(`the record of ${this.name} is not valid`);
    return record;
  }

  /** Etcd annotations of the PVCs. */
  async stamps(): Promise<readonly (ClaimAnnotation | undefined)[]> {
    const prefix = `etcd-data-${instanceName(this.name, 'etcd')}-`;
    const claims = (await this.#objects('persistentvolumeclaims')).filter(({ metadata }) =>
      metadata.name.startsWith(prefix),
    );
    return claims.map(({ metadata }) => {
      const stamp = claimAnnotationIn(metadata.annotations);
      if (stamp === 'unreadable')
        throw new Error(`${CLAIM_ANNOTATION} of ${metadata.name} is not valid`);
      return stamp;
    });
  }

  /** Waits until the record contains this etcd cluster ID. */
  async untilRecorded(clusterID: string | undefined): Promise<EtcdRecord> {
    return poll(`the record of ${this.name} contains the cluster ID`, async (seen) => {
      const record = await this.record();
      seen(JSON.stringify(record));
      return record?.clusterID === clusterID && record?.state === 'born' ? record : undefined;
    });
  }

  /** Waits until the Pod of the first etcd member is replaced or restarted. */
  async untilEtcdRestarted(before: Pods): Promise<void> {
    const pod = `${instanceName(this.name, 'etcd')}-0`;
    await poll(
      `${pod} is replaced or restarted`,
      async (seen) => {
        const now = (await this.pods())[pod];
        seen(`${now ?? 'none'}, before ${before[pod] ?? 'none'}`);
        return now !== undefined && now !== before[pod] ? true : undefined;
      },
      DEADLINE,
    );
  }

  /** Waits until every Deployment of the control plane has replaced its Pods. */
  async untilRolledOut(): Promise<void> {
    const { host, namespace } = this.#stage;
    const own = ['-l', `app.kubernetes.io/instance=${this.name}`, '-n', namespace];
    await kubectl(host, ['rollout', 'status', 'deployment', ...own, '--timeout=120s']);
  }

  /** Pods of the control plane that are not terminating. */
  async pods(): Promise<Pods> {
    const pods = (await this.#objects('pods')).filter(
      ({ metadata: { labels, deletionTimestamp } }) =>
        labels?.['app.kubernetes.io/instance'] === this.name && deletionTimestamp === undefined,
    );
    return Object.fromEntries(
      pods.map(({ metadata, status }) => {
        const { containerStatuses = [] } = status as {
          containerStatuses?: readonly { restartCount: number }[];
        };
        const restarts = containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
        return [metadata.name, `${metadata.uid ?? ''} restarted ${String(restarts)}`];
      }),
    );
  }

  /** `--initial-cluster-token` of the etcd StatefulSet; undefined if there is no StatefulSet. */
  async token(): Promise<string | undefined> {
    const set = await this.find('statefulsets', 'etcd');
    return /--initial-cluster-token=([^"]+)"/.exec(JSON.stringify(set?.['spec'] ?? {}))?.[1];
  }
}
