import { expect } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import type { KubernetesClient } from '../../src/kubernetes/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { controlPlaneClientOf } from './client.ts';
import { apply, getObject } from './cluster.ts';
import { untilReady } from './control-plane.ts';
import { etcdAnswers, etcdPods } from './etcd-members.ts';
import { writing, type Written } from './etcd-writer.ts';

const name = 'karmada';
const set = `${name}-etcd`;
const DEADLINE_MS = 300_000;

/** Volumes that keep the data of etcd members when their Pods are deleted. */
export const volumeClaim = {
  volumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
};

const karmada = (namespace: string, local: object): object => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    components: {
      etcd: { local },
      // The test connects from outside the host cluster with the unchanged kubeconfig.
      karmadaAPIServer: { serviceType: 'NodePort' },
      karmadaMetricsAdapter: { enabled: false },
    },
  },
});

/** Changes of the etcd members of one Karmada. */
export interface EtcdChanges {
  /** Installs a Karmada with these etcd settings in a new namespace. */
  readonly install: (local: object) => Promise<void>;
  /** Sets the number of etcd members. */
  readonly want: (replicas: number) => Promise<void>;
  /** Waits until this number of members of the original cluster respond, and Ready is True. */
  readonly untilMembers: (count: number) => Promise<void>;
  /** Sets the number of etcd members and waits until they respond. */
  readonly change: (count: number) => Promise<void>;
  /**
   * Writes and reads while `work` runs.
   * @throws if a write is lost, a call fails, or no write is acknowledged for 5 seconds
   */
  readonly during: (prefix: string, work: () => Promise<unknown>) => Promise<Written>;
  readonly pods: () => Promise<readonly KubernetesObject[]>;
  /** UID and restart count of the first member. */
  readonly firstMember: () => Promise<string>;
  /** Closes the client of the control plane and deletes the Karmada with its namespace. */
  readonly end: () => Promise<void>;
}

/** @param clusterOf returns the cluster, which starts after the suite is defined */
export function etcdChanges(clusterOf: () => Cluster, namespace: string): EtcdChanges {
  const where = ['-n', namespace];
  let inside: KubernetesClient | undefined;
  /** ID of the etcd cluster of the present Karmada. */
  let clusterID: string | undefined;

  const at = { name, namespace };
  const answers = (): ReturnType<typeof etcdAnswers> =>
    etcdAnswers({ cluster: clusterOf(), ...at }, '/registry/configmaps/default/');
  const pods = (): Promise<readonly KubernetesObject[]> =>
    etcdPods({ cluster: clusterOf(), ...at });

  async function install(local: object): Promise<void> {
    await tryKubectl(clusterOf(), ['delete', 'karmada', '--all', ...where, '--timeout=120s']);
    await tryKubectl(clusterOf(), ['delete', 'namespace', namespace, '--timeout=180s']);
    await apply(clusterOf(), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    await apply(clusterOf(), karmada(namespace, local));
    await untilReady(clusterOf(), name, namespace);
    await inside?.close();
    inside = await controlPlaneClientOf(clusterOf(), name, namespace);
    clusterID = (await answers())[0]?.clusterID;
  }

  async function want(replicas: number): Promise<void> {
    const patch = JSON.stringify({ spec: { components: { etcd: { local: { replicas } } } } });
    await kubectl(clusterOf(), ['patch', 'karmada', name, ...where, '--type=merge', '-p', patch]);
  }

  async function untilMembers(count: number): Promise<void> {
    await poll(
      `${String(count)} etcd members`,
      async (seen) => {
        const [{ status }, found] = [
          await getObject<Karmada>(clusterOf(), 'karmada', name, namespace),
          await answers(),
        ];
        const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
        seen(`${String(status?.etcd)} ${JSON.stringify(found)} ${String(progress?.message)}`);
        const own = found.filter((answer) => answer.clusterID === clusterID);
        expect(own).toHaveLength(found.length);
        return (
          (own.length === count && status?.etcd === `${String(count)}/${String(count)}`) ||
          undefined
        );
      },
      { deadlineMs: DEADLINE_MS, intervalMs: 1_000 },
    );
    await untilReady(clusterOf(), name, namespace);
    expect(await pods()).toHaveLength(count);
  }

  async function change(count: number): Promise<void> {
    await want(count);
    await untilMembers(count);
  }

  async function during(prefix: string, work: () => Promise<unknown>): Promise<Written> {
    if (inside === undefined) throw new Error('no client of the control plane');
    const written = await writing(inside, prefix, work);
    expect(written.lost).toEqual([]);
    expect(written.failures).toEqual([]);
    expect(written.longestGapMs).toBeLessThan(5_000);
    expect(written.acknowledged.length).toBeGreaterThan(20);
    return written;
  }

  async function firstMember(): Promise<string> {
    const pod = (await pods()).find(({ metadata }) => metadata.name === `${set}-0`);
    const { containerStatuses = [] } = (pod?.['status'] ?? {}) as {
      containerStatuses?: readonly { restartCount: number }[];
    };
    return `${String(pod?.metadata.uid)} ${String(containerStatuses[0]?.restartCount)}`;
  }

  async function end(): Promise<void> {
    await inside?.close();
    await tryKubectl(clusterOf(), ['delete', 'karmada', '--all', ...where, '--timeout=120s']);
    await tryKubectl(clusterOf(), ['delete', 'namespace', namespace, '--wait=false']);
  }

  return { install, want, untilMembers, change, during, pods, firstMember, end };
}
