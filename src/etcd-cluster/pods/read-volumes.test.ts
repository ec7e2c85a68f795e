import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import type {
  KubernetesClient,
  ListOptions,
  ListPage,
} from '../../kubernetes/client/client-interface.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { claimAt, nameOf, podAt } from '../members/__fixtures__/objects.ts';
import { liveNodesNamed, nodesNamedIn, readVolumes, withoutStarting } from './read-volumes.ts';
import type { ResourceType } from '../../kubernetes/objects/resources.ts';

const HOST = 'kubernetes.io/hostname';
const volumeOf = (ordinal: number): string => `pv-etcd-data-${nameOf(ordinal)}`;
const local = (name: string, ...values: readonly string[]): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: HOST, operator: 'In', values }] }],
      },
    },
  },
});
const node = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [HOST]: name } },
});
const down = podAt(1, {
  status: {
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-11-01T10:00:00Z' }],
  },
});

interface Api {
  readonly client: Pick<KubernetesClient, 'list'>;
  readonly calls: object[];
  /** Maximum lengths of the lists. */
  readonly limits: (number | undefined)[];
}

/** API server with volumes, by default one on n1, and nodes. */
function apiWith(
  nodes: readonly KubernetesObject[],
  failure?: Error,
  volumes: readonly KubernetesObject[] = [local(volumeOf(1), 'n1')],
): Api {
  const calls: object[] = [];
  const limits: (number | undefined)[] = [];
  const list = async (
    { kind }: ResourceType,
    { fieldSelector, labelSelector, maxBytes, transform }: ListOptions = {},
  ): Promise<ListPage> => {
    limits.push(maxBytes);
    calls.push({
      kind,
      ...(fieldSelector && { fieldSelector }),
      ...(labelSelector && { labelSelector }),
    });
    if (failure !== undefined) throw failure;
    const found = kind === 'Node' ? nodes : volumes;
    const reducing = transform?.();
    const items = reducing ? found.flatMap((one) => reducing.reduce(one) ?? []) : found;
    return { resourceVersion: '1', items };
  };
  return { client: anyClient({ list }), calls, limits };
}

const claims = [0, 1, 2].map((ordinal) => claimAt(ordinal));

describe('readVolumes', () => {
  it('reads nothing while all members are ready', async () => {
    const { client, calls } = apiWith([]);
    const pods = [0, 1, 2].map((ordinal) => podAt(ordinal));
    const nothing = { volumes: [], nodes: [] };
    expect(await readVolumes(client, { pods, claims }, liveNodesNamed(client))).toEqual(nothing);
    expect(calls).toEqual([]);
  });

  it('reads the volume of a member that is down, and its node', async () => {
    const { client, calls } = apiWith([node('n1')]);
    const pods = [podAt(0), down, podAt(2)];
    expect(await readVolumes(client, { pods, claims }, liveNodesNamed(client))).toMatchObject({
      volumes: [local(volumeOf(1), 'n1')],
      nodes: [node('n1')],
    });
    expect(calls).toEqual([
      { kind: 'PersistentVolume', fieldSelector: `metadata.name=${volumeOf(1)}` },
      { kind: 'Node', labelSelector: `${HOST}=n1` },
    ]);
  });

  it('keeps little of each volume and each node, however long the lists are', async () => {
    const image = { names: ['x'.repeat(100_000)] };
    const { client, limits } = apiWith([{ ...node('n1'), status: { images: [image] } }]);
    const { nodes } = await readVolumes(client, { pods: [down], claims }, liveNodesNamed(client));
    expect(nodes).toMatchObject([node('n1')]);
    expect(JSON.stringify(nodes).length).toBeLessThan(1_000);
    expect(limits).toEqual([262_144, 262_144]);
  });

  it('reads 32 volumes at most', async () => {
    const { client, calls } = apiWith([node('n1')]);
    const pods = Array.from({ length: 40 }, (_, ordinal) => ({
      ...down,
      metadata: { ...down.metadata, name: nameOf(ordinal) },
    }));
    const many = pods.map((_, ordinal) => claimAt(ordinal));
    await readVolumes(client, { pods, claims: many }, nodesNamedIn([node('n1')]));
    expect(calls).toHaveLength(32);
  });

  it('leaves out a volume that requires too many nodes, and reads all nodes of the others', async () => {
    const hosts = Array.from({ length: 65 }, (_, index) => `h${String(index)}`);
    const volumes = [
      local(volumeOf(0), 'n1'),
      local(volumeOf(1), ...hosts),
      local(volumeOf(2), ...hosts.slice(0, 63), 'n1'),
    ];
    const { client, calls } = apiWith([node('n1')], undefined, volumes);
    const pods = [0, 1, 2].map((ordinal) => ({
      ...down,
      metadata: { ...down.metadata, name: nameOf(ordinal) },
    }));
    const read = await readVolumes(client, { pods, claims }, liveNodesNamed(client));
    expect(read.volumes).toEqual([volumes[0], volumes[2]]);
    expect(calls.filter((call) => 'labelSelector' in call)).toHaveLength(64);
  });

  it('selects the node from a cache', async () => {
    const { client } = apiWith([]);
    const named = nodesNamedIn([node('n1'), node('n2')]);
    expect(await readVolumes(client, { pods: [down], claims }, named)).toMatchObject({
      nodes: [node('n1')],
    });
  });

  it('knows no volume without the permission to list volumes', async () => {
    const error = new ApiError({ request: 'r', code: 403, reason: 'Forbidden', message: 'm' });
    const { client } = apiWith([], error);
    expect(await readVolumes(client, { pods: [down], claims }, liveNodesNamed(client))).toEqual({
      volumes: [],
      nodes: [],
    });
  });

  it('fails when a read fails', async () => {
    const error = new ApiError({ request: 'r', code: 500, reason: 'x', message: 'm' });
    const { client } = apiWith([], error);
    const reading = readVolumes(client, { pods: [down], claims }, liveNodesNamed(client));
    await expect(reading).rejects.toBe(error);
  });
});

it('withoutStarting leaves out the Pods of members that have not been ready only for moments', () => {
  const ready = podAt(0);
  const began = Date.parse('2026-11-01T10:00:00Z');
  expect(withoutStarting([ready, down], began + 9_999)).toEqual([ready]);
  expect(withoutStarting([ready, down], began + 10_000)).toEqual([ready, down]);
});
