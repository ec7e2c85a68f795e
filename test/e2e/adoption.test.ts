/**
 * Control planes that the Go operator created are adopted: same data, keys and certificates, planned restarts.
 *
 * @size enormous
 * @job adoption
 */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Components, KarmadaSpec } from '../../src/api/karmada.ts';
import { instanceName } from '../../src/api/naming.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { resources } from '../../src/kubernetes/objects/resources.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import {
  conditionOf,
  confirmationIn,
  createToken,
  secretData,
  untilAdopted,
  userOf,
} from '../harness/adopted-karmada.ts';
import {
  componentsOf,
  installByGoOperator,
  replaceGoCrd,
  startGoOperator,
  stopGoOperator,
  versionsIn,
  type GoRelease,
} from '../harness/adoption-scene.ts';
import { clientOf } from '../harness/client.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { ON_CLAIMS, IN_MEMORY } from '../harness/control-plane-scene.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import {
  createCA,
  endpointOf,
  etcdObjects,
  filesOf,
  leaf,
  secretOf,
} from '../harness/external-etcd.ts';
import { upstreamNamespace } from '../harness/go-operator.ts';
import { accessTo, untilMember } from '../harness/members.ts';
import { installOperator } from '../harness/operator.ts';
import { planOfPatch, podsIn, restartsBetween, restartsIn } from '../harness/plan.ts';
import { drawn, runsAll } from '../harness/sample.ts';
import { underTraffic } from '../harness/traffic/traffic.ts';

const name = 'demo';

/** Parts of the spec of a Karmada. */
type Prepared = Partial<KarmadaSpec>;

interface Case {
  readonly title: string;
  readonly release: GoRelease;
  readonly components: (release: GoRelease) => Components;
  /** Creates what the Karmada references. @returns fields of its spec; its components replace those of the case */
  readonly prepare?: (cluster: Cluster, namespace: string) => Promise<Prepared>;
  /** Whether the host cluster is a member of the control plane, in push mode. */
  readonly isMember?: true;
  /** Whether it is one of the cases of a short run. */
  readonly isSampled?: true;
}

/** Stores a CA of the user, which signs the certificates of the control plane. */
async function prepareCA(cluster: Cluster, namespace: string): Promise<Prepared> {
  const secret = { name: 'example-ca', namespace };
  const { certificate, key } = await createCA('rsa-2048');
  await apply(
    cluster,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    secretOf(secret, { 'tls.crt': certificate, 'tls.key': key }),
  );
  return { customCertificate: { apiServerCACert: secret } };
}

/** Namespace of an external etcd. */
const storage = 'adoption-storage';
/** The only name that the Go operator can use. */
const ACCESS = instanceName(name, 'etcd-cert');

/** Creates an etcd, and a Secret with credentials for it. */
async function prepareEtcd(cluster: Cluster, namespace: string): Promise<Prepared> {
  const ca = await createCA();
  const server = await leaf(ca, storage, { usage: 'serverAuth' });
  await apply(
    cluster,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: storage } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    secretOf(
      { name: ACCESS, namespace },
      filesOf(ca.certificate, await leaf(ca, storage, { kind: 'rsa-2048' })),
    ),
    ...etcdObjects(storage, server, ca.certificate),
  );
  const ready = ['rollout', 'status', 'statefulset', 'etcd', '-n', storage, '--timeout=120s'];
  await kubectl(cluster, ready);
  const secretRef = { name: ACCESS, namespace };
  return { components: { etcd: { external: { endpoints: [endpointOf(storage)], secretRef } } } };
}

const CASES: readonly Case[] = [
  {
    title: 'one etcd member on a PVC',
    release: 'current',
    components: (of) => componentsOf(of, { volumeData: ON_CLAIMS }),
  },
  {
    title: 'one etcd member on emptyDir',
    release: 'current',
    components: (of) => componentsOf(of, { volumeData: IN_MEMORY }),
  },
  {
    title: 'three etcd members on PVCs',
    // The Go operator of v1.18.2 cannot create them: they are found by DNS only when they are ready, and the reverse.
    release: 'previous',
    components: (of) => componentsOf(of, { replicas: 3, volumeData: ON_CLAIMS }),
  },
  {
    title: 'all addons and PodDisruptionBudgets',
    release: 'current',
    components: (of) =>
      componentsOf(
        of,
        { volumeData: ON_CLAIMS, podDisruptionBudgetConfig: { maxUnavailable: 1 } },
        {
          karmadaSearch: { podDisruptionBudgetConfig: { maxUnavailable: 1 } },
          karmadaDescheduler: {},
        },
      ),
  },
  {
    title: 'a CA of the user and a member cluster in push mode',
    release: 'current',
    components: (of) => componentsOf(of, { volumeData: ON_CLAIMS }),
    prepare: prepareCA,
    isMember: true,
  },
  {
    title: 'an external etcd',
    release: 'current',
    components: (of) => componentsOf(of, {}),
    prepare: prepareEtcd,
  },
  {
    title: 'Karmada v1.17.1',
    release: 'previous',
    isSampled: true,
    components: (of) => componentsOf(of, { volumeData: ON_CLAIMS }),
  },
  {
    title: 'Karmada v1.16.0',
    release: 'oldest',
    components: (of) => componentsOf(of, { volumeData: ON_CLAIMS }),
  },
];

const sampled = runsAll ? CASES : CASES.filter(({ isSampled }) => isSampled);
const drawnCases = drawn(sampled, 1, ({ title }) => title).map(
  (one, index) => [one.title, { ...one, namespace: `adoption-${String(index)}` }] as const,
);

describeCluster('adoption', () => {
  let cluster: Cluster;
  let client: KubernetesClient;

  const remove = (...args: string[]): Promise<unknown> =>
    tryKubectl(cluster, ['delete', ...args, '--ignore-not-found', '--timeout=180s']);

  beforeAll(async () => {
    const older = {
      current: [],
      previous: ['karmada-previous'],
      oldest: ['karmada-oldest'],
    } as const;
    cluster = await useCluster([
      ...(['etcd', 'kubernetes', 'karmada', 'busybox'] as const),
      ...(['etcd-previous', 'kubernetes-previous'] as const),
      ...drawnCases.flatMap(([, { release }]) => [...older[release]]),
    ]);
    client = clientOf(cluster);
    for (const [, { namespace }] of drawnCases) await remove('namespace', namespace);
  }, 1_800_000);

  // The node has not enough CPU for all control planes, and would evict the operator for the next ones.
  afterEach(async () => {
    await installOperator(cluster);
    for (const [, { namespace }] of drawnCases) {
      await remove('karmada', name, '-n', namespace);
      await remove('namespace', namespace);
    }
  }, 600_000);

  afterAll(async () => {
    await remove('namespace', storage);
    await remove('namespace', upstreamNamespace);
    await remove('clusterrole,clusterrolebinding', upstreamNamespace);
    await client.close();
  }, 600_000);

  it.each(drawnCases)(
    'keeps data, keys and clients of a control plane with %s',
    async (_, { release, components, prepare, isMember, namespace }) => {
      await startGoOperator(cluster, client, release);
      const { components: more, ...spec } = (await prepare?.(cluster, namespace)) ?? {};
      const karmada = { ...spec, components: { ...components(release), ...more } };
      await installByGoOperator(client, { namespace, name }, karmada);
      const plane = await openControlPlane(cluster, name, namespace);
      const at = { cluster, name, namespace };
      const token = await createToken(plane, 'before');
      await plane.kubectl(['create', 'configmap', 'before', '--from-literal=key=before']);
      if (isMember) await join(plane);
      const cert = await secretData(at, 'cert');
      const pods = await podsIn(cluster, namespace);

      const untouched = await versionsIn(cluster, namespace);
      await replaceGoCrd(client);
      await installOperator(cluster);
      const running = await untilAdopted(at, 'GoOperatorRunning');
      expect(running.message).toContain(`Lease ${upstreamNamespace}/karmada-operator`);
      await stopGoOperator(client);
      const pending = await untilAdopted(at, 'AdoptionPending');
      expect(await versionsIn(cluster, namespace)).toEqual(untouched);

      const plan = await planOfPatch(cluster, { name, namespace }, {});
      const planned = restartsIn(plan);
      for (const deployment of planned) expect(pending.message).toContain(deployment);
      const report = await underTraffic(cluster, plane, async () => {
        await kubectl(cluster, confirmationIn(pending));
        await untilReady(cluster, name, namespace, 300_000);
      });
      const after = await podsIn(cluster, namespace);
      expect(restartsBetween(pods, after)).toEqual(planned);
      expect([...after.keys()].filter((pod) => pod.includes('-etcd-'))).toEqual(
        [...pods.keys()].filter((pod) => pod.includes('-etcd-')),
      );
      for (const pod of pods.keys())
        if (pod.includes('-etcd-')) expect(after.get(pod)).toBe(pods.get(pod));
      await expectRolledOnce(namespace);
      expect(await conditionOf(at, 'Adopted')).toBeUndefined();
      if (isMember) await untilMember(plane, 'host', 'Push');
      expect([report.lost, report.unseen]).toEqual([[], []]);

      expect(await plane.kubectl(['get', 'configmap', 'before', '-o', 'name'])).toContain('before');
      expect(await userOf(plane, token)).toBe('system:serviceaccount:default:before');
      const own = await secretData(at, 'service-account-key');
      expect(own['service-account.key']).toBe(cert['karmada.key']);
      const now = await secretData(at, 'cert');
      expect(now['ca.key']).toBe(cert['ca.key']);
      expect(now['etcd-ca.key']).toBe(cert['etcd-ca.key']);
      expect(now['karmada.key']).not.toBe(cert['karmada.key']);
      expect(report.failed).toEqual([]);
    },
    900_000,
  );

  /** Joins the host cluster itself. */
  async function join(plane: ControlPlane): Promise<void> {
    await plane.karmadactl(['join', 'host', ...(await accessTo(cluster))]);
    await untilMember(plane, 'host', 'Push');
  }

  /** Every Deployment has exactly two revisions: that of the Go operator, and that of this operator. */
  async function expectRolledOnce(namespace: string): Promise<void> {
    const { items } = await client.list(resources.Deployment, { namespace });
    const revisions = items.map(
      ({ metadata }: KubernetesObject) =>
        `${metadata.name} ${metadata.annotations?.['deployment.kubernetes.io/revision'] ?? ''}`,
    );
    expect(revisions).toEqual(items.map(({ metadata }) => `${metadata.name} 2`));
  }
});
