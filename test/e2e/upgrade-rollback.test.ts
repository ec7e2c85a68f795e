/**
 * Upgrades of a control plane under load that fail at five components. Stub clusters have all failures
 * (`integration/stubs/upgrade-rollback`).
 *
 * @size large
 * @sample medium
 * @alone
 */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import { COMPONENT_NAME } from '../../src/api/naming.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { operatorNamespace } from '../demo/install.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';
import { planOfPatch, podsIn } from '../harness/plan.ts';
import { watchReadiness } from '../harness/readiness.ts';
import {
  CLUSTER_FAILURES,
  failingUpgrade,
  revertOf,
  rollbackKarmada,
  rollbackName as name,
  rollbackTitle,
  rolledBackUpgrade,
} from '../harness/rollback-case.ts';
import { drawn } from '../harness/sample.ts';
import type { StepFailure } from '../harness/step-failures.ts';
import { underTraffic } from '../harness/traffic/traffic.ts';

const namespace = 'rollback-test';
const inNamespace = ['-n', namespace];

/** Longer than any step of a healthy upgrade takes on a busy machine: an API server needs 15 s on a quiet one. */
const DEADLINE_S = 90;

const titleOf = (failure: StepFailure): string =>
  `${rollbackTitle(failure)}, without failed requests`;

describeCluster('rollback of a control plane under load', () => {
  let cluster: Cluster;
  let plane: ControlPlane;
  /** Failure whose case has not taken its change back. */
  let pending: StepFailure | undefined;

  const patch = (spec: object): Promise<string> =>
    kubectl(cluster, [
      'patch',
      'karmada',
      name,
      ...inNamespace,
      '--type=merge',
      '-p',
      JSON.stringify({ spec }),
    ]);

  const current = (): Promise<Karmada> => getObject<Karmada>(cluster, 'karmada', name, namespace);

  /** Pod templates of all workloads, by name. */
  const templates = async (): Promise<Readonly<Record<string, unknown>>> => {
    const args = ['get', 'deployments,statefulsets', ...inNamespace, '-o', 'json'];
    const { items } = JSON.parse(await kubectl(cluster, args)) as { items: KubernetesObject[] };
    return Object.fromEntries(
      items.map(({ metadata, ...object }) => [
        metadata.name,
        (object['spec'] as { template: unknown }).template,
      ]),
    );
  };

  const generations = async (): Promise<string> =>
    kubectl(cluster, [
      'get',
      'deployments,statefulsets',
      ...inNamespace,
      '-o',
      'jsonpath={range .items[*]}{.metadata.name}={.metadata.generation} {end}',
    ]);

  const recorded = (): Promise<true> =>
    poll('the ready spec is recorded', async (seen) => {
      const secret = ['get', 'secret', `${name}-last-ready-spec`, ...inNamespace, '-o', 'json'];
      const [{ status }, text] = [await current(), await kubectl(cluster, secret)];
      seen(text.slice(0, 500));
      const { annotations = {} } = (JSON.parse(text) as KubernetesObject).metadata;
      const isCurrent = annotations['operator.karmada.io/spec-hash'] === status?.appliedSpecHash;
      return isCurrent && !('operator.karmada.io/failed-change' in annotations) ? true : undefined;
    });

  /** Waits for this phase of the change. */
  const untilPhase = (phase: string): Promise<NonNullable<Karmada['status']>> =>
    poll(
      `status.upgrade has the phase ${phase}`,
      async (seen) => {
        const { status } = await current();
        seen(JSON.stringify(status));
        return status?.upgrade?.phase === phase ? status : undefined;
      },
      { deadlineMs: 420_000 },
    );

  beforeAll(async () => {
    cluster = await useCluster([
      ...(['etcd', 'kubernetes', 'karmada', 'kubernetes-previous', 'karmada-previous'] as const),
    ]);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
    await installOperator(cluster);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, rollbackKarmada(namespace, DEADLINE_S));
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 120_000);

  /** A case that failed must not fail those that follow. */
  beforeEach(async () => {
    if (pending === undefined) return;
    await patch(revertOf(pending));
    pending = undefined;
    await untilReady(cluster, name, namespace);
  }, 600_000);

  it.each(drawn(CLUSTER_FAILURES, 1, titleOf).map((one) => [titleOf(one), one] as const))(
    '%s',
    async (_, failure) => {
      const component = COMPONENT_NAME[failure[0]];
      await recorded();
      const before = { templates: await templates(), pods: await podsIn(cluster, namespace) };
      const change = failingUpgrade(failure);
      expect(await planOfPatch(cluster, { name, namespace }, change)).toMatch(
        /returns to the last ready spec/,
      );
      const readiness = watchReadiness(cluster, { name, namespace });
      let startedAt = 0;
      let returnedAt = 0;
      const { failed, lost } = await underTraffic(cluster, plane, async () => {
        pending = failure;
        await patch(change);
        await poll(
          `status.upgrade reports ${component}`,
          async (seen) => {
            const { status } = await current();
            seen(JSON.stringify(status?.upgrade));
            const { step, startedAt: start = '' } = status?.upgrade ?? {};
            startedAt = Date.parse(start);
            return step === component && startedAt > 0 ? true : undefined;
          },
          { deadlineMs: 300_000 },
        );
        const { upgrade, conditions, phase } = await untilPhase('RolledBack');
        returnedAt = Date.now();
        expect(upgrade).toMatchObject(rolledBackUpgrade(failure));
        const ready = conditions?.find(({ type }) => type === 'Ready');
        expect(ready).toMatchObject({ status: 'False', reason: 'UpgradeRolledBack' });
        expect(ready?.message).toContain(`${component} was not ready within`);
        expect(phase).toBe('Blocked');
      }).finally(() => void readiness.end());
      await readiness.end();
      expect([failed, lost]).toEqual([[], []]);
      expect(await templates()).toEqual(before.templates);
      const late = returnedAt - startedAt - DEADLINE_S * 1_000;
      expect(late).toBeGreaterThan(0);
      expect(late).toBeLessThan(60_000);
      const etcd = `${name}-etcd-0`;
      expect((await podsIn(cluster, namespace)).get(etcd)).toBe(before.pods.get(etcd));
      expect((await readiness.end()).lies).toEqual([]);
      await reportsEvent();
      await staysRolledBack();
      await revert(failure);
    },
    600_000,
  );

  const reportsEvent = (): Promise<true> =>
    poll('an Event reports the rollback', async (seen) => {
      const selector = 'reason=UpgradeRolledBack,type=Warning';
      const found = await kubectl(cluster, [
        'get',
        'events',
        ...inNamespace,
        '--field-selector',
        selector,
        '-o',
        'name',
      ]);
      seen(found);
      return found === '' ? undefined : true;
    });

  /** The operator does not try the failed spec again, also after a restart without the status. */
  async function staysRolledBack(): Promise<void> {
    const before = await generations();
    const nothing = ['--subresource=status', '--type=merge', '-p', '{"status":null}'];
    await kubectl(cluster, ['delete', 'pods', '--all', '-n', operatorNamespace, '--wait=false']);
    await kubectl(cluster, ['patch', 'karmada', name, ...inNamespace, ...nothing]);
    const { conditions = [] } = await untilPhase('RolledBack');
    expect(conditions.find(({ type }) => type === 'Ready')?.reason).toBe('UpgradeRolledBack');
    expect(await generations()).toBe(before);
  }

  /** Sets the spec back, which restarts no Pod. */
  async function revert(failure: StepFailure): Promise<void> {
    const pods = await generations();
    await patch(revertOf(failure));
    pending = undefined;
    await untilReady(cluster, name, namespace);
    expect(await generations()).toBe(pods);
    expect((await current()).status?.upgrade).toBeUndefined();
  }
});
