/** Changes of a control plane during which an operator is killed. Each one starts with a cluster of its own. */
import { ADOPT_ETCD_ANNOTATION } from '../../../src/api/validation/adopt-etcd.ts';
import type { Karmada } from '../../../src/api/karmada.ts';
import { KARMADAS_LABEL } from '../../../src/host-clusters/host-namespace.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { karmadaReleases } from '../../../tools/embedded-cluster/releases.ts';
import { disturbedKarmada, disturbedName as name } from '../../harness/disturbed-install.ts';
import { saysReady } from '../../harness/is-ready.ts';
import type { StubCluster } from '../stub-cluster.ts';
import { isNativeEtcd, replaceByGoEtcd, runsWith } from './go-etcd.ts';

export const NAMESPACE = 'stubs';
const KEY = { namespace: NAMESPACE, name };

/** One step: a change by a user, and the state that ends it. */
export interface Step {
  readonly change: (cluster: StubCluster) => Promise<unknown>;
  readonly isDone: (cluster: StubCluster) => Promise<boolean>;
  /** What to print if it does not end. */
  readonly seen: (cluster: StubCluster) => Promise<string>;
}

export interface Scenario {
  readonly title: string;
  /** Steps with an operator that is not killed. */
  readonly before: readonly Step[];
  /** Changes the cluster while no operator runs, after these steps. */
  readonly between?: (cluster: StubCluster) => Promise<unknown>;
  readonly steps: readonly Step[];
}

const find = async ({ client }: StubCluster): Promise<Karmada | undefined> =>
  (await client.find(karmadas, KEY)) as Karmada | undefined;

const seen = async (cluster: StubCluster): Promise<string> =>
  JSON.stringify((await find(cluster))?.status?.conditions ?? 'no Karmada');

const isReady = async (cluster: StubCluster): Promise<boolean> => {
  const found = await find(cluster);
  return found !== undefined && saysReady(found);
};

const patch = (spec: object): Step => ({
  change: ({ client }) => client.patch(karmadas, KEY, { spec }),
  isDone: isReady,
  seen,
});

/** Creates a control plane. @param more settings of its spec @param annotations of the Karmada */
export function install(
  more: object = {},
  annotations: Readonly<Record<string, string>> = {},
): Step {
  const given = disturbedKarmada(NAMESPACE) as KubernetesObject & { spec: object };
  const karmada = { ...given, metadata: { ...given.metadata, annotations } };
  const labels = { [KARMADAS_LABEL]: 'Any' };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } };
  return {
    async change({ client }) {
      await client.create(namespace);
      await client.create({ ...karmada, spec: { ...karmada.spec, ...more } });
    },
    isDone: isReady,
    seen,
  };
}

const HOST_SECRET = 'remote-host';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Credentials of a cluster, as those of a remote host cluster. */
const hostSecret = ({ access: { host, port, ca, token } }: StubCluster): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: HOST_SECRET, namespace: NAMESPACE },
  data: {
    server: encoded(`https://${host}:${String(port)}`),
    caBundle: encoded(ca),
    token: encoded(token),
  },
});

/** Creates a control plane whose remote host cluster is the cluster itself: the operator reaches its Pods only by port-forwards. */
export function installRemotely(more: object = {}): Step {
  const hostCluster = { secretRef: { name: HOST_SECRET, namespace: NAMESPACE } };
  const step = install({ ...more, hostCluster });
  return {
    ...step,
    async change(cluster) {
      await step.change(cluster);
      await cluster.client.create(hostSecret(cluster));
    },
  };
}

const members = (replicas: number): Step => ({
  ...patch({ components: { etcd: { local: { replicas } } } }),
  isDone: async (cluster) => {
    const found = await find(cluster);
    const count = `${String(replicas)}/${String(replicas)}`;
    return found !== undefined && saysReady(found) && found.status?.etcd === count;
  },
});

const remove: Step = {
  change: ({ client }) => client.delete(karmadas, KEY),
  isDone: async (cluster) => (await find(cluster)) === undefined,
  seen,
};

const { current, previous } = karmadaReleases;

export const INSTALL: Scenario = { title: 'an installation', before: [], steps: [install()] };

export const UPGRADE: Scenario = {
  title: 'an upgrade',
  before: [install({ version: previous })],
  steps: [patch({ version: current })],
};

export const MEMBERS: Scenario = {
  title: 'etcd members that are added and removed',
  // The PVCs of former members are replaced.
  before: [install(), members(3), members(1)],
  steps: [members(3), members(1)],
};

const CONSENT = { [ADOPT_ETCD_ANNOTATION]: 'Automatic' };

/** Whether no condition tells of an etcd of the Go operator. */
const isAdopted = async (cluster: StubCluster): Promise<boolean> =>
  !(await seen(cluster)).includes('"EtcdAdopted"');

/** An etcd of the Go operator with a number of members, and the consent to change it. */
export const adoptedEtcd = (count: number): Scenario => ({
  title: `the consent to change ${String(count)} etcd members of the Go operator`,
  before: [install(withMembers(count))],
  between: (cluster) => replaceByGoEtcd(cluster, KEY, count),
  steps: [
    {
      change: ({ client }) => client.patch(karmadas, KEY, { metadata: { annotations: CONSENT } }),
      isDone: async (cluster) =>
        (await isNativeEtcd(cluster, KEY, count)) &&
        (await isAdopted(cluster)) &&
        (await isReady(cluster)),
      seen,
    },
  ],
});

/** A setting of etcd whose text is in its Pods when they have restarted with it. */
const setting = (local: object, text: string, count: number): Step => ({
  ...patch({ components: { etcd: { local } } }),
  isDone: async (cluster) =>
    (await runsWith(cluster, KEY, { members: count, text })) && (await isReady(cluster)),
});

/** What an etcd of the Go operator accepts after the last step, as any other one does. */
export const SETTINGS_OF_ETCD: readonly Step[] = [
  members(3),
  setting({ quotaBackendBytes: 3_000_000_000 }, '--quota-backend-bytes=3000000000', 3),
  members(1),
  setting({ imageTag: '3.6.99-0' }, ':3.6.99-0', 1),
];

const withMembers = (replicas: number): object => ({
  components: { etcd: { local: { replicas } }, karmadaMetricsAdapter: { replicas: 1 } },
});

export const DELETION: Scenario = { title: 'a deletion', before: [install()], steps: [remove] };
