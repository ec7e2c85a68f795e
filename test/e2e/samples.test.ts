/**
 * @size large
 * @sample medium
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { crdArchive } from '../../scripts/image/karmada-module.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { giveAddress } from '../../tools/embedded-cluster/load-balancer.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { addressesOf, slotOf } from '../../tools/embedded-cluster/slot.ts';
import { newPair } from '../../tools/embedded-cluster/certificate-pair.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import { drawn } from '../harness/sample.ts';

interface Item {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Returns name and Namespace of the Karmada in a sample. @throws Error if the sample contains none */
function karmadaIn(objects: readonly Item[]): { name: string; namespace: string } {
  const found = objects.find(({ kind }) => kind === 'Karmada');
  if (found === undefined) throw new Error('the sample contains no Karmada');
  return { name: found.metadata.name, namespace: found.metadata.namespace ?? '' };
}

/** User actions that a sample requires, performed for this cluster. */
interface Preparation {
  /** Replaces the placeholders in the text of the sample. */
  readonly fill?: (text: string) => Promise<string>;
  /** Creates the objects that the sample requires. */
  readonly before?: (namespace: string) => Promise<unknown>;
  /** Performs the actions of other controllers during the installation. */
  readonly meanwhile?: (namespace: string, name: string) => Promise<unknown>;
}

describeCluster('samples', () => {
  let cluster: Cluster;
  let server: Server;
  const served: string[] = [];

  const preparations: Readonly<Record<string, Preparation>> = {
    'karmada.yaml': {},
    'karmada-addons.yaml': {},
    'karmada-backups.yaml': {},
    'karmada-etcd-3.yaml': {},
    'karmada-exposed.yaml': {},
    'karmada-gke.yaml': {},
    'karmada-monitoring.yaml': {},
    'karmada-network-policy.yaml': {},
    'karmada-load-balancer.yaml': {
      meanwhile: (namespace, name) =>
        poll('the Service has a load balancer address', async (seen) => {
          const given = giveAddress(cluster, namespace, `${name}-apiserver`);
          return given.catch((error: unknown) => void seen(String(error)));
        }),
    },
    'karmada-custom-ca.yaml': {
      before: async (namespace) => {
        const ca = await newPair({ commonName: 'example' });
        const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
        await apply(cluster, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'example-ca', namespace },
          type: 'kubernetes.io/tls',
          data: { 'tls.crt': base64(ca.cert), 'tls.key': base64(ca.key) },
        });
      },
    },
    'karmada-crd-archive.yaml': {
      fill: async (text) => {
        const archive = await readFile(await crdArchive(karmadaReleases.current));
        const { gateway } = addressesOf(slotOf(cluster.name) ?? NaN);
        server = createServer((request, response) => {
          served.push(request.url ?? '');
          response.end(archive);
        });
        await new Promise<void>((resolve) => server.listen(0, gateway, resolve));
        const { port } = server.address() as { port: number };
        return text
          .replace('https://mirror.example.com', `http://${gateway}:${port}`)
          .replace('0'.repeat(64), createHash('sha256').update(archive).digest('hex'));
      },
    },
  };

  /** Samples that other suites test, because they require more infrastructure. */
  const elsewhere = [
    'karmada-private-registry.yaml',
    'karmada-external-etcd.yaml',
    'karmada-remote-host.yaml',
  ];

  const remove = async (objects: readonly Item[]): Promise<void> => {
    for (const { kind, metadata } of objects.toReversed()) {
      const inNamespace = metadata.namespace === undefined ? [] : ['-n', metadata.namespace];
      await tryKubectl(cluster, ['delete', kind, metadata.name, ...inNamespace, '--timeout=120s']);
    }
  };

  beforeAll(async () => {
    cluster = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
  }, 1_800_000);

  afterAll(() => {
    server?.close();
  });

  it('lists every sample file as tested here or in another suite', async () => {
    const files = (await readdir(join(checkout, 'samples'))).filter((file) =>
      file.endsWith('.yaml'),
    );
    expect(files.sort()).toEqual([...Object.keys(preparations), ...elsewhere].sort());
  });

  it.each(
    drawn(Object.keys(preparations), 1, (file) => `creates a Ready control plane from ${file}`),
  )(
    'creates a Ready control plane from %s',
    async (file) => {
      const { fill, before, meanwhile } = preparations[file] ?? {};
      const text = await readFile(join(checkout, 'samples', file), 'utf8');
      const objects = loadAll(fill === undefined ? text : await fill(text)) as Item[];
      const { name, namespace } = karmadaIn(objects);
      await remove(objects);
      const [first, ...others] = objects;
      expect(first?.kind).toBe('Namespace');
      await apply(cluster, first as object);
      await before?.(namespace);
      await apply(cluster, ...others);
      await meanwhile?.(namespace, name);
      await untilReady(cluster, name, namespace);
      if (file === 'karmada-crd-archive.yaml') expect(served).not.toEqual([]);
      await kubectl(cluster, ['get', 'karmada', name, '-n', namespace]);
      await remove(objects);
    },
    300_000,
  );
});
