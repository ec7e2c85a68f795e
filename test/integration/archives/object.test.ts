import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { releaseArchive } from '../../../src/controlplane/__fixtures__/tar.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient } from '../../harness/servers/apiserver-client.ts';
import { crdNames, problemText, startBench, type Bench } from '../../harness/crd-archives.ts';

/** A ConfigMap or Secret as kubectl creates it from a file. */
function objectOf(
  kind: 'ConfigMap' | 'Secret',
  bytes: Uint8Array,
  key = 'crds.tar.gz',
): KubernetesObject {
  const data = { [key]: Buffer.from(bytes).toString('base64') };
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'crds', namespace: 'team' },
    ...(kind === 'ConfigMap' ? { binaryData: data } : { data }),
  };
}

describe('CRD archives in ConfigMaps and Secrets', () => {
  let server: ApiServer;
  let client: KubernetesClient;
  let bench: Bench;
  let archive: Buffer;

  beforeAll(async () => {
    server = await startApiServer();
    client = adminClient(server);
    archive = await releaseArchive();
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  }, 600_000);

  afterAll(async () => {
    await client.close();
    await server.stop();
  });

  beforeEach(async () => {
    bench = await startBench({ client });
  });

  afterEach(async () => {
    await bench.stop();
    for (const type of [resources.ConfigMap, resources.Secret])
      if (await client.find(type, { namespace: 'team', name: 'crds' }))
        await client.delete(type, { namespace: 'team', name: 'crds' });
  });

  it.each([
    ['ConfigMap', 'configMapRef'],
    ['Secret', 'secretRef'],
  ] as const)('reads a %s from the API server and stores no file', async (kind, field) => {
    await client.create(objectOf(kind, archive));
    const snapshot = await bench.settled({ [field]: { name: 'crds' } });
    expect(crdNames(snapshot)).toHaveLength(19);
    expect(await bench.left()).toEqual([]);
  });

  it.each([
    ['ConfigMap', 'configMapRef', 'configmap'],
    ['Secret', 'secretRef', 'secret generic'],
  ] as const)(
    'reports what is wrong with a %s, and reads it again when the spec changes',
    async (kind, field, command) => {
      const remedy = `create it with kubectl -n team create ${command} crds --from-file=crds.tar.gz=crds.tar.gz`;
      const look = (generation: number) =>
        bench.settled({ [field]: { name: 'crds' } }, { generation });
      expect(problemText(await look(1))).toBe(
        `spec.crdTarball.${field}: ${kind} team/crds not found; ${remedy}`,
      );
      const made = await client.create(objectOf(kind, archive, 'other'));
      // The problem stays until the next attempt, which a spec change starts.
      const change = bench.changed();
      await bench.look({ [field]: { name: 'crds' } }, { generation: 2 });
      await change;
      expect(problemText(await look(2))).toContain(
        `${kind} team/crds, key crds.tar.gz not found; ${remedy}`,
      );
      const update = async (bytes: Uint8Array, generation: number): Promise<void> => {
        const { metadata } = await client.get(client.typeOf(made), {
          namespace: 'team',
          name: 'crds',
        });
        await client.replace({
          ...objectOf(kind, bytes),
          metadata: {
            ...objectOf(kind, bytes).metadata,
            resourceVersion: metadata.resourceVersion ?? '',
          },
        });
        const next = bench.changed();
        await bench.look({ [field]: { name: 'crds' } }, { generation });
        await next;
      };
      await update(Buffer.from('password'), 3);
      const refused = problemText(await look(3));
      expect(refused).toMatch(
        /is rejected: it is not a gzip file; the operator uses nothing of it/,
      );
      expect(refused).not.toContain('password');
      await update(archive, 4);
      const good = await look(4);
      expect(crdNames(good)).toHaveLength(19);
      expect(problemText(good)).toBe('');
      // If it becomes invalid later, the operator keeps using the last valid archive and reports the problem.
      await update(archive.subarray(0, 100), 5);
      const broken = await look(5);
      expect(crdNames(broken)).toHaveLength(19);
      expect(problemText(broken)).toContain('is rejected: it is not a complete gzip file');
    },
  );

  it('reports a ConfigMap that contains the archive in data instead of binaryData', async () => {
    await client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'crds', namespace: 'team' },
      data: { 'crds.tar.gz': 'text' },
    });
    const snapshot = await bench.settled({ configMapRef: { name: 'crds' } });
    expect(problemText(snapshot)).toContain(
      'is in data, not in binaryData; create it with kubectl',
    );
  });
});
