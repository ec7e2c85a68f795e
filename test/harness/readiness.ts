import type { Karmada } from '../../src/api/karmada.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../src/kubernetes/objects/resources.ts';
import { karmadas } from '../../src/host-clusters/host.ts';
import { withUpdatedMembers } from '../../src/etcd-cluster/pods/membership.ts';
import { isRolledOut } from '../../src/components/rollout.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { clientOf } from './client.ts';
import { saysReady } from './is-ready.ts';

export interface Readings {
  /** Each time the control plane was Ready for its current spec while a rollout was incomplete. */
  lies: string[];
  /** Number of samples. */
  samples: number;
  /** Suffixes of the workloads of the control plane, in the order of their changes. */
  rollouts: string[];
}

const INTERVAL_MS = 200;

interface Reader {
  /** Ends the comparison. */
  end(): Promise<Readings>;
}

/** Compares the Ready condition of a control plane with its workloads until `end` is called. */
export function watchReadiness(
  cluster: Cluster,
  key: { readonly name: string; readonly namespace: string },
): Reader {
  const client = clientOf(cluster);
  const reader = compareReadiness(client, key);
  return {
    async end() {
      const readings = await reader.end();
      await client.close();
      return readings;
    },
  };
}

/** The same with a client that the caller closes. */
export function compareReadiness(
  client: Pick<KubernetesClient, 'find' | 'list'>,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Reader {
  const readings: Readings = { lies: [], samples: 0, rollouts: [] };
  const generations = new Map<string, number>();
  let ended = false;

  const isReady = async (): Promise<boolean> => {
    const found = (await client.find(karmadas, { namespace, name })) as Karmada | undefined;
    return found !== undefined && saysReady(found);
  };

  const workloads = async (): Promise<readonly KubernetesObject[]> => {
    const list = async (type: ResourceType): Promise<readonly KubernetesObject[]> =>
      (await client.list(type, { namespace })).items;
    const [deployments, statefulSets, pods] = await Promise.all([
      list(resources.Deployment),
      list(resources.StatefulSet),
      list(resources.Pod),
    ]);
    // Ignores the part of the Pod template that lets an etcd member create a new cluster; all other fields must be
    // equal.
    return withUpdatedMembers([...deployments, ...statefulSets], pods, name);
  };

  async function sample(): Promise<void> {
    readings.samples += 1;
    const before = await isReady();
    const found = await workloads();
    const after = await isReady();
    for (const { metadata } of found) {
      const { name: workload, generation = 0 } = metadata;
      const known = generations.get(workload);
      if (known !== undefined && known !== generation)
        readings.rollouts.push(workload.slice(name.length + 1));
      generations.set(workload, generation);
    }
    const rolling = found.filter((workload) => !isRolledOut(workload));
    if (before && after && rolling.length > 0)
      readings.lies.push(
        `${new Date().toISOString()} ${rolling.map(({ metadata }) => metadata.name).join(', ')}`,
      );
  }

  async function run(): Promise<void> {
    while (!ended) {
      await sample();
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    }
  }

  const running = run();
  return {
    async end() {
      ended = true;
      await running;
      return readings;
    },
  };
}
