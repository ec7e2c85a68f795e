/** A control plane that `karmadactl init` installs, with the images and the etcd storage of the other sides. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crdArchive } from '../../../scripts/image/karmada-module.ts';
import { attempt, run } from '../../../tools/embedded-cluster/command.ts';
import {
  etcdTags,
  karmadaReleases,
  kubernetesReleases,
} from '../../../tools/embedded-cluster/releases.ts';
import { addressesOf, slotOf } from '../../../tools/embedded-cluster/slot.ts';
import type { Session } from '../install/session.ts';
import { DELETED, measureRepairs } from './repairs.ts';
import { untilServed } from './served.ts';

const namespace = 'bench-karmadactl';

/** Returns the flags of `karmadactl init`. @param data folder for its kubeconfig and certificates */
async function flags({ cluster }: Session, data: string): Promise<string[]> {
  const kubernetes = (name: string): string =>
    `registry.k8s.io/${name}:${kubernetesReleases.current}`;
  const values = {
    kubeconfig: cluster.kubeconfig,
    namespace,
    crds: await crdArchive(karmadaReleases.current),
    'karmada-data': data,
    'karmada-pki': join(data, 'pki'),
    'etcd-storage-mode': 'emptyDir',
    'etcd-image': `registry.k8s.io/etcd:${etcdTags.current}`,
    'karmada-apiserver-image': kubernetes('kube-apiserver'),
    'karmada-kube-controller-manager-image': kubernetes('kube-controller-manager'),
    'karmada-apiserver-advertise-address': addressesOf(slotOf(cluster.name) ?? NaN).node,
  };
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}

/**
 * Installs a control plane, deletes Deployments of it, and removes it.
 * @param repairs whether Deployments are deleted
 * @returns seconds until it served requests, and the times of the repairs
 */
export async function measureKarmadactl(
  session: Session,
  repairs: boolean,
): Promise<{ install: number; repairs: (number | undefined)[] }> {
  const { bin, kubeconfig } = session.cluster;
  const karmadactl = join(bin, 'karmadactl');
  const data = await mkdtemp(join(tmpdir(), 'karmadactl-init-'));
  try {
    const init = [karmadactl, 'init', ...(await flags(session, data))];
    const began = performance.now();
    await run(init, { timeout: 600_000 });
    const kubectl = [join(bin, 'kubectl'), '--kubeconfig', join(data, 'karmada-apiserver.config')];
    await untilServed((args) => attempt([...kubectl, ...args]));
    const install = (performance.now() - began) / 1000;
    const times = repairs ? await measureRepairs(session, namespace, DELETED) : [];
    return { install, repairs: times };
  } finally {
    const where = ['--kubeconfig', kubeconfig, '--namespace', namespace];
    await run([karmadactl, 'deinit', '--force', '--purge-namespace', ...where], {
      timeout: 300_000,
    });
    await rm(data, { recursive: true, force: true });
  }
}
