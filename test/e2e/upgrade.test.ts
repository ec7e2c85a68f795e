/**
 * @size large
 * @sample medium
 * @tier always
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada, KarmadaSpec } from '../../src/api/karmada.ts';
import { COMPONENT_NAME, WORKLOAD_SUFFIX } from '../../src/api/naming.ts';
import type { ComponentName } from '../../src/components/component.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { CONDITION_TYPE } from '../../src/conditions/condition-types.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaReleases, kubernetesReleases } from '../../tools/embedded-cluster/releases.ts';
import { operatorNamespace, release } from '../demo/install.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { auditedComponents, ComponentAudit } from '../harness/component-audit/follow-components.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import {
  patchAsPlanned,
  planOf,
  planOfPatch,
  podsIn,
  restartsBetween,
  restartsIn,
} from '../harness/plan.ts';
import { drawn } from '../harness/sample.ts';
import { STEP_FAILURES, type StepFailure } from '../harness/step-failures.ts';
import { watchReadiness } from '../harness/readiness.ts';
import { underTraffic } from '../harness/traffic/traffic.ts';

const releases = karmadaReleases;
const kubernetes = kubernetesReleases;
const namespace = 'upgrade-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    version: releases.previous,
    components: {
      etcd: { local: {} },
      karmadaMetricsAdapter: { replicas: 1 },
      karmadaAPIServer: { ...auditedComponents, imageTag: kubernetes.previous },
      kubeControllerManager: { imageTag: kubernetes.previous },
    },
  },
};

/** Upgrades Karmada, and Kubernetes to the default of the new release. */
const UPGRADE = {
  version: releases.current,
  components: { karmadaAPIServer: { imageTag: null }, kubeControllerManager: { imageTag: null } },
};

/** Workloads in upgrade order. */
const STAGES = [
  ['apiserver'],
  ['aggregated-apiserver', 'metrics-adapter', 'webhook'],
  ['kube-controller-manager'],
  ['controller-manager'],
  ['scheduler'],
] as const;

/** The scheduler is in the last stage, which must not start. */
const isBeforeScheduler = ([key]: StepFailure): boolean => key !== 'karmadaScheduler';

const titleOf = ([key, what]: StepFailure): string =>
  `stops the rollout at ${key} with ${what}, reports it, and completes when the change is reverted`;

describeCluster('changes of a control plane under load', () => {
  let cluster: Cluster;
  let plane: ControlPlane;
  let audit: ComponentAudit | undefined;

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

  const images = async (): Promise<string> =>
    kubectl(cluster, [
      'get',
      'deployments,statefulsets',
      ...inNamespace,
      '-o',
      'jsonpath={range .items[*]}{.spec.template.spec.containers[0].image}{"\\n"}{end}',
    ]);

  const reconciled = async (seen: (what: string) => void): Promise<Karmada> => {
    const found = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    seen(JSON.stringify(found.status));
    return found;
  };

  /** Waits until all terminating Pods are deleted. They serve for a while after their replacements are Ready. */
  const untilDrained = (): Promise<true> =>
    poll(
      'no Pod is terminating',
      async (seen) => {
        const shown =
          'jsonpath={range .items[?(@.metadata.deletionTimestamp)]}{.metadata.name}{"\\n"}{end}';
        const ending = await kubectl(cluster, ['get', 'pods', ...inNamespace, '-o', shown]);
        seen(ending);
        return ending === '' ? true : undefined;
      },
      { deadlineMs: 180_000 },
    );

  const readyOf = ({ status }: Karmada) => status?.conditions?.find(({ type }) => type === 'Ready');

  beforeAll(async () => {
    cluster = await useCluster([
      ...(['etcd', 'kubernetes', 'karmada', 'kubernetes-previous', 'karmada-previous'] as const),
    ]);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
    await installOperator(cluster);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    audit = await ComponentAudit.start(cluster, { name, namespace });
    await apply(cluster, karmada);
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await audit?.end();
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 120_000);

  it('selects the Karmada and Kubernetes versions of all components by spec.version', async () => {
    const found = await images();
    expect(found).not.toContain(releases.current);
    expect(found).toContain(`karmada-scheduler:${releases.previous}`);
    expect(found).toContain(`kube-apiserver:${kubernetes.previous}`);
    const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    expect(status?.versions).toMatchObject({
      karmada: releases.previous,
      kubernetes: kubernetes.previous,
    });
    expect(status?.upgrade).toBeUndefined();
  });

  it('blocks the upgrade before it starts while extraArgs has a flag that the new release lacks', async () => {
    const karmadaControllerManager = { extraArgs: { 'cluster-lease-duration': '40s' } };
    await patch({ components: { karmadaControllerManager } });
    const plan = await planOfPatch(cluster, { name, namespace }, UPGRADE);
    expect(plan).toMatch(/^Blocked:\n {2}UnknownFlagBlocked: spec\.components\.karmadaController/m);
    await patch({ version: releases.current });
    await poll('Ready reports the flag', async (seen) => {
      const { reason, message = '' } = readyOf(await reconciled(seen)) ?? {};
      const named = message.includes('spec.components.karmadaControllerManager.extraArgs');
      return reason === 'ChangeBlocked' && named ? true : undefined;
    });
    expect(await images()).not.toContain(releases.current);
    await patch({ version: releases.previous, components: { karmadaControllerManager: null } });
    await untilReady(cluster, name, namespace);
  }, 300_000);

  it('upgrades in order and as previewed, without failed requests, lost writes or a wrong Ready condition', async () => {
    const plan = await planOfPatch(cluster, { name, namespace }, UPGRADE);
    expect(plan).toContain(
      `Karmada ${releases.previous} to ${releases.current}, Kubernetes ${kubernetes.previous} to ${kubernetes.current}\n`,
    );
    const before = await podsIn(cluster, namespace);
    const readiness = watchReadiness(cluster, { name, namespace });
    let under: object | undefined;
    const report = await underTraffic(cluster, plane, async () => {
      await patch(UPGRADE);
      under = await poll('the status reports the upgrade', async (seen) => {
        const { status } = await reconciled(seen);
        return status?.upgrade;
      });
      await untilReady(cluster, name, namespace, 420_000);
      await untilDrained();
    }).finally(() => void readiness.end());
    const { lies, rollouts } = await readiness.end();
    const after = await podsIn(cluster, namespace);
    expect(restartsBetween(before, after)).toEqual(restartsIn(plan));
    expect(under).toMatchObject({
      from: { karmada: releases.previous, kubernetes: kubernetes.previous },
      to: { karmada: releases.current, kubernetes: kubernetes.current },
    });
    expect(lies).toEqual([]);
    const staged = rollouts.filter((suffix) => stageOf(suffix) >= 0);
    expect(staged.toSorted((one, other) => stageOf(one) - stageOf(other))).toEqual(staged);
    expect(new Set(staged).size).toBe(STAGES.flat().length);
    expect(report.failed).toEqual([]);
    expect([report.lost, report.unseen]).toEqual([[], []]);
    for (const client of ['kept', 'fresh']) {
      const made = Object.entries(report.calls).filter(([key]) => key.startsWith(client));
      expect(made.every(([, count]) => count > 30)).toBe(true);
    }
    const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    expect(status?.versions).toMatchObject({
      karmada: releases.current,
      kubernetes: kubernetes.current,
    });
    expect(status?.upgrade).toBeUndefined();
    expect(await images()).not.toContain(releases.previous);
  }, 600_000);

  it('restarts the webhook Pods without failed requests', async () => {
    const webhook = ['deployment', `${name}-webhook`, ...inNamespace];
    const since = (): Promise<string> =>
      plane.kubectl([
        'get',
        'validatingwebhookconfiguration',
        'validating-config',
        '-o',
        String.raw`jsonpath={.metadata.annotations.operator\.karmada\.io/connections-since}`,
      ]);
    const { failed, lost } = await underTraffic(cluster, plane, async () => {
      for (let rollout = 0; rollout < 4; rollout += 1) {
        const before = await since();
        await kubectl(cluster, ['rollout', 'restart', ...webhook]);
        await kubectl(cluster, ['rollout', 'status', ...webhook, '--timeout=120s']);
        await untilDrained();
        expect(Date.parse(await since())).toBeGreaterThan(before === '' ? 0 : Date.parse(before));
      }
    });
    expect([failed, lost]).toEqual([[], []]);
    await untilReady(cluster, name, namespace);
  }, 600_000);

  it('rejects an image tag of another release than spec.version', async () => {
    await patch({ components: { karmadaScheduler: { imageTag: releases.previous } } });
    await poll('Ready reports the rejected tag', async (seen) => {
      const { reason, message = '' } = readyOf(await reconciled(seen)) ?? {};
      const named = message.includes('spec.components.karmadaScheduler.imageTag');
      return reason === 'ValidationError' && named ? true : undefined;
    });
    await patch({ components: { karmadaScheduler: { imageTag: null } } });
    await untilReady(cluster, name, namespace);
  }, 240_000);

  it('blocks a Kubernetes downgrade and applies the rest of the spec', async () => {
    const components: KarmadaSpec['components'] = {
      karmadaAPIServer: { ...auditedComponents, imageTag: kubernetes.previous },
      karmadaWebhook: { labels: { 'example.com/day': 'two' } },
    };
    const { etcd, karmadaMetricsAdapter } = karmada.spec.components;
    const all = { etcd, karmadaMetricsAdapter, ...components };
    const spec = { version: releases.current, components: all };
    const plan = await planOf(cluster, { ...karmada, spec });
    expect(plan).toMatch(/^Blocked:\n {2}DowngradeBlocked: kube-apiserver: downgrade from/m);
    const before = await podsIn(cluster, namespace);
    await patch({ components });
    await poll('Ready reports the blocked change and the label is applied', async (seen) => {
      const { reason, message = '' } = readyOf(await reconciled(seen)) ?? {};
      const label = ['jsonpath={.spec.template.metadata.labels.example\\.com/day}'];
      const webhook = ['get', 'deployment', `${name}-webhook`, ...inNamespace, '-o', ...label];
      const blocked = reason === 'ChangeBlocked' && message.includes('downgrade from');
      return blocked && (await kubectl(cluster, webhook)) === 'two' ? true : undefined;
    });
    expect(await images()).toContain(`kube-apiserver:${kubernetes.current}`);
    expect(restartsBetween(before, await podsIn(cluster, namespace))).toEqual(restartsIn(plan));
    await patch({ components: { karmadaAPIServer: { imageTag: null }, karmadaWebhook: null } });
    await untilReady(cluster, name, namespace);
  }, 240_000);

  it.each(
    drawn(STEP_FAILURES.filter(isBeforeScheduler), 1, titleOf).map(
      (one) => [titleOf(one), ...one] as const,
    ),
  )(
    '%s',
    async (_, key, __, settings) => {
      const later = ['get', 'deployment', `${name}-scheduler`, ...inNamespace, '-o'];
      const generation = [...later, 'jsonpath={.metadata.generation}'];
      const before = await kubectl(cluster, generation);
      const labels = { 'example.com/try': `${key}-${String(before)}` };
      const component = COMPONENT_NAME[key];
      const { failed, lost } = await underTraffic(cluster, plane, async () => {
        const change = { components: { karmadaScheduler: { labels }, [key]: settings } };
        const planned = restartsIn(await planOfPatch(cluster, { name, namespace }, change));
        expect(planned).toEqual([`${name}-${WORKLOAD_SUFFIX[key]}`, `${name}-scheduler`].sort());
        const atFirst = await podsIn(cluster, namespace);
        await patch(change);
        await poll(
          'the conditions report the failing component',
          async (seen) => {
            const found = await reconciled(seen);
            const { status, message = '' } = readyOf(found) ?? {};
            const own = found.status?.conditions?.find(
              ({ type }) => type === CONDITION_TYPE[component as ComponentName],
            );
            const named = message.includes(`${name}-${WORKLOAD_SUFFIX[key]}`);
            return status === 'False' && named && own?.status === 'False' ? true : undefined;
          },
          { deadlineMs: 120_000 },
        );
        expect(await kubectl(cluster, generation)).toBe(before);
        await poll('only the Pods of this component are new', async (seen) => {
          const fresh = restartsBetween(atFirst, await podsIn(cluster, namespace));
          seen(fresh.join());
          return fresh.join() === `${name}-${WORKLOAD_SUFFIX[key]}` ? true : undefined;
        });
        const back = Object.fromEntries(Object.keys(settings).map((field) => [field, null]));
        await patchAsPlanned(cluster, { name, namespace }, { components: { [key]: back } });
        expect(await kubectl(cluster, generation)).not.toBe(before);
        await untilDrained();
      });
      expect([failed, lost]).toEqual([[], []]);
    },
    480_000,
  );

  it('restarts no Pod and writes nothing when a build with another version replaces the operator', async () => {
    const state = async (): Promise<object> => {
      const kinds = 'pods,deployments,statefulsets,services,secrets';
      const text = await kubectl(cluster, ['get', kinds, ...inNamespace, '-o', 'json']);
      const { items } = JSON.parse(text) as { items: KubernetesObject[] };
      // The test edits the scheduler below, so its objects do not count.
      const others = items.filter(({ metadata }) => !metadata.name.includes('-scheduler'));
      return others.map(({ kind, metadata }) => [
        kind,
        metadata.name,
        metadata.uid,
        versionOf(metadata),
      ]);
    };
    // The kubelet and the controllers of the host cluster write the status, which changes only resourceVersion.
    const versionOf = ({ generation, resourceVersion }: KubernetesObject['metadata']): unknown =>
      generation ?? resourceVersion;
    const before = await state();
    await installOperator(cluster, {}, '99.0.0-another');
    const logs = ['logs', '-n', operatorNamespace, `deployment/${release}`];
    // kubectl may choose the terminating Pod of the former build.
    await poll('the new build logs its version', async (seen) => {
      const found = await kubectl(cluster, logs);
      seen(found.slice(-300));
      return found.includes('99.0.0-another') ? true : undefined;
    });
    await kubectl(cluster, [
      'scale',
      'deployment',
      `${name}-scheduler`,
      ...inNamespace,
      '--replicas=2',
    ]);
    await poll('the new build has reconciled the control plane', async (seen) => {
      const shown = ['get', 'deployment', `${name}-scheduler`, ...inNamespace, '-o'];
      const found = await kubectl(cluster, [...shown, 'jsonpath={.spec.replicas}']);
      seen(found);
      return found === '1' ? true : undefined;
    });
    await untilReady(cluster, name, namespace);
    expect(await state()).toEqual(before);
    await installOperator(cluster);
  }, 300_000);

  it('reports an object with the pause-repair annotation and repairs it when the annotation is removed', async () => {
    const deployment = ['deployment', `${name}-webhook`, ...inNamespace];
    const annotation = 'operator.karmada.io/pause-repair';
    const replicas = ['get', ...deployment, '-o', 'jsonpath={.spec.replicas}'];
    await kubectl(cluster, ['annotate', ...deployment, `${annotation}=true`]);
    await kubectl(cluster, ['scale', ...deployment, '--replicas=2']);
    await poll('RepairPaused reports the object', async (seen) => {
      const { status } = await reconciled(seen);
      const found = status?.conditions?.find(({ type }) => type === 'RepairPaused');
      return found?.message.includes(`${name}-webhook`) ? true : undefined;
    });
    expect(await kubectl(cluster, replicas)).toBe('2');
    await kubectl(cluster, ['annotate', ...deployment, `${annotation}-`]);
    await poll('the object is restored', async (seen) => {
      const found = await kubectl(cluster, replicas);
      seen(found);
      return found === '1' ? true : undefined;
    });
    await untilReady(cluster, name, namespace);
  }, 240_000);

  it('has forbidden no component a request in all these changes', async () => {
    const found = await audit?.end();
    expect(found?.components).toEqual(expect.arrayContaining(['controller-manager', 'scheduler']));
    expect(found?.forbidden).toEqual([]);
  }, 60_000);
});

function stageOf(suffix: string): number {
  return STAGES.findIndex((stage) => (stage as readonly string[]).includes(suffix));
}
