/**
 * Tenants of one operator that attack it with the objects of their namespaces, one after the other and all at once.
 *
 * @size enormous
 * @job attacks
 */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { selectionOf } from '../../scripts/test/selections.ts';
import { karmadaBackups } from '../../src/api/backup/kinds.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import { resources } from '../../src/kubernetes/objects/resources.ts';
import { clusters } from '../../src/member-clusters/member-cluster.ts';
import { tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { together, unlabelled, type Attack, type Traffic } from '../harness/attacks/attack.ts';
import { pemAttack } from '../harness/attacks/credentials.ts';
import { forgedBackupAttack } from '../harness/attacks/forged-backup.ts';
import { estimatorsAttack, OWN, ownControlPlane } from '../harness/attacks/estimators.ts';
import {
  archivesAttack,
  crowdAttack,
  labelledSecretsAttack,
} from '../harness/attacks/large-objects.ts';
import { resourceQuotas } from '../harness/attacks/objects.ts';
import { startPlatform, type Platform } from '../harness/attacks/platform.ts';
import {
  HOST,
  hostNamespaceAttack,
  namesAttack,
  probeAttack,
  tokenAttack,
} from '../harness/attacks/references.ts';
import { observe, operatorPods } from '../harness/attacks/observe.ts';
import {
  OTHER,
  otherKarmada,
  otherPlane,
  otherReadiness,
  repairTime,
} from '../harness/attacks/other-tenant.ts';
import { create, keepChanging, remove, type Clients } from '../harness/attacks/send.ts';
import { clientOf, controlPlaneClientOf } from '../harness/client.ts';
import { useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';
import { replaceOperatorPods } from '../harness/operator-pod.ts';
import { selectCases } from '../harness/select-cases.ts';

/** An attack that the suite starts in its cluster. */
interface NamedAttack {
  readonly id: string;
  readonly title: string;
  readonly make: (platform: Platform) => Attack | Promise<Attack>;
}

const ATTACKS: readonly NamedAttack[] = [
  {
    id: 'pem',
    title: 'Secrets with 1 MB of beginnings of PEM blocks',
    make: () => pemAttack,
  },
  {
    id: 'archives',
    title: 'CRD archives that need much memory',
    make: () => archivesAttack(),
  },
  {
    id: 'labelled-secrets',
    title: 'large Secrets with the labels of the operator',
    make: () => labelledSecretsAttack(),
  },
  { id: 'names', title: 'names that do not resolve', make: () => namesAttack() },
  {
    id: 'crowd',
    title: 'Karmadas in one namespace that change continuously',
    make: () => crowdAttack(),
  },
  {
    id: 'forged-backup',
    title: 'backups that another key authenticates',
    make: ({ cluster }) => forgedBackupAttack(cluster),
  },
  {
    id: 'host-namespace',
    title: 'a namespace of a host cluster that has another owner',
    make: ({ kubeconfig }) => hostNamespaceAttack(kubeconfig),
  },
  {
    id: 'estimators',
    title: 'Cluster objects of the administrator of a control plane',
    make: () => estimatorsAttack(),
  },
  {
    id: 'token',
    title: 'a token of another namespace for a server of the tenant',
    make: ({ server }) => tokenAttack(server),
  },
  {
    id: 'secret-names',
    title: 'names of Secrets in another namespace',
    make: ({ server }) => probeAttack(server),
  },
];
const chosen = selectCases('e2e/tenant-attacks', ATTACKS, process.env);
/** The cases with all attacks are no part of a selection. */
const isSelection = selectionOf('e2e/tenant-attacks', process.env) !== undefined;
const itWithAll = isSelection ? it.skip : it;

const REPAIRS = 9;
/** Time for the installation of two control planes at once. */
const READY_MS = 600_000;
/** A repair during an attack may take so many times as long as one during the same traffic on other objects. */
const SLOWER = 2;
/** Milliseconds. Repairs that take less are counted as this long: a busy machine delays single ones as much. */
const SHORTEST = 300;

const median = (times: readonly number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? NaN;

const shown = (times: readonly number[]): string =>
  `median ${median(times).toFixed(0)} ms of ${times.map((time) => time.toFixed(0)).join(' ')}`;

/** Namespaces that an interrupted run has left. */
async function attacked(host: KubernetesClient): Promise<string[]> {
  const { items } = await host.list(resources.Namespace);
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('attack-'));
}

describeCluster('operator attacked by a tenant', () => {
  let cluster: Cluster;
  let clients: Clients;
  let platform: Platform;
  let attacks: ReadonlyMap<string, Attack>;

  const attackOf = (id: string): Attack => {
    const attack = attacks.get(id);
    if (attack === undefined) throw new Error(`no attack: ${id}`);
    return attack;
  };

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    const host = clientOf(cluster, [resourceQuotas, karmadaBackups]);
    await installOperator(cluster);
    platform = await startPlatform(cluster, HOST);
    const planes = {
      namespaces: [OTHER, OWN.namespace],
      objects: [otherKarmada, ...ownControlPlane],
    };
    await remove(host, { namespaces: await attacked(host), objects: [] });
    await remove(host, planes);
    await create({ host, inside: host }, planes);
    for (const { namespace, name } of [otherPlane, OWN])
      await untilReady(cluster, name, namespace, READY_MS);
    clients = {
      host,
      inside: await controlPlaneClientOf(cluster, OWN.name, OWN.namespace, [clusters]),
    };
    const made = (isSelection ? chosen : ATTACKS).map(
      async ({ id, make }) => [id, await make(platform)] as const,
    );
    attacks = new Map(await Promise.all(made));
  }, 1_800_000);

  afterEach(() => remove(clients.host, together([...attacks.values()])), 600_000);

  afterAll(async () => {
    for (const namespace of [OTHER, OWN.namespace]) {
      await tryKubectl(cluster, ['delete', 'karmada', '--all', '-n', namespace, '--timeout=120s']);
      await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
    }
    await platform.stop();
    for (const client of Object.values(clients) as KubernetesClient[]) await client.close();
  }, 300_000);

  /** Repairs while the objects change. */
  async function repairsDuring(traffic: Traffic): Promise<readonly number[]> {
    const began = performance.now();
    const changing = keepChanging(clients, traffic);
    const times: number[] = [];
    for (let count = 0; count < REPAIRS; count += 1) times.push(await repairTime(clients.host));
    const changes = await changing.end();
    const perSecond = (changes * 1_000) / (performance.now() - began);
    process.stderr.write(`  ${perSecond.toFixed(0)} changes per second: ${shown(times)}\n`);
    return times;
  }

  /** Repairs while objects change that the operator does not read. */
  async function usualRepairs(attack: Attack): Promise<number> {
    const control = unlabelled(attack);
    await create(clients, control);
    const times = await repairsDuring(control);
    await remove(clients.host, control);
    return median(times);
  }

  /** Attacks, and checks what the operator does meanwhile. */
  async function expectCalm(attack: Attack): Promise<void> {
    const before = await usualRepairs(attack);
    const pods = await operatorPods(cluster);
    const observation = observe(cluster);
    await create(clients, attack);
    process.stderr.write(`  ${await attack.reached(clients.host)}\n`);
    const attacked = median(await repairsDuring(attack));
    const { ready, holders, renewal } = await observation.end();
    const renewed = `renewed within ${renewal.toFixed(0)} ms`;
    process.stderr.write(`  Ready ${ready.join(', ')}; ${holders.join(', ')}, ${renewed}\n`);
    expect({ ready, holders }).toEqual({
      ready: [expect.stringMatching(/^True /)],
      holders: [expect.any(String)],
    });
    expect(await operatorPods(cluster)).toEqual(pods);
    expect(platform.connections()).toBe(0);
    await remove(clients.host, attack);
    // The machine may have been busier since the first measurement.
    const usual = Math.max(before, await usualRepairs(attack));
    expect(attacked).toBeLessThanOrEqual(SLOWER * Math.max(SHORTEST, usual));
  }

  it.each(chosen.map(({ title, id }) => [title, id] as const))(
    'keeps its lease, and repairs other control planes in time: %s',
    async (title, id) => {
      process.stderr.write(`${id}: ${title}\n`);
      await expectCalm(attackOf(id));
    },
    900_000,
  );

  itWithAll(
    'starts again while the objects of a tenant exceed its limits',
    async () => {
      const attack = attackOf('labelled-secrets');
      await create(clients, attack);
      process.stderr.write(`restart: ${await attack.reached(clients.host)}\n`);
      const ready = await otherReadiness(clients.host);
      await replaceOperatorPods(cluster);
      const took = await repairTime(clients.host);
      process.stderr.write(`  repaired ${took.toFixed(0)} ms after the rollout\n`);
      expect(await attack.reached(clients.host)).toContain('NamespaceLimitExceeded');
      expect(await otherReadiness(clients.host)).toBe(ready);
      for (const pod of await operatorPods(cluster)) expect(pod).toMatch(/ restarts 0$/);
    },
    900_000,
  );

  itWithAll(
    'does so while all of them attack at once',
    async () => {
      process.stderr.write('all at once\n');
      await expectCalm(together([...attacks.values()]));
    },
    1_800_000,
  );
});
