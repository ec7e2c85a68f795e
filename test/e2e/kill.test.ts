import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { resources } from '../../src/kubernetes/resources.ts';
import { kubectl, tryKubectl, type Cluster } from '../cluster/cluster.ts';
import { clientOf } from '../harness/client.ts';
import { apply, describeCluster, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import {
  startKilledOperator,
  stopKilledOperator,
  untilKilled,
  writesOf,
} from '../harness/killed-operator.ts';
import { normalised } from '../harness/normalised.ts';
import { installOperator } from '../harness/operator.ts';
import { spread } from '../harness/sample.ts';

const name = 'karmada';
const kills = 20;

const hostKinds = [
  ...['karmadas', 'deployments', 'statefulsets', 'services', 'secrets', 'poddisruptionbudgets'],
  ...['persistentvolumeclaims', 'configmaps', 'serviceaccounts', 'roles', 'rolebindings'],
];
/** What of a control plane is neither seen by an operator nor by a run: Kubernetes makes it, and in its own time. */
const insideKinds = [
  ...['namespaces', 'customresourcedefinitions', 'services', 'clusterroles', 'clusterrolebindings'],
  ...['rolebindings', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
  'apiservices',
];

function karmada(namespace: string): object {
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name, namespace },
    spec: { components: { etcd: { local: {} }, karmadaMetricsAdapter: { replicas: 1 } } },
  };
}

const itemsOf = (json: string): KubernetesObject[] =>
  (JSON.parse(json) as { items: KubernetesObject[] }).items;

/** Authorities that were ever in the Secrets of a namespace, as `secret key: fingerprints`. */
interface Authorities {
  readonly seen: Map<string, Set<string>>;
  stop(): void;
}

const isAuthority = (key: string): boolean => /(^|-)ca\.crt$/.test(key);

function fingerprints(encoded: string): string {
  const pem = Buffer.from(encoded, 'base64').toString('utf8');
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block).fingerprint256).join(' ');
}

describeCluster('an operator that is killed', () => {
  let cluster: Cluster;
  let undisturbed: Record<string, unknown>;
  let writes: string[];

  /** Follows every version of every Secret, so that no authority that was there for a moment goes unseen. */
  function watchAuthorities(namespace: string): Authorities {
    const client = clientOf(cluster);
    const stopping = new AbortController();
    const seen = new Map<string, Set<string>>();
    const options = { namespace, resourceVersion: '0', signal: stopping.signal };
    const follow = async (): Promise<void> => {
      for await (const { object } of client.watch(resources.Secret, options)) {
        for (const [key, value] of Object.entries((object['data'] ?? {}) as object)) {
          if (!isAuthority(key)) continue;
          const place = `${object.metadata.name} ${key}`;
          seen.set(place, (seen.get(place) ?? new Set()).add(fingerprints(String(value))));
        }
      }
    };
    const followed = follow();
    followed.catch(() => undefined);
    return {
      seen,
      stop: () => {
        stopping.abort();
        void client.close();
      },
    };
  }

  async function objectsOf(namespace: string): Promise<Record<string, unknown>> {
    const inNamespace = ['get', hostKinds.join(), '-n', namespace, '-o', 'json'];
    const host = itemsOf(await kubectl(cluster, inNamespace));
    const plane = await openControlPlane(cluster, name, namespace);
    const inside = itemsOf(
      await plane.kubectl([
        ...['get', insideKinds.join(), '-A', '-o', 'json'],
        ...['-l', 'app.kubernetes.io/managed-by=karmada-operator'],
      ]),
    );
    return { host: normalised(host, namespace), inside: normalised(inside, namespace) };
  }

  async function install(namespace: string, killAfter: number): Promise<void> {
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await startKilledOperator(cluster, killAfter);
    await apply(cluster, karmada(namespace));
    if (Number.isFinite(killAfter)) await untilKilled(cluster);
    await untilReady(cluster, name, namespace);
  }

  async function remove(namespace: string): Promise<void> {
    const found = await tryKubectl(cluster, ['get', 'karmada', name, '-n', namespace]);
    if (found.code === 0)
      await kubectl(cluster, ['delete', 'karmada', name, '-n', namespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }

  const moments = spread(
    Array.from({ length: kills }, (_, index) => index),
    5,
  );

  const namespaceOf = (index: number): string => `kill-${String(index).padStart(2, '0')}`;

  /** Writes to be killed after, spread evenly from the first to the last. */
  const moment = (index: number): number =>
    1 + Math.round((index * (writes.length - 1)) / (kills - 1));

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    const namespace = 'kill-none';
    await remove(namespace);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=120s']);
    await install(namespace, Infinity);
    // How many statuses are written differs from run to run, so that only so many writes are sure to come.
    writes = (await writesOf(cluster)).filter((write) => !write.includes('/status?'));
    undisturbed = await objectsOf(namespace);
    await remove(namespace);
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '-A', '--all', '--timeout=60s']);
    const all = ['kill-none', ...moments.map(namespaceOf)];
    await kubectl(cluster, ['delete', 'namespace', ...all, '--ignore-not-found', '--wait=false']);
    await stopKilledOperator(cluster);
    await installOperator(cluster);
  }, 240_000);

  it.each(moments)(
    '3.5 makes the same objects and keeps its authorities when killed at moment %i of 20',
    async (index) => {
      const namespace = namespaceOf(index);
      await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=120s']);
      const authorities = watchAuthorities(namespace);
      try {
        await install(namespace, moment(index));
        expect(await objectsOf(namespace)).toEqual(undisturbed);
      } finally {
        authorities.stop();
      }
      const changed = [...authorities.seen].filter(([, versions]) => versions.size !== 1);
      expect(changed).toEqual([]);
      expect([...authorities.seen.keys()]).toContain(`${name}-cert ca.crt`);
      await remove(namespace);
    },
    240_000,
  );
});
