/**
 * Upgrades over all Karmada releases of the operator, one at a time and in one change of the spec, under load.
 *
 * @tier all
 * @alone
 */
import { afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Karmada, UpgradeStatus } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { auditedComponents, ComponentAudit } from '../harness/component-audit/follow-components.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import { planOfPatch } from '../harness/plan.ts';
import { watchReadiness } from '../harness/readiness.ts';
import { underTraffic } from '../harness/traffic/traffic.ts';

const { current, previous, oldest } = karmadaReleases;
const namespace = 'upgrade-releases-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];

describeCluster('upgrades over several Karmada releases under load', () => {
  let cluster: Cluster;
  let audit: ComponentAudit | undefined;

  const statusOf = async (): Promise<NonNullable<Karmada['status']>> =>
    (await getObject<Karmada>(cluster, 'karmada', name, namespace)).status ?? {};

  const remove = async (): Promise<void> => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
  };

  const install = async (): Promise<void> => {
    await remove();
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    audit = await ComponentAudit.start(cluster, { name, namespace });
    const components = {
      etcd: { local: {} },
      karmadaAPIServer: auditedComponents,
      karmadaMetricsAdapter: { replicas: 1 },
    };
    await apply(cluster, {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: { name, namespace },
      spec: { version: oldest, components },
    });
    await untilReady(cluster, name, namespace);
  };

  /** Changes spec.version under load, and returns the upgrades that the status reported meanwhile. */
  const upgradeTo = async (version: string): Promise<readonly UpgradeStatus[]> => {
    const plane = await openControlPlane(cluster, name, namespace);
    const readiness = watchReadiness(cluster, { name, namespace });
    const seen: UpgradeStatus[] = [];
    const report = await underTraffic(cluster, plane, async () => {
      const patch = JSON.stringify({ spec: { version } });
      await kubectl(cluster, [
        'patch',
        'karmada',
        name,
        ...inNamespace,
        '--type=merge',
        '-p',
        patch,
      ]);
      await poll(
        `the control plane is ready with Karmada ${version}`,
        async (told) => {
          const { upgrade, versions, conditions = [] } = await statusOf();
          told(JSON.stringify({ upgrade, versions, conditions }));
          if (upgrade !== undefined) seen.push(upgrade);
          const ready = conditions.find(({ type }) => type === 'Ready');
          return ready?.status === 'True' && versions?.karmada === version ? true : undefined;
        },
        { deadlineMs: 900_000 },
      );
    }).finally(() => void readiness.end());
    const { lies } = await readiness.end();
    expect(lies).toEqual([]);
    expect(report.failed).toEqual([]);
    expect([report.lost, report.unseen]).toEqual([[], []]);
    return seen;
  };

  /** The components of no release were refused a request. */
  const expectNothingForbidden = async (): Promise<void> => {
    const found = await audit?.end();
    expect(found?.components).toContain('controller-manager');
    expect(found?.forbidden).toEqual([]);
  };

  beforeAll(async () => {
    cluster = await useCluster([
      ...(['etcd', 'kubernetes', 'kubernetes-previous'] as const),
      ...(['karmada', 'karmada-previous', 'karmada-oldest'] as const),
    ]);
    await installOperator(cluster);
  }, 1_800_000);

  afterEach(async () => {
    await audit?.end();
    await remove();
  }, 300_000);

  it('upgrades over a skipped minor version in two steps, without failed requests or a wrong Ready condition', async () => {
    await install();
    const plan = await planOfPatch(cluster, { name, namespace }, { version: current });
    expect(plan).toContain(`Karmada ${oldest} to ${previous}`);
    expect(plan).toContain(`upgrade of Karmada to ${current}`);
    const seen = await upgradeTo(current);
    const legs = seen.map(({ from, to, next }) => [from?.karmada, to?.karmada, next]);
    expect(new Set(legs.map((leg) => JSON.stringify(leg)))).toEqual(
      new Set([
        JSON.stringify([oldest, previous, [current]]),
        JSON.stringify([previous, current, undefined]),
      ]),
    );
    expect((await statusOf()).upgrade).toBeUndefined();
    await expectNothingForbidden();
  }, 1_800_000);

  it('upgrades one minor version at a time without failed requests or a wrong Ready condition', async () => {
    await install();
    await upgradeTo(previous);
    await upgradeTo(current);
    expect((await statusOf()).versions).toMatchObject({ karmada: current });
    await expectNothingForbidden();
  }, 1_800_000);
});
