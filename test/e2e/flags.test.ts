/**
 * Flags and settings that replace or exclude what the operator sets itself.
 *
 * @size small
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { etcdctl } from '../harness/etcd-members.ts';
import { installOperator, operatorImage } from '../harness/operator.ts';
import { servedCertificate } from '../harness/run-on-node.ts';

const namespace = 'flags-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];

const authorization = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthorizationConfiguration',
  authorizers: [
    { type: 'Node', name: 'node' },
    { type: 'RBAC', name: 'rbac' },
  ],
};

const SOCKET = 'unix:///run/kms/kms.sock';

const encryption = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources: [
    {
      resources: ['secrets'],
      providers: [{ kms: { apiVersion: 'v2', name: 'test', endpoint: SOCKET } }, { identity: {} }],
    },
  ],
};

const ISSUERS = ['https://issuer.example.com', 'https://kubernetes.default.svc.cluster.local'];

/** Nothing answers at this address. */
const DEAD_PROXY = 'http://127.0.0.1:9';

const plugin = (image: string): object => ({
  name: 'kms',
  image,
  imagePullPolicy: 'IfNotPresent',
  command: ['node', '/etc/files/kms-plugin.mjs', '/run/kms/kms.sock'],
  securityContext: {
    runAsUser: 65532,
    runAsGroup: 65532,
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  },
  volumeMounts: [
    { name: 'files', mountPath: '/etc/files', readOnly: true },
    { name: 'kms', mountPath: '/run/kms' },
  ],
});

const karmadaWith = (image: string): object => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    podSettings: [
      {
        env: [{ name: 'HTTPS_PROXY', value: DEAD_PROXY }],
        hostAliases: [{ ip: '192.0.2.10', hostnames: ['registry.example.com'] }],
        dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
      },
    ],
    components: {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaAPIServer: {
        ipFamilyPolicy: 'SingleStack',
        extraArgs: {
          'anonymous-auth': 'false',
          'authorization-config': '/etc/files/authorization.json',
          'encryption-provider-config': '/etc/files/encryption.json',
          'service-account-issuer': ISSUERS.join('\n'),
        },
        extraVolumes: [
          { name: 'files', configMap: { name: 'files' } },
          { name: 'kms', emptyDir: {} },
        ],
        extraVolumeMounts: [
          { name: 'files', mountPath: '/etc/files', readOnly: true },
          { name: 'kms', mountPath: '/run/kms' },
        ],
        sidecarContainers: [plugin(image)],
      },
    },
  },
});

interface RunningPod extends KubernetesObject {
  readonly spec: {
    readonly hostAliases?: object[];
    readonly dnsConfig?: object;
    readonly containers: readonly {
      readonly command?: readonly string[];
      readonly env?: readonly { readonly name: string; readonly value?: string }[];
    }[];
  };
}

describeCluster('flags that exclude those of the operator', () => {
  let cluster: Cluster;
  let ready: Karmada;
  let pods: readonly RunningPod[];

  const remove = async (): Promise<void> => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
  };

  const podOf = (component: string): RunningPod | undefined =>
    pods.find(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === component);

  const service = (): Promise<KubernetesObject & { spec: Record<string, unknown> }> =>
    getObject(cluster, 'service', `${name}-apiserver`, namespace);

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await remove();
    await installOperator(cluster);
    const script = await readFile(join(checkout, 'test/harness/kms-plugin.mjs'), 'utf8');
    const files = {
      'authorization.json': JSON.stringify(authorization),
      'encryption.json': JSON.stringify(encryption),
      'kms-plugin.mjs': script,
    };
    await apply(
      cluster,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'files', namespace }, data: files },
      karmadaWith((await operatorImage()).reference),
    );
    ready = await untilReady(cluster, name, namespace, 600_000);
    const json = await kubectl(cluster, ['get', 'pods', ...inNamespace, '-o', 'json']);
    pods = (JSON.parse(json) as { items: RunningPod[] }).items;
  }, 1_800_000);

  afterAll(remove, 300_000);

  it('result in a running control plane, without a restart', async () => {
    expect(ready.status?.phase).toBe('Running');
    const restarts = await kubectl(cluster, [
      'get',
      'pods',
      ...inNamespace,
      '-l',
      'app.kubernetes.io/name=karmada-apiserver',
      '-o',
      'jsonpath={.items[*].status.containerStatuses[*].restartCount}',
    ]);
    expect(restarts).toMatch(/^0 0$/);
  }, 60_000);

  it('leave out the flag that excludes one of the user, and write each line of a value as one flag', () => {
    const command = podOf('karmada-apiserver')?.spec.containers[0]?.command ?? [];
    expect(command.filter((flag) => flag.startsWith('--authorization-'))).toEqual([
      '--authorization-config=/etc/files/authorization.json',
    ]);
    expect(command.filter((flag) => flag.startsWith('--service-account-issuer='))).toEqual(
      ISSUERS.map((issuer) => `--service-account-issuer=${issuer}`),
    );
  });

  it('issue tokens of the first issuer, which authenticate', async () => {
    const plane = await openControlPlane(cluster, name, namespace);
    // No controller of a Karmada control plane creates the ServiceAccount `default`.
    await plane.kubectl(['create', 'serviceaccount', 'tokens', '-n', 'default']);
    const token = (await plane.kubectl(['create', 'token', 'tokens', '-n', 'default'])).trim();
    const [, payload = ''] = token.split('.');
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(claims).toMatchObject({ iss: ISSUERS[0] });
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token },
    };
    const status = ['create', '-f', '-', '-o', 'jsonpath={.status.user.username}'];
    const user = await plane.kubectl(status, JSON.stringify(review));
    expect(user).toBe('system:serviceaccount:default:tokens');
  }, 60_000);

  it('keep the proxy away from the Services of the control plane and from etcd', () => {
    const environmentOf = (component: string): Record<string, string | undefined> =>
      Object.fromEntries(
        (podOf(component)?.spec.containers[0]?.env ?? []).map((one) => [one.name, one.value]),
      );
    for (const component of ['karmada-apiserver', 'karmada-scheduler', 'karmada-webhook'])
      expect(environmentOf(component)).toMatchObject({
        HTTPS_PROXY: DEAD_PROXY,
        NO_PROXY: 'localhost,127.0.0.1,::1,.svc,.svc.cluster.local',
      });
    expect(environmentOf('etcd')).not.toHaveProperty('HTTPS_PROXY');
  });

  it('encrypt Secrets with a KMS plugin in a sidecar', async () => {
    const plane = await openControlPlane(cluster, name, namespace);
    const secret = ['create', 'secret', 'generic', 'encrypted', '-n', 'default'];
    await plane.kubectl([...secret, '--from-literal=key=planted']);
    const read = ['get', 'secret', 'encrypted', '-n', 'default', '-o', 'jsonpath={.data.key}'];
    expect(Buffer.from(await plane.kubectl(read), 'base64').toString()).toBe('planted');
    const key = '/registry/secrets/default/encrypted';
    const stored = await etcdctl({ cluster, namespace, name }, ['get', key]);
    expect(stored).toContain('k8s:enc:kms:v2:test:');
    expect(stored).not.toContain('planted');
  }, 60_000);

  it('apply hostAliases and dnsConfig to every Pod, and ipFamilyPolicy to the Service', async () => {
    for (const { spec } of pods) {
      expect(spec.hostAliases).toEqual([{ ip: '192.0.2.10', hostnames: ['registry.example.com'] }]);
      expect(spec.dnsConfig).toEqual({ options: [{ name: 'ndots', value: '2' }] });
    }
    expect((await service()).spec).toMatchObject({ ipFamilyPolicy: 'SingleStack' });
  }, 60_000);

  it('serve a certificate for the ClusterIP of the Service', async () => {
    const { spec } = await service();
    const host = String(spec['clusterIP']);
    const served = await servedCertificate(cluster, { host, port: 5443 });
    expect(served.subjectAltName).toContain(`IP Address:${host}`);
  }, 60_000);
});
