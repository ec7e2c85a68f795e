/** A control plane that the chart `karmada` installs, with the images of the other sides and the defaults of the chart. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { run } from '../../../tools/embedded-cluster/command.ts';
import { inNode } from '../../../tools/embedded-cluster/node.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import {
  etcdTags,
  karmadaReleases,
  kubernetesReleases,
} from '../../../tools/embedded-cluster/releases.ts';
import { openAccess, type ControlPlane } from '../../harness/control-plane.ts';
import { writeKarmadaChart } from '../../harness/karmada-charts.ts';
import { underTraffic } from '../../harness/traffic/traffic.ts';
import { rolledOut } from '../install/readiness.ts';
import { remove, type Session } from '../install/session.ts';
import { AFTERWARDS_MS, DEADLINE_MS, hasNewImages, workloadsOf } from '../upgrade/measure.ts';
import { measureRepairs } from './repairs.ts';
import { upgradeFigure, type UpgradeFigure } from './report.ts';

const namespace = 'bench-chart';
const ACCESS = {
  namespace,
  secret: 'karmada-kubeconfig',
  key: 'kubeconfig',
  service: 'karmada-apiserver',
};
const DELETED = ['karmada-scheduler', 'karmada-webhook', 'karmada-controller-manager'];
const API = '/apis/cluster.karmada.io/v1alpha1/clusters';

type Release = keyof typeof kubernetesReleases;

/** Returns the values with the images of a release. etcd with one member keeps its version, as on the other sides. */
function valuesOf(release: Release): object {
  const tagged = (tag: string): object => ({ image: { tag } });
  const karmada = tagged(karmadaReleases[release]);
  const kubernetes = tagged(kubernetesReleases[release]);
  return {
    karmadaImageVersion: karmadaReleases[release],
    ...{ scheduler: karmada, webhook: karmada, controllerManager: karmada },
    aggregatedApiServer: karmada,
    ...{ apiServer: kubernetes, kubeControllerManager: kubernetes },
    etcd: { internal: tagged(etcdTags.current) },
  };
}

/** Runs Helm with the chart and the values of a release. */
async function helm(
  { cluster }: Session,
  command: 'install' | 'upgrade',
  release: Release,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'karmada-chart-'));
  try {
    const [chart, values] = [join(folder, 'karmada'), join(folder, 'values.json')];
    await writeKarmadaChart(chart, 'karmada', karmadaReleases[release]);
    await writeFile(values, JSON.stringify(valuesOf(release)));
    const where = ['--namespace', namespace, '--create-namespace'];
    await run(
      [join(cluster.bin, 'helm'), command, 'karmada', chart, '--values', values, ...where],
      {
        env: { KUBECONFIG: cluster.kubeconfig },
        timeout: 600_000,
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until the control plane lists clusters. */
async function served({ cluster }: Session): Promise<ControlPlane> {
  const plane = await openAccess(cluster, ACCESS);
  return poll(
    'the control plane serves requests',
    async (seen) => {
      const { code, stderr } = await plane.tryKubectl(['get', '--raw', API]);
      seen(stderr);
      return code === 0 ? plane : undefined;
    },
    { deadlineMs: DEADLINE_MS },
  );
}

/** Waits until all workloads are rolled out. @param takenUp whether they contain the change */
const settled = (session: Session, takenUp: typeof hasNewImages = () => true): Promise<true> =>
  poll(
    'the workloads are rolled out',
    async (seen) => {
      const workloads = await workloadsOf(session, namespace);
      const rolling = workloads.filter((item) => !rolledOut(item));
      seen(rolling.map(({ metadata }) => metadata.name).join());
      return rolling.length === 0 && takenUp(workloads) ? true : undefined;
    },
    { deadlineMs: DEADLINE_MS, intervalMs: 250 },
  );

/** Removes the release without its Job after the deletion, which would delete the namespace of the operators. */
async function removeRelease(session: Session): Promise<void> {
  const { bin, kubeconfig, node } = session.cluster;
  const uninstall = ['uninstall', 'karmada', '--no-hooks', '--ignore-not-found', '--wait'];
  await run([join(bin, 'helm'), ...uninstall, '--namespace', namespace], {
    env: { KUBECONFIG: kubeconfig },
    timeout: 300_000,
  });
  await remove(session, resources.Namespace, { name: namespace });
  // The chart keeps the data of etcd in a folder of the node.
  await run(inNode(node, ['rm', '-rf', `/var/lib/${namespace}`]));
}

/**
 * Installs a control plane, deletes Deployments of it, and removes it.
 * @param repairs whether Deployments are deleted
 * @returns seconds until it served requests, and the times of the repairs
 */
export async function measureChart(
  session: Session,
  repairs: boolean,
): Promise<{ install: number; repairs: (number | undefined)[] }> {
  try {
    const began = performance.now();
    await helm(session, 'install', 'current');
    await served(session);
    const install = (performance.now() - began) / 1000;
    const times = repairs ? await measureRepairs(session, namespace, DELETED) : [];
    return { install, repairs: times };
  } finally {
    await removeRelease(session);
  }
}

/** Installs the previous release, upgrades it under load, and removes it. */
export async function upgradeChart(session: Session): Promise<UpgradeFigure> {
  try {
    await helm(session, 'install', 'previous');
    const plane = await served(session);
    await settled(session);
    let [seconds, finished] = [0, false];
    const traffic = await underTraffic(session.cluster, plane, async () => {
      const began = performance.now();
      finished = await helm(session, 'upgrade', 'current')
        .then(() => settled(session, hasNewImages))
        .catch((error: unknown) => {
          session.progress.note(`chart: ${String(error)}`);
          return false;
        });
      seconds = (performance.now() - began) / 1000;
      await delay(AFTERWARDS_MS);
    });
    return upgradeFigure(traffic, { seconds, finished });
  } finally {
    await removeRelease(session);
  }
}
