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
import { remove, type Session } from '../install/session.ts';
import { AFTERWARDS_MS, DEADLINE_MS, hasNewImages, rolloutIn } from '../upgrade/measure.ts';
import { DELETED, measureRepairs } from './repairs.ts';
import { upgradeFigure, type UpgradeFigure } from './report.ts';
import { untilServed } from './served.ts';

const namespace = 'bench-chart';
const ACCESS = {
  namespace,
  secret: 'karmada-kubeconfig',
  key: 'kubeconfig',
  service: 'karmada-apiserver',
};

type Release = keyof typeof kubernetesReleases;

/** Returns the values with the images of a release. etcd with one member keeps its version, as on the other sides. */
function valuesOf(release: Release): object {
  const tagged = (tag: string): object => ({ image: { tag } });
  const karmada = tagged(karmadaReleases[release]);
  const kubernetes = tagged(kubernetesReleases[release]);
  return {
    // The certificates of the chart are valid for Services of the namespace of the release only.
    systemNamespace: namespace,
    karmadaImageVersion: karmadaReleases[release],
    ...{ scheduler: karmada, webhook: karmada, controllerManager: karmada },
    aggregatedApiServer: karmada,
    ...{ apiServer: kubernetes, kubeControllerManager: kubernetes },
    etcd: { internal: tagged(etcdTags.current) },
  };
}

/** Runs Helm with the chart and the values of one release. */
type Helm = (command: 'install' | 'upgrade') => Promise<void>;

/** Writes the chart and the values of a release to a folder, so that this takes no time of a measurement. */
async function helmFor({ cluster }: Session, folder: string, release: Release): Promise<Helm> {
  const [chart, values] = [join(folder, release), join(folder, `${release}.json`)];
  await writeKarmadaChart(chart, 'karmada', karmadaReleases[release]);
  await writeFile(values, JSON.stringify(valuesOf(release)));
  const rest = ['karmada', chart, '--values', values, '--namespace', namespace];
  const env = { KUBECONFIG: cluster.kubeconfig };
  return async (command) => {
    const all = [join(cluster.bin, 'helm'), command, ...rest, '--create-namespace'];
    await run(all, { env, timeout: 600_000 });
  };
}

/** Waits until the control plane lists clusters. */
async function served({ cluster }: Session): Promise<ControlPlane> {
  const plane = await openAccess(cluster, ACCESS);
  await untilServed((args) => plane.tryKubectl(args), { deadlineMs: DEADLINE_MS });
  return plane;
}

/** Waits until all workloads are rolled out. @param takenUp whether they contain the change */
const settled = (session: Session, takenUp?: typeof hasNewImages): Promise<true> =>
  poll(
    'the workloads are rolled out',
    async (seen) => {
      const { isDone, rolling } = await rolloutIn(session, namespace, takenUp);
      seen(rolling);
      return isDone ? true : undefined;
    },
    { deadlineMs: DEADLINE_MS, intervalMs: 250 },
  );

/** Gives work a folder for charts, and removes the folder and the release afterwards. */
async function withFolder<T>(session: Session, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'karmada-chart-'));
  try {
    return await work(folder);
  } finally {
    await removeRelease(session);
    await rm(folder, { recursive: true, force: true });
  }
}

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
export const measureChart = (
  session: Session,
  repairs: boolean,
): Promise<{ install: number; repairs: (number | undefined)[] }> =>
  withFolder(session, async (folder) => {
    const helm = await helmFor(session, folder, 'current');
    const began = performance.now();
    await helm('install');
    await served(session);
    const install = (performance.now() - began) / 1000;
    const times = repairs ? await measureRepairs(session, namespace, DELETED) : [];
    return { install, repairs: times };
  });

/** Installs the previous release, upgrades it under load, and removes it. */
export const upgradeChart = (session: Session): Promise<UpgradeFigure> =>
  withFolder(session, async (folder) => {
    const former = await helmFor(session, folder, 'previous');
    const next = await helmFor(session, folder, 'current');
    await former('install');
    const plane = await served(session);
    await settled(session);
    let [seconds, finished] = [0, false];
    const traffic = await underTraffic(session.cluster, plane, async () => {
      const began = performance.now();
      finished = await next('upgrade')
        .then(() => settled(session, hasNewImages))
        .catch((error: unknown) => {
          session.progress.note(`chart: ${String(error)}`);
          return false;
        });
      seconds = (performance.now() - began) / 1000;
      await delay(AFTERWARDS_MS);
    });
    return upgradeFigure(traffic, { seconds, finished });
  });
