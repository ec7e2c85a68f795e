import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../src/kubernetes/any-client.fixture.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { settle } from './release.ts';

const revision = (version: number): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: `sh.helm.release.v1.karmada-operator.v${String(version)}`,
    namespace: 'karmada-system',
    labels: { status: 'pending-upgrade' },
  },
});

/** Returns a client that lists these revisions, and the names that it deleted. */
function clientWith(...items: KubernetesObject[]) {
  const deleted: string[] = [];
  const list = () => Promise.resolve({ resourceVersion: '1', items });
  const remove = (_: unknown, { name }: { name: string }) =>
    Promise.resolve(void deleted.push(name));
  return { deleted, client: anyClient({ list, delete: remove }) };
}

describe('settle', () => {
  it.each([
    ['no pending revision', []],
    ['one pending revision', [revision(2)]],
    ['two pending revisions', [revision(2), revision(3)]],
  ])('deletes the leftovers of a killed Helm run in the embedded cluster: %s', async (_, items) => {
    const { client, deleted } = clientWith(...items);
    await settle({ client, kubeconfig: '/host', bin: '/bin' });
    expect(deleted).toEqual(items.map(({ metadata }) => metadata.name));
  });

  it('throws an error with release and action when the cluster of the user has a pending revision', async () => {
    const { client, deleted } = clientWith(revision(2));
    const error = await settle({ client, kubeconfig: '/own' }).catch(String);
    expect(error).toContain('karmada-system/karmada-operator is pending-upgrade');
    expect(error).toContain('npm run demo -- --down --kubeconfig /own');
    expect(deleted).toEqual([]);
  });

  it('resolves when the cluster of the user has no pending revision', async () => {
    const { client } = clientWith();
    await expect(settle({ client, kubeconfig: '/own' })).resolves.toBeUndefined();
  });
});
