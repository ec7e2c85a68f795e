import { expect, it } from '@jest/globals';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { StubApi } from '../api/stub-api.ts';
import { StubClient } from '../api/stub-client.ts';
import { ClusterIndex } from './cluster-index.ts';
import { Deployments } from './deployments.ts';

const KEY = { namespace: 'default', name: 'server' };
const REVISION = 'deployment.kubernetes.io/revision';

it('a Deployment gets a new revision for each change of its template, also to a former one', async () => {
  const api = new StubApi({
    allocations: { serviceAddress: () => '127.1.0.1', nodePort: () => 30_000 },
  });
  const client = new StubClient(api);
  const deployments = new Deployments(client, new ClusterIndex(api.store));
  const withImage = (image: string) => ({
    replicas: 0,
    selector: { matchLabels: { app: 'server' } },
    template: {
      metadata: { labels: { app: 'server' } },
      spec: { containers: [{ name: 'server', image }] },
    },
  });
  await client.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: KEY,
    spec: withImage('a'),
  });
  const revisions: unknown[] = [];
  for (const image of ['a', 'a', 'b', 'b', 'a']) {
    const spec = { template: withImage(image).template };
    await deployments.sync(await client.patch(resources.Deployment, KEY, { spec }));
    const { metadata } = await client.get(resources.Deployment, KEY);
    revisions.push(metadata.annotations?.[REVISION]);
  }
  expect(revisions).toEqual(['1', '1', '2', '2', '3']);
});
