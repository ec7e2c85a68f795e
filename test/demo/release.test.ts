import { describe, expect, it } from '@jest/globals';
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

/** A client that finds those revisions, and what was deleted through it. */
function clientWith(...items: KubernetesObject[]) {
  const deleted: string[] = [];
  const list = () => Promise.resolve({ resourceVersion: '1', items });
  const remove = (_: unknown, { name }: { name: string }) =>
    Promise.resolve(void deleted.push(name));
  return { deleted, client: { list, delete: remove } };
}

describe('what a killed run of helm left', () => {
  it.each([
    ['nothing', []],
    ['one revision', [revision(2)]],
    ['two revisions', [revision(2), revision(3)]],
  ])('in the embedded cluster is cleared away: %s', async (_, items) => {
    const { client, deleted } = clientWith(...items);
    await settle({ client, kubeconfig: '/host', bin: '/bin' });
    expect(deleted).toEqual(items.map(({ metadata }) => metadata.name));
  });

  it('stays in a cluster of the user, who is told what it is and what to do', async () => {
    const { client, deleted } = clientWith(revision(2));
    const error = await settle({ client, kubeconfig: '/own' }).catch(String);
    expect(error).toContain('karmada-system/karmada-operator is pending-upgrade');
    expect(error).toContain('npm run demo -- --down --kubeconfig /own');
    expect(deleted).toEqual([]);
  });

  it('does not hold up a cluster of the user where there is nothing', async () => {
    const { client } = clientWith();
    await expect(settle({ client, kubeconfig: '/own' })).resolves.toBeUndefined();
  });
});
