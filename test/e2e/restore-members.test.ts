/**
 * A restore of a control plane with a member cluster: what the operator reports before the propagation continues, and what Karmada does
 * afterwards. The host cluster is the member cluster.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PropagationView } from '../../src/cli/propagation/read-propagation.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaName as name } from '../harness/backup-objects.ts';
import { BackupScene } from '../harness/backup-scene.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { accessTo, untilMember } from '../harness/members.ts';
import { installOperator } from '../harness/operator.ts';
import { ADDED, PropagatedDeployments } from '../harness/propagated-deployments.ts';
import { propagationOf, propagationText } from '../harness/propagation.ts';

const namespace = 'restore-members';
const where = ['-n', namespace];
const MEMBER = 'paris';

const deployments = new PropagatedDeployments('restore-members');
const deployment = deployments.deployment.bind(deployments);

describeCluster('restores of a control plane with a member cluster', () => {
  let cluster: Cluster;
  let scene: BackupScene;
  let plane: ControlPlane;

  async function clean(): Promise<void> {
    await scene.clean();
    await deployments.clean(cluster);
    await tryKubectl(cluster, ['delete', 'namespace', 'karmada-cluster', '--timeout=60s']);
  }

  const applyInside = async (...objects: object[]): Promise<void> => {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
  };

  const running = (): Promise<Readonly<Record<string, number>>> => deployments.variablesOf(cluster);
  const untilRunning = (expected: Readonly<Record<string, number>>): Promise<void> =>
    deployments.until(cluster, expected);

  const report = (): Promise<string> => propagationText(cluster, { name, namespace });
  const view = (): Promise<PropagationView> => propagationOf(cluster, { name, namespace });

  /** Objects of the member cluster by what Karmada would do. */
  const effects = ({ members }: PropagationView): readonly string[] =>
    members
      .flatMap((member) =>
        'problem' in member
          ? [member.problem]
          : member.objects.map((object) => `${object.effect} ${object.kind} ${object.name}`),
      )
      .sort();

  beforeAll(async () => {
    cluster = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    scene = new BackupScene(cluster, namespace);
    await clean();
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, scene.karmada(1), ...scene.store());
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
    await plane.karmadactl(['join', MEMBER, ...(await accessTo(cluster))]);
    await untilMember(plane, MEMBER, 'Push');
    const first = ['changed', 'kept', 'lost', 'same'].map((one) => deployment(one));
    await applyInside(deployments.policy([MEMBER]), ...first);
    await untilRunning({ changed: 0, kept: 0, lost: 0, same: 0 });
  }, 1_800_000);

  afterAll(clean, 480_000);

  it('report no difference while Karmada propagates', async () => {
    await poll('nothing differs', async (seen) => {
      const found = await view();
      seen(JSON.stringify(found));
      return effects(found).length === 0 ? true : undefined;
    });
    expect(await report()).toContain('propagation is not paused');
  }, 120_000);

  it('report what the control plane does not know any more, before anything changes', async () => {
    await apply(cluster, scene.backup('first'));
    expect((await scene.untilEnded('first')).status?.phase).toBe('Verified');
    const changed = ['changed', 'kept'].map((one) => deployment(one, ADDED));
    await applyInside(...changed, deployment('newer'));
    await plane.kubectl(['delete', 'deployment', 'lost', '-n', 'default']);
    await untilRunning({ changed: 1, kept: 1, newer: 0, same: 0 });

    await scene.restored('back', 'first', 'PropagationPaused');
    await poll(
      'the command compares the member cluster',
      async (seen) => {
        // karmada-aggregated-apiserver starts after the API server.
        const found = await view().catch(String);
        seen(JSON.stringify(found));
        if (typeof found === 'string') return undefined;
        return found.members.some((member) => 'counts' in member) ? true : undefined;
      },
      { deadlineMs: 120_000 },
    );
    const found = await view();
    expect(found.paused).toBe(true);
    expect(effects(found)).toEqual([
      'change Deployment changed',
      'change Deployment kept',
      'create Deployment lost',
      'orphaned Deployment newer',
    ]);
    await poll(
      'the status of the restore has the numbers',
      async (seen) => {
        const { status } = await scene.untilPhase('PropagationPaused', 'back');
        seen(JSON.stringify(status));
        const [counts] = status?.memberClusters?.clusters ?? [];
        const { create, change, orphaned } = counts ?? {};
        return [create, change, orphaned].join() === '1,2,1' ? true : undefined;
      },
      { deadlineMs: 180_000 },
    );
    expect(await report()).toMatch(/Karmada creates:\n +Deployment default\/lost\n/);
    expect(await running()).toEqual({ changed: 1, kept: 1, newer: 0, same: 0 });
  }, 700_000);

  /** Number of changes of the spec of a Deployment in the member cluster. */
  const generationOf = async (called: string): Promise<number | undefined> =>
    (await deployments.of(cluster))[called]?.generation;

  /** Changes the template of a Deployment to what the member cluster runs, and suspends its Work. */
  async function keep(called: string): Promise<void> {
    plane = await openControlPlane(cluster, name, namespace);
    await applyInside(deployment(called, ADDED));
    const { members } = await view();
    const objects = members.flatMap((member) => ('problem' in member ? [] : member.objects));
    const { work = '' } = objects.find((object) => object.name === called) ?? {};
    const suspended = JSON.stringify({ spec: { suspendDispatching: true } });
    const where = ['-n', `karmada-es-${MEMBER}`, '--type=merge', '-p', suspended];
    await plane.kubectl(['patch', 'work', work, ...where]);
  }

  it('let Karmada make these changes, and keep the workloads that it does not know', async () => {
    const before = await generationOf('kept');
    await keep('kept');
    const restore = ['patch', 'karmadarestore', 'back', ...where, '--type=merge', '-p'];
    await kubectl(cluster, [...restore, '{"spec":{"propagation":"Resumed"}}']);
    await scene.untilPhase('Complete', 'back');
    await untilRunning({ changed: 0, kept: 1, lost: 0, newer: 0, same: 0 });
    await poll('only the orphaned Deployment is left', async (seen) => {
      const found = await view();
      seen(JSON.stringify(found));
      const isApplied = found.members.every((one) => 'counts' in one && one.counts.suspended === 0);
      return isApplied && effects(found).join() === 'orphaned Deployment newer' ? true : undefined;
    });
    expect(await generationOf('kept')).toBe(before);
  }, 400_000);

  it('let Karmada manage such a workload again when it is applied again', async () => {
    await applyInside(deployment('newer'));
    await poll('nothing differs', async (seen) => {
      const found = await view();
      seen(JSON.stringify(found));
      return effects(found).length === 0 ? true : undefined;
    });
  }, 120_000);
});
