import { describe, expect, it } from '@jest/globals';
import { INSTANCE } from '../api/labels.ts';
import type { Host, ManagementCluster } from '../host-clusters/host.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { resources, type ObjectKey } from '../kubernetes/objects/resources.ts';
import { cachedOrphans } from './find-orphans.ts';

/** A cluster with a Deployment of each of these control planes, 50 of them in a namespace. */
function ownedOf(count: number, prefix: string, perNamespace = 50): Host['owned'] {
  const list = (): KubernetesObject[] =>
    Array.from({ length: count }, (_, index) => {
      const name = `${prefix}${String(index)}`;
      const namespace = `team${String(Math.floor(index / perNamespace))}`;
      const metadata = { namespace, name, labels: { [INSTANCE]: name } };
      return { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
    });
  return [{ type: resources.Deployment, cache: { list } }] as unknown as Host['owned'];
}

interface Reads {
  readonly names: string[];
  open: number;
  mostAtOnce: number;
}

/** The management cluster, whose API server knows these Karmada objects. */
function clusterWith(count: number, existing: readonly string[] = [], perNamespace = 50) {
  const reads: Reads = { names: [], open: 0, mostAtOnce: 0 };
  const find = async (_: unknown, { name }: ObjectKey): Promise<object | undefined> => {
    reads.names.push(name);
    reads.open += 1;
    reads.mostAtOnce = Math.max(reads.mostAtOnce, reads.open);
    await Promise.resolve();
    reads.open -= 1;
    return existing.includes(name) ? {} : undefined;
  };
  const karmadas = { cache: { list: () => [] } };
  const local = { client: { find }, karmadas, owned: ownedOf(count, 'here', perNamespace) };
  return { reads, local: local as unknown as ManagementCluster };
}

const remote = (count: number): Host =>
  ({ owned: ownedOf(count, 'there'), remote: { server: 'https://host' } }) as unknown as Host;

describe('cachedOrphans', () => {
  it('returns all control planes whose Karmada object does not exist', async () => {
    const { local } = clusterWith(50, ['here7']);
    const found = await cachedOrphans(local, [remote(3)]);
    expect(found).toHaveLength(52);
    expect(found.map(({ name }) => name)).not.toContain('here7');
  });

  it('reads few Karmada objects at once', async () => {
    const { local, reads } = clusterWith(200);
    await cachedOrphans(local, []);
    expect(reads.names).toHaveLength(200);
    expect(reads.mostAtOnce).toBeLessThanOrEqual(16);
  });

  it('examines 100 control planes of a namespace at most', async () => {
    const { local, reads } = clusterWith(15_000, [], 5_000);
    expect(await cachedOrphans(local, [])).toHaveLength(300);
    expect(reads.names).toHaveLength(300);
  });

  it('examines 100 control planes of a remote host cluster at most', async () => {
    const { local, reads } = clusterWith(1);
    expect(await cachedOrphans(local, [remote(20_000), remote(2)])).toHaveLength(103);
    expect(reads.names).toHaveLength(103);
  });
});
