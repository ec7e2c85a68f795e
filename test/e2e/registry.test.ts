import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import {
  etcdTags,
  karmadaReleases,
  kubernetesReleases,
} from '../../tools/embedded-cluster/releases.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import { pushImage, startRegistry, stopRegistry, type Registry } from '../harness/registry.ts';

const namespace = 'karmada-private-registry';
const name = 'karmada-demo';
const inNamespace = ['-n', namespace];
const credentials = 'registry-credentials';

const karmadaPrograms = [
  'karmada-aggregated-apiserver',
  'karmada-controller-manager',
  'karmada-scheduler',
  'karmada-webhook',
  'karmada-metrics-adapter',
];

/** Images of a control plane on the node: repository prefix, name, tag. */
const images: readonly (readonly [string, string, string])[] = [
  ['registry.k8s.io', 'etcd', etcdTags.current],
  ['registry.k8s.io', 'kube-apiserver', kubernetesReleases.current],
  ['registry.k8s.io', 'kube-controller-manager', kubernetesReleases.current],
  ...karmadaPrograms.map(
    (program) => ['docker.io/karmada', program, karmadaReleases.current] as const,
  ),
];

describeCluster('private registry', () => {
  let cluster: Cluster;
  let registry: Registry;

  const clean = async (): Promise<void> => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait', '--timeout=180s']);
    stopRegistry(cluster);
  };

  /** Creates the image pull Secret as the sample describes. */
  const giveCredentials = async (password: string): Promise<void> => {
    const make = ['create', 'secret', 'docker-registry', credentials, ...inNamespace];
    const login = [`--docker-server=${registry.host}`, `--docker-username=${registry.user}`];
    const dryRun = ['--dry-run=client', '-o', 'yaml', `--docker-password=${password}`];
    const secret = await kubectl(cluster, [...make, ...login, ...dryRun]);
    await kubectl(cluster, ['apply', '--server-side', '-f', '-'], secret);
  };

  /** Returns the objects of the sample with the address of this registry. */
  const sample = async (): Promise<object[]> => {
    const text = await readFile(join(checkout, 'samples/karmada-private-registry.yaml'), 'utf8');
    return loadAll(text.replaceAll('registry.example.com', registry.host)) as object[];
  };

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await clean();
    await installOperator(cluster);
    registry = await startRegistry(cluster);
    for (const [repository, image, tag] of images)
      await pushImage(cluster, registry, `${repository}/${image}:${tag}`, `mirror/${image}:${tag}`);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }, 1_800_000);

  afterAll(async () => {
    await clean();
  }, 240_000);

  const condition = async (type: string): Promise<Condition | undefined> =>
    (await getObject<Karmada>(cluster, 'karmada', name, namespace)).status?.conditions?.find(
      (one) => one.type === type,
    );

  it('reports a wrong password within 15 s', async () => {
    await giveCredentials('wrong');
    await apply(cluster, ...(await sample()));
    const found = await poll(
      'Degraded reports the rejected pull',
      async (seen) => {
        const degraded = await condition('Degraded');
        seen(JSON.stringify(degraded));
        return degraded?.status === 'True' ? degraded : undefined;
      },
      { deadlineMs: 15_000 },
    );
    expect(found.reason).toBe('ImagePullFailed');
    expect(found.message).toContain(`${registry.host}/mirror/`);
    expect(found.message).toMatch(/imagePullSecrets/);
    expect(found.message).not.toContain(registry.password);
  }, 60_000);

  it('pulls all images from the registry when the password is correct', async () => {
    await giveCredentials(registry.password);
    await untilReady(cluster, name, namespace);
    const pods = ['get', 'pods', ...inNamespace, '-o', 'jsonpath={..containers[*].image}'];
    const used = (await kubectl(cluster, pods)).split(' ');
    expect(used).toHaveLength(images.length);
    for (const image of used) expect(image).toContain(`${registry.host}/mirror/`);
  }, 240_000);
});
