/**
 * @size large
 * @sample medium
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { interrupt } from '../../tools/embedded-cluster/interrupt.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { operatorNamespace } from '../demo/install.ts';
import { changedAuthorities, watchAuthorities } from '../harness/authorities.ts';
import { clientOf } from '../harness/client.ts';
import { apply, getObject, quiet, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { disturbedKarmada, disturbedName as name } from '../harness/disturbed-install.ts';
import { endStateOf } from '../harness/end-state.ts';
import { startFaultedOperator, stopFaultedOperator } from '../harness/faulted-operator.ts';
import { cutOff, killOperator } from '../harness/operator-process.ts';
import { installOperator } from '../harness/operator.ts';
import { drawn, seed, seededRandom } from '../harness/sample.ts';

const steady = 'disaster-steady';
const inOperator = ['-n', operatorNamespace];
const DAY_MS = 86_400_000;

interface Disaster {
  /** Starts the operator. Defaults to two replicas. */
  readonly start?: (cluster: Cluster, namespace: string) => Promise<void>;
  /** Disturbs the operator or the cluster during an installation. */
  readonly strike?: (cluster: Cluster) => Promise<void>;
}

const installTwo = (cluster: Cluster): Promise<void> =>
  installOperator(cluster, { operator: { replicaCount: 2 } });

async function leader(cluster: Cluster): Promise<string> {
  const lease = await getObject<{ spec: { holderIdentity?: string } }>(
    cluster,
    ...(['lease', 'karmada-operator', operatorNamespace] as const),
  );
  return (lease.spec.holderIdentity ?? '').replace(/_.*/, '');
}

/** Changes an object of the existing control plane and waits until the operator repairs it. */
async function repairs(cluster: Cluster): Promise<void> {
  const webhook = ['deployment', `${name}-webhook`, '-n', steady];
  await kubectl(cluster, ['scale', ...webhook, '--replicas=0']);
  await poll('the webhook Deployment has 1 replica again', async (seen) => {
    const shown = ['-o', 'jsonpath={.spec.replicas}'];
    const found = await kubectl(cluster, ['get', ...webhook, ...shown]);
    seen(found);
    return found === '1' ? true : undefined;
  });
}

async function cutLeaderOff(cluster: Cluster): Promise<void> {
  const first = await leader(cluster);
  const join = await cutOff(cluster, first);
  try {
    const cut = quiet(60_000);
    await poll('the other operator replica is the leader', async (seen) => {
      const now = await leader(cluster);
      seen(now);
      return now !== first ? true : undefined;
    });
    await repairs(cluster);
    await cut;
  } finally {
    await join();
  }
}

async function interruptApiServer(cluster: Cluster): Promise<void> {
  await interrupt(cluster, 'kube-apiserver', 30_000);
  await poll('the API server is ready again', async (seen) => {
    const { code, stderr } = await tryKubectl(cluster, ['get', '--raw=/readyz']);
    seen(stderr);
    return code === 0 ? true : undefined;
  });
}

async function startWithClockAhead(cluster: Cluster): Promise<void> {
  const preload = await readFile(join(checkout, 'test/harness/wrong-clock.mjs'), 'base64');
  const env = [
    { name: 'NODE_OPTIONS', value: `--import=data:text/javascript;base64,${preload}` },
    { name: 'CLOCK_AHEAD_MS', value: String(DAY_MS) },
  ];
  await installOperator(cluster, { operator: { env } });
}

async function startWithFailingRequests(cluster: Cluster, namespace: string): Promise<void> {
  const numbers = Array.from({ length: 400 }, seededRandom(seed));
  // API servers never reject a read with a conflict.
  const faults = { read: ['busy'], watch: ['busy'], write: ['busy', 'conflict'] } as const;
  const chance = { share: 0.5, numbers, faults };
  await startFaultedOperator(cluster, { namespace, rules: [], chance });
}

const DISASTERS: readonly (readonly [string, Disaster])[] = [
  [
    'its leader is killed',
    { strike: async (cluster) => killOperator(cluster, await leader(cluster)) },
  ],
  ['its leader loses the network for a minute', { strike: cutLeaderOff }],
  ['the API server of the host cluster is unavailable for 30 s', { strike: interruptApiServer }],
  ['every other request fails with 429 or 409', { start: startWithFailingRequests }],
  ['its clock is one day ahead', { start: startWithClockAhead }],
];

const titleOf = ([what]: (typeof DISASTERS)[number]): string =>
  `completes an installation without other changes when ${what}`;

describeCluster('operator during outages', () => {
  let cluster: Cluster;
  let undisturbed: object;

  async function install(namespace: string, strike?: Disaster['strike']): Promise<void> {
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, disturbedKarmada(namespace));
    const started = ['get', 'deployment', `${name}-apiserver`, '-n', namespace];
    await poll(
      'the installation has started',
      async (seen) => {
        const { code, stderr } = await tryKubectl(cluster, started);
        seen(stderr);
        return code === 0 ? true : undefined;
      },
      // While requests fail, the retry interval grows to one minute.
      { deadlineMs: 300_000 },
    );
    await strike?.(cluster);
    await untilReady(cluster, name, namespace, 300_000);
  }

  /** Returns the Pods of a Namespace with uid and restarts, and its Secrets with resourceVersion. */
  async function untouched(namespace: string): Promise<object> {
    const get = async (kind: string): Promise<KubernetesObject[]> => {
      const json = await kubectl(cluster, ['get', kind, '-n', namespace, '-o', 'json']);
      return (JSON.parse(json) as { items: KubernetesObject[] }).items;
    };
    const pods = (await get('pods'))
      // The test itself changes the webhook.
      .filter(({ metadata }) => !metadata.name.includes('-webhook-'))
      .map(({ metadata, status }) => {
        const { containerStatuses = [] } = (status ?? {}) as {
          containerStatuses?: { restartCount: number }[];
        };
        return [metadata.name, metadata.uid, ...containerStatuses.map((one) => one.restartCount)];
      });
    const secrets = (await get('secrets')).map(({ metadata }) => [
      metadata.name,
      metadata.resourceVersion,
    ]);
    return { pods, secrets };
  }

  async function remove(namespace: string): Promise<void> {
    await tryKubectl(cluster, ['delete', 'karmada', name, '-n', namespace, '--timeout=120s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installTwo(cluster);
    await remove(steady);
    await install(steady);
    undisturbed = await endStateOf(cluster, name, steady);
  }, 1_800_000);

  afterAll(async () => {
    await remove(steady);
    await stopFaultedOperator(cluster);
    await installOperator(cluster);
  }, 480_000);

  it.each(drawn(DISASTERS, 1, titleOf).map((one) => [titleOf(one), ...one] as const))(
    '%s',
    async (_, what, { start = installTwo, strike }) => {
      const namespace = `disaster-${String(DISASTERS.findIndex(([title]) => title === what))}`;
      await remove(namespace);
      await stopFaultedOperator(cluster);
      await start(cluster, namespace);
      const before = await untouched(steady);
      const authorities = watchAuthorities(clientOf(cluster), namespace);
      try {
        await install(namespace, strike);
        expect(await endStateOf(cluster, name, namespace)).toEqual(undisturbed);
      } finally {
        await authorities.stop();
      }
      expect(changedAuthorities(authorities)).toEqual([]);
      expect([...authorities.seen.keys()]).toContain(`${name}-cert ca.crt`);
      await repairs(cluster);
      await untilReady(cluster, name, steady);
      expect(await untouched(steady)).toEqual(before);
      const karmada = ['karmada', name, '-n', namespace];
      await kubectl(cluster, ['delete', ...karmada, '--timeout=120s']);
      // The operator must create nothing after the deletion of the Karmada.
      expect(await kubectl(cluster, ['get', 'pods', '-n', namespace, '-o', 'name'])).toBe('');
      await remove(namespace);
    },
    900_000,
  );

  it('logs the clock skew and exposes it as a metric when the node clock is one day ahead', async () => {
    await stopFaultedOperator(cluster);
    await startWithClockAhead(cluster);
    const pod = await poll('the operator is the leader', async (seen) => {
      const found = await leader(cluster);
      seen(found);
      const { code } = await tryKubectl(cluster, ['get', 'pod', found, ...inOperator]);
      return code === 0 ? found : undefined;
    });
    const log = await kubectl(cluster, ['logs', pod, ...inOperator]);
    expect(log).toMatch(
      /"aheadSeconds":86(399|400|401).*node clock is skewed, using API server time/,
    );
    const path = `/api/v1/namespaces/${operatorNamespace}/pods/${pod}:8080/proxy/metrics`;
    const metrics = await kubectl(cluster, ['get', '--raw', path]);
    const [, ahead = ''] = /^karmada_operator_clock_ahead_seconds (\S+)$/m.exec(metrics) ?? [];
    expect(Math.round(Number(ahead) / 10)).toBe(8_640);
  }, 240_000);
});
