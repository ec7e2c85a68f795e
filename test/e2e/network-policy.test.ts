/**
 * NetworkPolicies of control planes, enforced by kube-router: each connection of the table of edges is open and all others are
 * closed, between two Karmadas of one namespace, in a remote host cluster, and for backups and scrapes.
 *
 * @size large
 * @job identities
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { BACKUP_KARMADA } from '../../src/api/backup/kinds.ts';
import { BACKUP_PODS, COMPONENT, INSTANCE, RECOVERY_PODS } from '../../src/api/labels.ts';
import {
  EDGES,
  FREE_EGRESS,
  type PodGroup,
  type Source,
} from '../../src/components/network/edges.ts';
import type { Pod } from '../../src/kubernetes/objects/pod-kinds.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { operatorNamespace } from '../demo/install.ts';
import { karmadaName as name } from '../harness/backup-objects.ts';
import { BackupScene } from '../harness/backup-scene.ts';
import { apply, removeCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { connectionsFrom, type PodName } from '../harness/pod-network.ts';
import { startPolicyEngine } from '../harness/policy-engine.ts';
import {
  REMOTE_NAMESPACE as namespace,
  RemoteHostScene,
  SMALL,
} from '../harness/remote-host-scene.ts';

/** Beside `name`, with all policies from the beginning. */
const other = 'karmada-beside';
const remote = 'karmada-remote';
const monitoring = 'policy-monitoring';
const inNamespace = ['-n', namespace];

const ADDONS = {
  ...SMALL,
  karmadaMetricsAdapter: { replicas: 1 },
  karmadaSearch: {},
  karmadaDescheduler: {},
  karmadaSchedulerEstimator: {},
};

/** A Pod that listens on port 2379 of all addresses, with these labels. */
const busybox = (called: string, where: string, labels: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: called, namespace: where, labels },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'docker.io/library/busybox:1.36',
        command: ['httpd', '-f', '-p', '2379'],
        // Namespaces that the operator creates admit no other Pods.
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 65_534,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          seccompProfile: { type: 'RuntimeDefault' },
        },
      },
    ],
  },
});

const RECOVERY = `${name}-recovery`;
const SAVING = `${name}-saving`;

/** Pods that stand for those which exist only for minutes. */
const STAND_INS = [
  busybox(SAVING, namespace, { [COMPONENT]: BACKUP_PODS, [BACKUP_KARMADA]: name }),
  busybox(RECOVERY, namespace, { [COMPONENT]: RECOVERY_PODS, [INSTANCE]: name }),
  busybox('user', namespace, { app: 'shop' }),
  busybox('prometheus', monitoring, { [COMPONENT]: 'prometheus' }),
];

describeCluster('NetworkPolicies', () => {
  let scene: RemoteHostScene;
  let backups: BackupScene;

  const podsIn = async (cluster: Cluster, where: string): Promise<readonly Pod[]> => {
    const json = await kubectl(cluster, ['get', 'pods', '-n', where, '-o', 'json']);
    return (JSON.parse(json) as { items: Pod[] }).items;
  };

  const isOf = ({ metadata: { labels = {} } }: Pod, group: PodGroup, karmada: string): boolean =>
    labels[COMPONENT] === group && (labels[INSTANCE] ?? labels[BACKUP_KARMADA]) === karmada;

  /** The first Pod of a group that is not terminating. */
  const among = (pods: readonly Pod[], group: PodGroup, karmada: string): Pod => {
    const found = pods.find(
      (pod) => isOf(pod, group, karmada) && pod.metadata.deletionTimestamp === undefined,
    );
    if (found === undefined) throw new Error(`no Pod of ${group} of ${karmada}`);
    return found;
  };

  const podOf = async (group: PodGroup, karmada = name, cluster = scene.management): Promise<Pod> =>
    among(await podsIn(cluster, namespace), group, karmada);

  const nameOf = ({ metadata }: Pod): PodName => ({
    name: metadata.name,
    namespace: metadata.namespace ?? '',
  });

  const sourceOf = async (source: Source): Promise<PodName> => {
    if (source === 'clients') return { name: 'user', namespace };
    if (source === 'monitoring') return { name: 'prometheus', namespace: monitoring };
    if (source !== 'operator') return nameOf(await podOf(source));
    const [operator] = await podsIn(scene.management, operatorNamespace);
    if (operator === undefined) throw new Error('no Pod of the operator');
    return nameOf(operator);
  };

  /** Ports on which Pods of each group listen. */
  const TARGETS = [
    ...new Map(
      EDGES.flatMap(({ to, port }) =>
        to.map((group) => [`${group} ${String(port)}`, { group, port }] as const),
      ),
    ).values(),
  ];

  /** Open connections from a Pod to the ports of a Karmada, as `group port`. No policy restricts those to the Pod itself. */
  const openFrom = async (source: PodName): Promise<readonly string[]> => {
    const pods = await podsIn(scene.management, namespace);
    const found = TARGETS.map((target) => ({ ...target, pod: among(pods, target.group, name) }));
    const others = found.filter(({ pod }) => pod.metadata.name !== source.name);
    const addresses = others.map(({ pod, port }) => ({ host: pod.status?.podIP ?? '', port }));
    const open = await connectionsFrom(scene.management, source, addresses);
    return others
      .filter((_, index) => open[index])
      .map(({ group, port }) => `${group} ${String(port)}`)
      .sort();
  };

  const isEdge = (source: Source, { group, port }: (typeof TARGETS)[number]): boolean =>
    EDGES.some(
      (edge) => edge.from.includes(source) && edge.to.includes(group) && edge.port === port,
    );

  /** What a source reaches: its edges and, without restricted egress, what all clients reach. */
  const reachedBy = (source: Source): readonly string[] => {
    const isFree = source === 'monitoring' || [...FREE_EGRESS.keys()].some((one) => one === source);
    return TARGETS.filter(
      (target) =>
        target.group !== source &&
        (isEdge(source, target) || (isFree && isEdge('clients', target))),
    )
      .map(({ group, port }) => `${group} ${String(port)}`)
      .sort();
  };

  /** Waits until the engine enforces what the policies say. */
  const untilOpen = (source: PodName, expected: readonly string[]): Promise<readonly string[]> =>
    poll(`connections from ${source.name}`, async (seen) => {
      const found = await openFrom(source);
      seen(`${found.join(', ')} instead of ${expected.join(', ')}`);
      return JSON.stringify(found) === JSON.stringify(expected) ? found : undefined;
    });

  /** UID and restarts of all Pods of a Karmada. */
  const restarts = async (karmada: string): Promise<readonly string[]> =>
    (await podsIn(scene.management, namespace))
      .filter(({ metadata: { labels = {} } }) => labels[INSTANCE] === karmada)
      .map(({ metadata, status }) => {
        const counts = status?.containerStatuses?.map(({ restartCount }) => restartCount);
        return `${metadata.name} ${String(metadata.uid)} ${String(counts?.join())}`;
      })
      .sort();

  const clean = async (): Promise<void> => {
    const where = ['--wait=false', '--ignore-not-found'];
    await tryKubectl(scene.management, ['delete', 'namespace', monitoring, ...where]);
    await tryKubectl(scene.management, ['delete', 'namespace', 'karmada-cluster', ...where]);
  };

  beforeAll(async () => {
    scene = await RemoteHostScene.start(['busybox']);
    const { management, host } = scene;
    await Promise.all([management, host].map((cluster) => startPolicyEngine(cluster)));
    backups = new BackupScene(management, namespace);
    await apply(management, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: monitoring },
    });
    await apply(management, scene.karmada(name, '', { components: ADDONS }), ...STAND_INS);
    const ready = ['--for=condition=Ready', '--timeout=60s'];
    const standIns = ['pod/user', `pod/${RECOVERY}`, `pod/${SAVING}`];
    await kubectl(management, ['wait', ...standIns, ...inNamespace, ...ready]);
    await kubectl(management, ['wait', 'pod/prometheus', '-n', monitoring, ...ready]);
    await untilReady(management, name, namespace, 300_000);
    const plane = await openControlPlane(management, name, namespace);
    await plane.karmadactl(['join', 'host', `--cluster-kubeconfig=${management.kubeconfig}`]);
    await poll('the estimator runs', async () =>
      podOf('karmada-scheduler-estimator').catch(() => undefined),
    );
    await untilReady(management, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await clean();
    await scene.end();
    // The rules of the engine stay in the node.
    await removeCluster();
  }, 300_000);

  it('do not exist by default, and every Pod reaches every port', async () => {
    const all = TARGETS.map(({ group, port }) => `${group} ${String(port)}`).sort();
    await untilOpen({ name: 'user', namespace }, all);
  }, 120_000);

  it('do not restart or disturb a running control plane', async () => {
    const before = await restarts(name);
    const policy = { networkPolicy: 'Enforced', monitoring: { namespaces: [monitoring] } };
    await scene.patch(name, policy);
    await untilReady(scene.management, name, namespace);
    await untilOpen({ name: 'user', namespace }, ['karmada-apiserver 5443']);
    await untilReady(scene.management, name, namespace);
    expect(await restarts(name)).toEqual(before);
  }, 240_000);

  it('let a new control plane become Ready', async () => {
    const components = { ...ADDONS, karmadaSchedulerEstimator: { enabled: false } };
    const spec = { components, networkPolicy: 'Enforced' };
    await apply(scene.management, scene.karmada(other, '', spec));
    await untilReady(scene.management, other, namespace, 300_000);
  }, 360_000);

  const SOURCES: readonly Source[] = [...new Set(EDGES.flatMap(({ from }) => from))];

  it.each(SOURCES)(
    'open exactly the edges from %s',
    async (source) => {
      await untilOpen(await sourceOf(source), reachedBy(source));
    },
    120_000,
  );

  it('let no component reach the components of another Karmada in the namespace', async () => {
    for (const group of ['karmada-apiserver', 'karmada-controller-manager'] as const) {
      const open = await openFrom(nameOf(await podOf(group, other)));
      expect([group, open]).toEqual([group, ['karmada-apiserver 5443']]);
    }
    for (const group of ['etcd', 'karmada-scheduler', 'karmada-webhook'] as const)
      expect([group, await openFrom(nameOf(await podOf(group, other)))]).toEqual([group, []]);
  }, 120_000);

  it('let a backup be taken and verified', async () => {
    await apply(scene.management, ...backups.store(), backups.backup('first'));
    const { status } = await backups.untilEnded('first');
    expect(status?.phase).toBe('Verified');
  }, 300_000);

  it('let the operator manage a control plane in a remote host cluster through port-forwards', async () => {
    const spec = { components: SMALL, networkPolicy: 'Enforced' };
    await apply(scene.management, scene.karmada(remote, 'host', spec));
    await untilReady(scene.management, remote, namespace, 300_000);
    await scene.until(remote, 'EtcdHealthy', { status: 'True' });
    await apply(scene.host, busybox('user', namespace, {}));
    await kubectl(scene.host, ['wait', 'pod/user', ...inNamespace, '--for=condition=Ready']);
    const { status } = await podOf('etcd', remote, scene.host);
    const etcd = { host: status?.podIP ?? '', port: 2379 };
    await poll('etcd is closed to other Pods', async () => {
      const [open] = await connectionsFrom(scene.host, { name: 'user', namespace }, [etcd]);
      return open === false ? true : undefined;
    });
  }, 420_000);

  it('are repaired when they are changed or deleted', async () => {
    const user = { name: 'user', namespace };
    const policy = ['networkpolicy', `${name}-etcd`, ...inNamespace];
    const open = [{ op: 'add', path: '/spec/ingress/-', value: {} }];
    const patch = ['--type=json', '-p', JSON.stringify(open)];
    await kubectl(scene.management, ['patch', ...policy, ...patch]);
    await untilOpen(user, ['karmada-apiserver 5443']);
    await kubectl(scene.management, ['delete', ...policy]);
    await poll('the policy exists again', async () => {
      const { code } = await tryKubectl(scene.management, ['get', ...policy]);
      return code === 0 ? true : undefined;
    });
    await untilOpen(user, ['karmada-apiserver 5443']);
  }, 240_000);

  it('are deleted when the spec says None', async () => {
    await scene.patch(name, { networkPolicy: 'None' });
    const all = [
      'get',
      'networkpolicies',
      ...inNamespace,
      '-l',
      `${INSTANCE}=${name}`,
      '-o',
      'name',
    ];
    await poll('there is no policy', async (seen) => {
      const found = await kubectl(scene.management, all);
      seen(found);
      return found.trim() === '' ? true : undefined;
    });
  }, 120_000);
});
