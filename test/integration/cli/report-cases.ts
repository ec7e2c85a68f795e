/**
 * Cases of the command `report` for a control plane `default/demo`, with secrets in every place that a user can choose.
 * They share the API server of the other commands, because its start takes longer than all cases.
 */
import { once } from 'node:events';
import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { filesIn } from '../../harness/archives.ts';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import type { ApiServer } from '../../harness/servers/apiserver.ts';
import { commandRunner, type CommandResult, type RunCommand } from './fixture.ts';

/** Planted secrets by place. Each has the word `planted`, so that the tests find them in any form of text. */
const PLANTED = {
  secret: 'planted-in-secret-8d1f',
  shared: 'planted-in-other-secret-3c2b',
  argument: 'planted-in-argument-77aa',
  annotation: 'planted-in-annotation-19fe',
  intent: 'planted-in-intent-hash-e2d3',
  variable: 'planted-in-variable-5b5b',
  proxy: 'planted-in-proxy-url-6c0d',
  configuration: 'planted-in-kubeconfig-4e4e',
  event: 'planted-in-secret-8d1f',
  host: 'planted-in-host-token-2a9b',
} as const;

const at = (name: string) => ({ namespace: 'default', name });
const labels = {
  'app.kubernetes.io/instance': 'demo',
  'app.kubernetes.io/name': 'karmada-apiserver',
  'app.kubernetes.io/managed-by': 'karmada-operator',
};
const POD = 'demo-karmada-apiserver-0';

/** Log lines of the container, with secrets that only the Secrets, or only patterns reveal. */
const LOG = [
  'I1124 21:00:00.000001 1 serving.go:1] "Started listening"',
  `I1124 21:00:00.000002 1 flags.go:1] FLAG: --some-flag="${PLANTED.argument}"`,
  `connecting with ${PLANTED.secret} and ${PLANTED.shared}`,
  'Authorization: Bearer planted-bearer-token',
  `{"token":"planted-json-token"} ${PLANTED.variable}`,
  `-----BEGIN PRIVATE KEY-----\n${Buffer.from('planted '.repeat(12)).toString('base64')}\n-----END PRIVATE KEY-----`,
];

/** Where the cases run. */
interface ReportScene {
  readonly api: ApiServer;
  readonly client: KubernetesClient;
  /** Runs the plugin as administrator. */
  readonly run: RunCommand;
}

const SECRET: Pick<KubernetesObject, 'apiVersion' | 'kind'> = { apiVersion: 'v1', kind: 'Secret' };

/** Adds the cases. @param scene called when the API server runs */
export function reportCases(scene: () => ReportScene): void {
  let api: ApiServer;
  let client: KubernetesClient;
  let run: RunCommand;
  let kubelet: Server;
  /** Paths that the API server requested. */
  const requested: string[] = [];

  const created = (kind: string, name: string, more: object, apiVersion = 'v1'): Promise<unknown> =>
    client.create({ apiVersion, kind, metadata: { ...at(name), labels }, ...more });

  const sidecar = {
    name: 'sidecar',
    image: 'docker.io/library/busybox:1.36',
    command: ['sh', '-c', `serve ${PLANTED.argument}`],
    env: [
      { name: 'PASSWORD', value: PLANTED.variable },
      { name: 'HTTPS_PROXY', value: `http://user:${PLANTED.proxy}@proxy.example:3128` },
      { name: 'SHARED', valueFrom: { secretKeyRef: { name: 'shared', key: 'password' } } },
    ],
  };

  /** A kubelet that serves logs. No Pod runs here. */
  async function startKubelet(): Promise<Server> {
    const { cert, key } = await newPair({ commonName: 'kubelet' });
    const server = createServer({ cert, key }, ({ url = '' }, response) => {
      requested.push(url);
      response.end(url.includes('previous=true') ? 'earlier run\n' : `${LOG.join('\n')}\n`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  async function plantNode(): Promise<void> {
    const { port } = kubelet.address() as AddressInfo;
    await client.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker' } });
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }],
    };
    await client.patch(resources.Node, { name: 'worker' }, { status }, { subresource: 'status' });
  }

  async function plantKarmada(): Promise<void> {
    const component = { extraArgs: { 'some-flag': PLANTED.argument } };
    const spec = {
      components: {
        karmadaScheduler: component,
        karmadaAPIServer: { ...component, sidecarContainers: [sidecar] },
      },
    };
    const annotations = {
      'example.com/note': PLANTED.annotation,
      'operator.karmada.io/applied-hash': PLANTED.intent,
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec }),
    };
    await client.patch(karmadas, at('demo'), { metadata: { annotations }, spec });
  }

  /** The operator creates no API server here, because the installation waits for its CRDs. */
  async function plantWorkload(): Promise<void> {
    const command = [
      'kube-apiserver',
      '--tls-min-version=VersionTLS13',
      `--some-flag=${PLANTED.argument}`,
    ];
    const main = { name: 'kube-apiserver', image: sidecar.image, command };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [main, sidecar] } },
    };
    await created('Deployment', 'demo-karmada-apiserver', { spec }, 'apps/v1');
  }

  async function plantObjects(): Promise<void> {
    const stringData = { password: PLANTED.secret };
    await created('Secret', 'demo-credentials', { stringData });
    await client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: at('shared'),
      stringData: { password: PLANTED.shared },
    });
    await created('ConfigMap', 'demo-karmada-settings', {
      data: { kubeconfig: `users: [{ user: { token: ${PLANTED.configuration} } }]` },
    });
    await plantWorkload();
    await created('Pod', POD, {
      spec: { nodeName: 'worker', containers: [sidecar], automountServiceAccountToken: false },
    });
    const containerStatuses = [
      {
        name: 'sidecar',
        image: 'x',
        imageID: 'x',
        ready: false,
        restartCount: 2,
        state: { waiting: { reason: 'CrashLoopBackOff', message: `used ${PLANTED.secret}` } },
        lastState: { terminated: { exitCode: 1, message: `refused ${PLANTED.configuration}` } },
      },
    ];
    await client.patch(
      ...([resources.Pod, at(POD), { status: { phase: 'Running', containerStatuses } }] as const),
      { subresource: 'status' },
    );
    const regarding = { apiVersion: 'v1', kind: 'Pod', ...at(POD) };
    await created(
      'Event',
      'demo.1',
      {
        eventTime: '2026-01-02T03:04:05.000000Z',
        reportingController: 'kubelet',
        reportingInstance: 'worker',
        action: 'Pull',
        reason: 'Failed',
        type: 'Warning',
        note: `cannot pull with ${PLANTED.event}`,
        regarding,
      },
      'events.k8s.io/v1',
    );
  }

  interface Report extends CommandResult {
    readonly files: ReadonlyMap<string, string>;
    readonly file: string;
  }

  async function report(args: readonly string[], runner = run): Promise<Report> {
    const file = join(await mkdtemp(join(tmpdir(), 'report-')), 'report.tar.gz');
    const result = await runner(['report', ...args, '--file', file]);
    expect(result).toMatchObject({ code: 0, output: `Report written to ${file}\n` });
    return { ...result, file, files: await filesIn(file) };
  }

  /** Planted secrets that a report contains, in plain text or in base64. */
  function leaked(files: ReadonlyMap<string, string>): readonly string[] {
    const all = [...files].map((parts) => parts.join('\n')).join('\n');
    const core = (text: string): string => Buffer.from(text).toString('base64').slice(0, -4);
    return [...all.matchAll(/planted[ -][\w-]+/g)]
      .map(([found]) => found)
      .concat(Object.values(PLANTED).filter((text) => all.includes(core(text))));
  }

  describe('report', () => {
    beforeAll(async () => {
      ({ api, client, run } = scene());
      kubelet = await startKubelet();
      await plantNode();
      await plantKarmada();
      await plantObjects();
    });

    afterAll(() => {
      kubelet.close();
      kubelet.closeAllConnections();
    });

    it('contains objects, logs, Events and versions, and no planted secret', async () => {
      const { files, file } = await report(['demo']);
      const content = (path: string): string =>
        [...files].find(([name]) => name.endsWith(`/${path}`))?.[1] ?? '';
      expect(leaked(files)).toEqual([]);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect([...files.keys()].every((path) => /^karmada-report-default-demo-/.test(path))).toBe(
        true,
      );
      expect(content('demo/karmada.yaml')).toContain('some-flag: (redacted)');
      expect(content('demo/status.txt')).toContain('Error CrdArchiveMissing');
      expect(content('demo/deployments.yaml')).toContain('--some-flag=(redacted)');
      expect(content('demo/deployments.yaml')).toContain('- --tls-min-version=VersionTLS13');
      expect(content('demo/statefulsets.yaml')).toContain('name: demo-karmada-etcd');
      expect(content('demo/services.yaml')).toContain('name: demo-karmada-apiserver');
      expect(content('demo/configmaps.yaml')).toMatch(/kubeconfig: \d+ characters/);
      expect(content('demo/pods.yaml')).toContain('reason: CrashLoopBackOff');
      expect(content('demo/pods.yaml')).toContain('name: shared');
      expect(content('demo/nodes.yaml')).toContain('reason: KubeletReady');
      expect(content('demo/events.yaml')).toContain('cannot pull with (redacted)');
      expect(content('versions.txt')).toMatch(/^Plugin: 0\.0\.0-test\n[^]*Kubernetes: v1\./);
      const log = content(`demo/logs/${POD}/sidecar.log`);
      expect(log).toContain('"Started listening"');
      expect(log).toContain('connecting with (redacted) and (redacted)');
      expect(content(`demo/logs/${POD}/sidecar.previous.log`)).toBe('earlier run\n');
      expect(content('README.txt')).toContain('Everything could be read.');
    });

    it('describes Secrets by keys, sizes and the public part of certificates', async () => {
      const { files } = await report(['demo', '--no-logs']);
      const [, secrets = ''] = [...files].find(([path]) => path.endsWith('/secrets.yaml')) ?? [];
      expect(secrets).toContain('name: demo-credentials');
      expect(secrets).toContain(`bytes: ${PLANTED.secret.length}`);
      expect(secrets).toContain('subject: CN=karmada-etcd-server');
      expect(secrets).toMatch(/sans:\n[^]*notAfter: '\d{4}-/);
      expect(secrets).not.toContain('-----');
      expect([...files.keys()].some((path) => path.includes('/logs/'))).toBe(false);
    });

    it('contains all control planes of a namespace, with logs of the given age', async () => {
      requested.length = 0;
      const { files } = await report(['--since', '90m']);
      expect(leaked(files)).toEqual([]);
      expect([...files.keys()].some((path) => path.endsWith('/demo/karmada.yaml'))).toBe(true);
      expect(requested.length).toBeGreaterThan(0);
      for (const url of requested) expect(url).toContain('sinceSeconds=5400');
    });

    it('removes tokens from logs and says what it could not read without permission for Secrets', async () => {
      const pair = await api.clientPair('supporter', 'supporters');
      const rules = [
        { apiGroups: ['operator.karmada.io'], resources: ['karmadas'], verbs: ['get', 'list'] },
        { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] },
      ];
      const apiGroup = 'rbac.authorization.k8s.io';
      const metadata = { name: 'supporter' };
      const rbac = { apiVersion: `${apiGroup}/v1`, metadata };
      await client.create({ ...rbac, kind: 'ClusterRole', rules });
      await client.create({
        ...rbac,
        kind: 'ClusterRoleBinding',
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'supporter' },
        subjects: [{ apiGroup, kind: 'User', name: 'supporter' }],
      });
      const { files, errors } = await report(['demo'], await commandRunner(api, pair));
      const [, readme = ''] = [...files].find(([path]) => path.endsWith('/README.txt')) ?? [];
      expect(errors).toMatch(/secrets of namespace default in the host cluster: not read \(.*403/);
      expect(readme).toContain('values were not compared with other texts');
      expect(readme).toMatch(/- deployments of namespace default in the host cluster: not read/);
      // Only the values that no field and no pattern reveal.
      expect(new Set(leaked(files))).toEqual(
        new Set([PLANTED.secret, PLANTED.shared, PLANTED.configuration]),
      );
    });

    it('reports a host cluster that it cannot read, and the rest', async () => {
      const kubeconfig = JSON.stringify({ users: [{ user: { token: PLANTED.host } }] });
      const stringData = { kubeconfig };
      await client.create({ ...SECRET, metadata: at('host'), stringData });
      await client.create({
        apiVersion: 'operator.karmada.io/v1alpha1',
        kind: 'Karmada',
        metadata: at('remote'),
        spec: { hostCluster: { secretRef: at('host') } },
      });
      const { files, errors } = await report(['remote']);
      expect(leaked(files)).toEqual([]);
      expect(errors).toContain(
        'host cluster of remote: not read (spec.hostCluster.secretRef: Secret',
      );
      expect([...files.keys()].some((path) => path.endsWith('/remote/karmada.yaml'))).toBe(true);
    });

    it('writes nothing for a missing Karmada, and keeps an existing file', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'report-'));
      const missing = await run(['report', 'absent'], { workingDirectory: directory });
      expect(missing.errors).toContain('karmadas.operator.karmada.io "absent" not found');
      expect(await readdir(directory)).toEqual([]);
      const arguments_ = ['report', 'demo', '--no-logs', '--file', 'x.tar.gz'];
      const first = await run(arguments_, { workingDirectory: directory });
      expect(first.code).toBe(0);
      const second = await run(arguments_, { workingDirectory: directory });
      expect(second).toMatchObject({ code: 1, output: '' });
      expect(second.errors).toContain('x.tar.gz exists; choose another file with --file');
    });

    it('rejects a duration that it does not understand', async () => {
      const { code, errors } = await run(['report', 'demo', '--since', 'yesterday']);
      expect(code).toBe(1);
      expect(errors).toContain('must be a duration of 1s or more');
    });
  });
}
