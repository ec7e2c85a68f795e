/**
 * Upgrades an operator without etcd records to the operator of this checkout. The control planes are in every state
 * that the earlier operator can leave. The upgrade restarts no Pod and changes no etcd cluster token.
 *
 * @size enormous
 * @tier all
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AuditEvent } from '../../tools/embedded-cluster/audit.ts';
import { tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import { operatorNamespace, release } from '../demo/install.ts';
import { apply, getObject, quiet, useCluster } from '../harness/cluster.ts';
import { HOST_SECRET, Scene, type Pods } from '../harness/control-plane-scene.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import type { MemberAnswer } from '../harness/etcd-members.ts';
import { BEFORE_RECORDS, formerOperator, type FormerOperator } from '../harness/former-operator.ts';
import { stopOperator } from '../harness/operator-pod.ts';
import { installBuild, installOperator } from '../harness/operator.ts';
import { killOperator } from '../harness/operator-process.ts';
import { kubeconfigWith, grantHostAccess, requestsTo } from '../harness/remote-host.ts';
import {
  auditPolicy,
  hostRequests,
  insideRequests,
  sortedWrites,
  tally,
  writesOf,
} from '../harness/requests.ts';
import { drawn } from '../harness/sample.ts';
import { sharedCluster } from '../../tools/embedded-cluster/shared-cluster.ts';
import { TAKEN_OVER, type TakenOver } from '../harness/taken-over.ts';

const namespace = 'operator-upgrade';
const progress = createProgress(process.stderr);

/** Images of both clusters. The earlier operator installs the release that it knows. */
const IMAGES = [
  ...(['etcd', 'kubernetes', 'kubernetes-previous'] as const),
  ...(['karmada', 'karmada-previous'] as const),
] as const;
/** Maximum number of control planes at a time. A node with two CPUs has no capacity for more Pods. */
const AT_ONCE = 4;
const drawnOnes = drawn(TAKEN_OVER, 3, ({ title }) => title);
const groups = Array.from({ length: Math.ceil(drawnOnes.length / AT_ONCE) }, (_, n) => {
  const group = drawnOnes.slice(n * AT_ONCE, (n + 1) * AT_ONCE);
  return [group.map(({ name }) => name).join(', '), group] as const;
});

interface Before {
  readonly members: readonly MemberAnswer[];
  readonly pods: Pods;
  readonly token: string | undefined;
  /** lastTransitionTime of the Ready condition. */
  readonly readySince: string | undefined;
}

const NOTHING: Before = { members: [], pods: {}, token: undefined, readySince: undefined };

describeCluster.each(groups)('operator upgrade with the Karmadas %s', (_, chosen) => {
  let management: Cluster;
  let host: Cluster | undefined;
  let former: FormerOperator;
  /** Time of the installation of the newer operator, in milliseconds. */
  let since: number;
  const scenes = new Map<string, Scene>();
  const before = new Map<string, Before>();

  const sceneOf = (name: string): Scene => {
    const scene = scenes.get(name);
    if (scene === undefined) throw new Error(`no Karmada ${name}`);
    return scene;
  };

  /** Returns the state of a control plane before the upgrade. */
  const beforeOf = (name: string): Before => before.get(name) ?? NOTHING;

  const readySince = async (name: string): Promise<string | undefined> => {
    const conditions = await sceneOf(name).conditions();
    return conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  };

  async function useRemoteHost(): Promise<Cluster> {
    const cluster = await up({ name: `${sharedCluster}-remote`, images: IMAGES, progress });
    const credentials = await grantHostAccess(cluster, former.root);
    await apply(management, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: HOST_SECRET, namespace },
      stringData: { kubeconfig: await kubeconfigWith(cluster, credentials) },
    });
    return cluster;
  }

  async function useNamespace(cluster: Cluster): Promise<void> {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', '-n', namespace, '--timeout=120s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
    const policy = { ...auditPolicy, metadata: { ...auditPolicy.metadata, namespace } };
    await apply(
      cluster,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      policy,
    );
  }

  /** Prepares three control planes at a time. A machine with two CPUs is slow with all of them. */
  async function begin(subjects: readonly TakenOver[]): Promise<void> {
    const waiting = [...subjects];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const members = await next.begin(sceneOf(next.name));
        before.set(next.name, { ...NOTHING, members });
      }
    };
    await Promise.all([work(), work(), work()]);
  }

  async function recordBefore(): Promise<void> {
    await Promise.all(
      chosen.map(async ({ name, isUnsteady }) => {
        const scene = sceneOf(name);
        const pods = await scene.pods();
        const [token, since] = [
          await scene.token(),
          isUnsteady ? undefined : await readySince(name),
        ];
        before.set(name, { ...beforeOf(name), pods, token, readySince: since });
      }),
    );
  }

  /** The newer operator adds the cluster IP of the API server to certificates of the last minute; older ones get it when they renew. */
  async function untilCertificatesAreOld(): Promise<void> {
    const counted = chosen.filter(({ writes }) => writes !== undefined);
    await poll(
      'no certificate is of the last minute',
      async (seen) => {
        const ages = await Promise.all(counted.map(({ name }) => sceneOf(name).certificateAge()));
        seen(`${String(Math.min(...ages))} ms`);
        return ages.every((age) => age > 65_000) ? true : undefined;
      },
      { deadlineMs: 120_000, intervalMs: 1000 },
    );
  }

  beforeAll(async () => {
    management = await useCluster(IMAGES);
    former = await formerOperator(BEFORE_RECORDS);
    await useNamespace(management);
    await installBuild(management, former);
    if (chosen.some(({ isRemote }) => isRemote)) {
      host = await useRemoteHost();
      await useNamespace(host);
    }
    for (const { name, isRemote } of chosen) {
      const stage = { management, host: isRemote && host ? host : management, namespace };
      scenes.set(name, new Scene(stage, name));
    }
    // Start partial installations last, so that they are still incomplete when the operator stops.
    await begin(chosen.filter(({ isPartial }) => !isPartial));
    await begin(chosen.filter(({ isPartial }) => isPartial));
    await stopOperator(management);
    await recordBefore();
    await untilCertificatesAreOld();
    if (host) await grantHostAccess(host);
    since = Date.now();
    await installOperator(management);
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(management, ['delete', 'karmada', '--all', '-n', namespace, '--timeout=120s']);
    await tryKubectl(management, ['delete', 'namespace', namespace, '--wait=false']);
    if (host) await down(host.name, progress);
  }, 240_000);

  /** Returns the requests of the operator to both clusters since this time. */
  const requests = async (from: number): Promise<AuditEvent[]> => [
    ...(await hostRequests(management, from)),
    ...(host ? await requestsTo(host, from) : []),
  ];

  /** Returns the requests of the operator to the control planes since this time. */
  async function insideOf(from: number): Promise<AuditEvent[]> {
    const steady = chosen.filter(({ isUnsteady }) => !isUnsteady);
    const found = await Promise.all(
      steady.map(({ name }) => insideRequests(sceneOf(name).at.cluster, sceneOf(name).at, from)),
    );
    return found.flat();
  }

  /**
   * Expects the same Pods as before the upgrade.
   * @param counts whether container restarts of a Pod count: a component without etcd restarts its container itself
   * @param isReplaced whether another Pod may have replaced a Pod
   */
  async function expectSamePods(
    counts: (subject: TakenOver, pod: string) => boolean,
    isReplaced: (subject: TakenOver, pod: string) => boolean = () => false,
  ): Promise<void> {
    for (const subject of chosen) {
      const { pods } = beforeOf(subject.name);
      const now = await sceneOf(subject.name).pods();
      const shown = (pod: string, text = ''): string =>
        counts(subject, pod) ? text : text.replace(/ .*/, '');
      const names = Object.keys(pods).filter((pod) => !isReplaced(subject, pod));
      expect(names.map((pod) => [pod, shown(pod, now[pod])])).toEqual(
        names.map((pod) => [pod, shown(pod, pods[pod])]),
      );
    }
  }

  const isEtcd = (pod: string): boolean => /-etcd-\d+$/.test(pod);

  const conditionsOf = async (): Promise<object> =>
    Object.fromEntries(
      await Promise.all(
        chosen.map(async ({ name }) => [name, await sceneOf(name).conditions()] as const),
      ),
    );

  it.each(chosen.map((subject) => [subject.title, subject] as const))(
    '%s',
    async (_, { name, settle }) => {
      await settle(sceneOf(name), beforeOf(name).members);
    },
    300_000,
  );

  it('restarts no Pod and changes no etcd cluster token', async () => {
    await expectSamePods(
      ({ isUnsteady }, pod) => !isUnsteady || isEtcd(pod),
      ({ isPartial }, pod) => isPartial === true && !isEtcd(pod),
    );
    for (const { name } of chosen) {
      const { token } = beforeOf(name);
      if (token !== undefined) expect(await sceneOf(name).token()).toBe(token);
    }
  }, 60_000);

  it('keeps the Ready condition of every serving control plane during the upgrade', async () => {
    for (const { name, isUnsteady } of chosen)
      if (!isUnsteady) expect(await readySince(name)).toBe(beforeOf(name).readySince);
  }, 60_000);

  it('writes only the expected objects of each control plane, each once, and its status', async () => {
    const { objects, statuses } = sortedWrites(await requests(since));
    const shown = ({ verb, resource, name = '' }: AuditEvent): string =>
      `${verb} ${resource} ${name}`;
    for (const { name, writes, mayWrite = [], isUnsteady } of chosen) {
      if (writes === undefined) continue;
      const isOwn = (event: AuditEvent): boolean =>
        new RegExp(`(^|-)${name}(-|$)`).test(event.name ?? '');
      const all = objects.filter(isOwn).map(shown).sort();
      expect(all).toEqual([...new Set(all)]);
      const written = all.filter((write) => !mayWrite.includes(write));
      expect({ name, written }).toEqual({ name, written: [...writes].sort() });
      const statusWrites = statuses.filter(isOwn).map(shown);
      if (isUnsteady) continue;
      // The former operator does not know `status.memberClusters`. The answer of the control plane adds it, at the earliest
      // in the first write.
      const write = `patch karmadas.operator.karmada.io/status ${name}`;
      expect([[write], [write, write]]).toContainEqual(statusWrites);
    }
    const inside = writesOf(await insideOf(since));
    expect(tally(inside.filter((event) => !isRight(event)))).toEqual([]);
  }, 60_000);

  /**
   * The newer operator has roles of its own for the components, instead of those that the earlier one bound, and exempts the
   * components from flow control.
   */
  const isRight = ({ resource }: AuditEvent): boolean =>
    resource.endsWith('.rbac.authorization.k8s.io') ||
    resource === 'flowschemas.flowcontrol.apiserver.k8s.io';

  async function expectNothing(disturb: () => Promise<void>): Promise<void> {
    const conditions = await conditionsOf();
    const pods = await Promise.all(chosen.map(({ name }) => sceneOf(name).pods()));
    const from = Date.now();
    await disturb();
    // Longer than the lease of the old leader, the first lists of the informers and one certificate check.
    await quiet(30_000);
    expect(tally(writesOf([...(await requests(from)), ...(await insideOf(from))]))).toEqual([]);
    expect(await conditionsOf()).toEqual(conditions);
    expect(await Promise.all(chosen.map(({ name }) => sceneOf(name).pods()))).toEqual(pods);
  }

  const leader = async (): Promise<string> => {
    const lease = await getObject<{ spec: { holderIdentity?: string } }>(
      ...([management, 'lease', release, operatorNamespace] as const),
    );
    return lease.spec.holderIdentity ?? '';
  };

  async function killLeader(): Promise<void> {
    const first = await leader();
    await killOperator(management, first.replace(/_.*/, ''));
    // Its container restarts at once, so either replica may acquire the lease, each as a new holder.
    await poll('another process is the leader', async (seen) => {
      const now = await leader();
      seen(now);
      return now !== first && now !== '' ? true : undefined;
    });
  }

  const afterwards: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'writes nothing when it is replaced by another build with the same templates',
      () => expectNothing(() => installOperator(management, {}, '0.1.1')),
    ],
    [
      'writes nothing when its leader is killed',
      async () => {
        await installOperator(management, { operator: { replicaCount: 2 } }, '0.1.1');
        await quiet(20_000);
        await expectNothing(killLeader);
      },
    ],
    [
      'keeps the etcd Pods when it is upgraded again after a downgrade',
      async () => {
        await recordBefore();
        await installBuild(management, former);
        for (const { name, back } of chosen) await back(sceneOf(name), beforeOf(name).pods);
        await recordBefore();
        await installOperator(management);
        for (const { name, settle } of chosen) await settle(sceneOf(name), beforeOf(name).members);
        await expectSamePods(
          (_, pod) => isEtcd(pod),
          ({ restarted = [] }, pod) =>
            restarted.some((component) => pod.includes(`-${component}-`)),
        );
      },
    ],
  ];

  it.each(drawn(afterwards, 1, ([title]) => title))('%s', async (_, script) => script(), 600_000);
});
