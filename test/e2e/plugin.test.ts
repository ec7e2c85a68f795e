/** The built kubectl plugin, as a file without Node.js, with control planes whose Pods run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writePlugin } from '../../scripts/plugin/package.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { attempt, type CommandResult } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { filesIn } from '../harness/archives.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';

const namespace = 'plugin-test';
const name = 'demo';
const inNamespace = ['-n', namespace];

/** Secrets in the places where users put them. The sidecar prints some of them. */
const PLANTED = {
  secret: 'planted-in-secret-8d1f',
  variable: 'planted-in-variable-5b5b',
  argument: 'planted-in-argument-77aa',
  annotation: 'planted-in-annotation-19fe',
} as const;

const sidecar = {
  name: 'sidecar',
  image: 'docker.io/library/busybox:1.36',
  imagePullPolicy: 'IfNotPresent',
  command: [
    'sh',
    '-c',
    'echo "connecting with $PASSWORD and $SECRET"; echo "Authorization: Bearer $RANDOM.$RANDOM"; trap "exit 0" TERM; while :; do sleep 1; done',
  ],
  env: [
    { name: 'PASSWORD', value: PLANTED.variable },
    { name: 'SECRET', valueFrom: { secretKeyRef: { name: 'shared', key: 'password' } } },
  ],
};

const emptyDir = { volumeData: { emptyDir: {} } };

const karmada = (called: string, where: string, spec: object, annotations = {}): object => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name: called, namespace: where, annotations },
  spec,
});

const SPEC = {
  components: {
    etcd: { local: emptyDir },
    karmadaAPIServer: { sidecarContainers: [sidecar] },
    karmadaScheduler: { extraArgs: { 'leader-elect-resource-name': PLANTED.argument } },
    karmadaMetricsAdapter: { enabled: false },
  },
};

interface Fault {
  readonly id: string;
  readonly what: string;
  readonly spec: object;
  /** Objects in the namespace that cause the fault. */
  readonly objects?: readonly object[];
  /** What the output of `status` contains: the reason, the object or field, and the action. */
  readonly says: readonly RegExp[];
}

const withEtcd = (settings: object): object => ({
  components: { etcd: { local: { ...emptyDir, ...settings } } },
});

const FAULTS: readonly Fault[] = [
  {
    id: 'image',
    what: 'an image that does not exist',
    spec: withEtcd({ imageTag: '3.6.99-none' }),
    says: [
      /Error ImagePullFailed .*Pod .*karmada-etcd-0/,
      /etcd:3\.6\.99-none/,
      /To do: .*imageTag/,
    ],
  },
  {
    id: 'secret',
    what: 'a Secret that does not exist',
    spec: {
      customCertificate: { apiServerCACert: { name: 'absent', namespace: 'plugin-fault-secret' } },
      ...withEtcd({}),
    },
    says: [/customCertificate\.apiServerCACert/, /Secret \S*absent/, /To do: \S+/],
  },
  {
    id: 'resources',
    what: 'requests that no node fulfills',
    spec: withEtcd({ resources: { requests: { cpu: '900' } } }),
    says: [/Error Unschedulable .*Pod .*karmada-etcd-0/, /Insufficient cpu/, /To do: \S+/],
  },
  {
    id: 'flag',
    what: 'a flag that the component does not know',
    spec: withEtcd({ extraArgs: { 'no-such-flag': 'x' } }),
    says: [/no-such-flag|CrashLoopBackOff .*Pod .*karmada-etcd-0/, /To do: \S+/],
  },
  {
    id: 'class',
    what: 'a PriorityClass that does not exist',
    spec: withEtcd({ priorityClassName: 'absent' }),
    says: [/Error PodsRefused .*StatefulSet .*karmada-etcd/, /To do: \S+/],
  },
  {
    id: 'quota',
    what: 'a ResourceQuota that admits no Pods',
    spec: withEtcd({}),
    objects: [
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'none', namespace: 'plugin-fault-quota' },
        spec: { hard: { pods: '0' } },
      },
    ],
    says: [/Error \S+ .*StatefulSet .*karmada-etcd/, /To do: .*quota/i],
  },
];

const namespaceOf = ({ id }: Fault): string => `plugin-fault-${id}`;
const NAMESPACES = [namespace, ...FAULTS.map(namespaceOf)];

describeCluster('the kubectl plugin', () => {
  let cluster: Cluster;
  let directory: string;

  const tryPlugin = (...args: readonly string[]): Promise<CommandResult> =>
    attempt([join(directory, 'linux-amd64/kubectl-karmada_operator'), ...args], {
      cwd: directory,
      env: { KUBECONFIG: cluster.kubeconfig, HOME: directory, PATH: cluster.bin },
    });

  const plugin = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await tryPlugin(...args);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };

  const remove = async (wait: boolean): Promise<void> => {
    for (const each of NAMESPACES)
      await tryKubectl(cluster, ['delete', 'karmada', '--all', '-n', each, '--timeout=60s']);
    const all = ['delete', 'namespace', ...NAMESPACES, '--ignore-not-found'];
    await tryKubectl(cluster, [...all, wait ? '--timeout=180s' : '--wait=false']);
  };

  beforeAll(async () => {
    cluster = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    directory = await mkdtemp(join(tmpdir(), 'plugin-'));
    await writePlugin(checkout, directory);
    await remove(true);
    await installOperator(cluster);
    for (const each of NAMESPACES)
      await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: each } });
    await apply(
      cluster,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'shared', namespace },
        stringData: { password: PLANTED.secret },
      },
      ...FAULTS.flatMap(({ objects = [] }) => objects),
      karmada(name, namespace, SPEC, { 'example.com/note': PLANTED.annotation }),
    );
    for (const fault of FAULTS)
      await apply(cluster, karmada('karmada', namespaceOf(fault), fault.spec));
  }, 1_800_000);

  afterAll(async () => {
    await remove(false);
    await rm(directory, { recursive: true, force: true });
  }, 240_000);

  it.each(FAULTS.map((fault) => [fault.what, fault] as const))(
    'status names cause and action of %s in one command',
    async (_, fault) => {
      await poll(
        `status says ${fault.says.join(', ')}`,
        async (seen) => {
          const text = await plugin('status', 'karmada', '-n', namespaceOf(fault));
          seen(text);
          return fault.says.every((pattern) => pattern.test(text)) ? true : undefined;
        },
        { deadlineMs: 150_000, intervalMs: 1_000 },
      );
    },
    180_000,
  );

  describe('with a control plane that is Ready', () => {
    beforeAll(async () => {
      for (const fault of FAULTS)
        await tryKubectl(cluster, [
          'delete',
          'karmada',
          'karmada',
          '-n',
          namespaceOf(fault),
          '--wait=false',
        ]);
      await untilReady(cluster, name, namespace, 300_000);
    }, 330_000);

    it('status shows it with all Pods', async () => {
      const text = await plugin('status', name, ...inNamespace);
      expect(text).toMatch(/^Karmada plugin-test\/demo: Ready/);
      expect(text).toMatch(/karmada-apiserver +ready +1\/1 Pods/);
    }, 30_000);

    it('logs prints the last lines of a component, and those of a sidecar', async () => {
      const logs = ['logs', name, 'karmada-scheduler', ...inNamespace];
      const text = await plugin(...logs);
      expect(text).toContain('karmada-scheduler');
      const last = await plugin(...logs, '--tail', '2');
      expect(last.trimEnd().split('\n')).toHaveLength(2);
      const other = await plugin(
        ...['logs', name, 'karmada-apiserver', ...inNamespace, '-c', 'sidecar'],
      );
      expect(other).toContain(`connecting with ${PLANTED.variable} and ${PLANTED.secret}`);
    }, 30_000);

    it('logs follows a component until it is interrupted', async () => {
      const follow = ['logs', name, 'karmada-apiserver', ...inNamespace, '--follow', '--tail', '1'];
      const child = spawn(join(directory, 'linux-amd64/kubectl-karmada_operator'), follow, {
        env: { ...process.env, KUBECONFIG: cluster.kubeconfig, HOME: directory },
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: 20_000,
        killSignal: 'SIGKILL',
      });
      const ended = once(child, 'exit');
      const [text] = await Promise.race([once(child.stdout, 'data'), ended]);
      expect(String(text)).toContain('\n');
      child.kill('SIGINT');
      expect(await ended).toEqual([0, null]);
    }, 30_000);

    it('kubeconfig --proxy reaches the control plane without a NodePort', async () => {
      const service = await kubectl(cluster, [
        'get',
        'service',
        'demo-karmada-apiserver',
        ...inNamespace,
        '-o',
        'jsonpath={.spec.type}',
      ]);
      expect(service).toBe('ClusterIP');
      const proxied = ['kubeconfig', name, ...inNamespace, '--proxy', '--'];
      expect(await plugin(...proxied, 'kubectl', 'get', '--raw', '/readyz')).toBe('ok');
      const crds = await plugin(...proxied, 'kubectl', 'get', 'crds', '-o', 'name');
      expect(crds).toContain('works.work.karmada.io');
      const failed = await tryPlugin(...proxied, 'kubectl', 'get', 'nothing');
      expect(failed.code).toBe(1);
    }, 60_000);

    it('report contains objects and logs of all Pods, and no secret', async () => {
      const file = join(directory, 'report.tar.gz');
      expect(await plugin('report', name, ...inNamespace, '--file', file)).toContain(file);
      const files = await filesIn(file);
      const paths = [...files.keys()].map((path) => path.replace(/^[^/]*\//, ''));
      const list = await kubectl(cluster, ['get', 'pods', ...inNamespace, '-o', 'json']);
      const { items } = JSON.parse(list) as { items: readonly KubernetesObject[] };
      for (const { metadata } of items)
        expect(paths.filter((path) => path.startsWith(`demo/logs/${metadata.name}/`))).not.toEqual(
          [],
        );
      expect(paths).toEqual(
        expect.arrayContaining(['README.txt', 'demo/status.txt', 'demo/events.yaml']),
      );
      expect(paths.some((path) => path.startsWith('operator/logs/'))).toBe(true);
      const all = [...files.values()].join('\n');
      expect(all).toContain('connecting with (redacted) and (redacted)');
      expect(all).toContain('--leader-elect-resource-name=(redacted)');
      for (const secret of [...Object.values(PLANTED), ...(await secretTexts())])
        expect({ secret, found: all.includes(secret) }).toEqual({ secret, found: false });
    }, 120_000);
  });

  /** Lines of private keys and tokens of all Secrets in the namespace. */
  async function secretTexts(): Promise<readonly string[]> {
    const list = await kubectl(cluster, ['get', 'secrets', ...inNamespace, '-o', 'json']);
    const { items } = JSON.parse(list) as {
      items: readonly { readonly data?: Readonly<Record<string, string>> }[];
    };
    const texts = items
      .flatMap(({ data = {} }) => Object.values(data))
      .map((value) => Buffer.from(value, 'base64').toString('utf8'));
    const keys = texts.flatMap(
      (text) => text.match(/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*/g) ?? [],
    );
    const lines = keys
      .flatMap((key) => key.split('\n').slice(1))
      .filter((line) => line.length > 10);
    expect(lines.length).toBeGreaterThan(20);
    const inKubeconfigs = texts.flatMap((text) =>
      [...text.matchAll(/(?:client-key-data|token): (\S+)/g)].map(([, value = '']) => value),
    );
    return [...lines, ...inKubeconfigs];
  }
});
