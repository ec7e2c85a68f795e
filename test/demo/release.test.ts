import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../src/kubernetes/client/any-client.fixture.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { requireSettled } from './release.ts';

const revision = (version: number): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: `sh.helm.release.v1.karmada-operator.v${String(version)}`,
    namespace: 'karmada-system',
    labels: { status: 'pending-upgrade' },
  },
});

/** Returns a client that lists these revisions. */
const clientWith = (...items: KubernetesObject[]) =>
  anyClient({ list: () => Promise.resolve({ resourceVersion: '1', items }) });

describe('requireSettled', () => {
  it('throws an error with release and action when the cluster of the user has a pending revision', async () => {
    const client = clientWith(revision(2), revision(3));
    const error = await requireSettled({ client, kubeconfig: '/own' }).catch(String);
    expect(error).toContain('karmada-system/karmada-operator is pending-upgrade');
    expect(error).toContain('npm run demo -- --down --kubeconfig /own');
  });

  it('resolves when the cluster of the user has no pending revision', async () => {
    const settled = requireSettled({ client: clientWith(), kubeconfig: '/own' });
    await expect(settled).resolves.toBeUndefined();
  });
});
