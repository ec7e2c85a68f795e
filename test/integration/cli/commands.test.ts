/** Commands of the kubectl plugin against a real API server, with a control plane whose install waits for its CRDs. */
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { backupCrds } from '../../../scripts/crd/backups.ts';
import {
  karmadaBackups,
  karmadaBackupStores,
  karmadaRestores,
} from '../../../src/api/backup/kinds.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import { ROTATE_ANNOTATION } from '../../../src/pki/rotate-request.ts';
import type { Karmada } from '../../../src/api/karmada.ts';
import type { StatusView } from '../../../src/cli/status/status-view.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';
import { changeCases } from './change-cases.ts';
import { ciCases } from './ci-cases.ts';
import { commandRunner, installedKarmada, type CommandResult, type RunCommand } from './fixture.ts';
import { reportCases } from './report-cases.ts';

let api: ApiServer;
let client: KubernetesClient;
let reconciler: Reconciler;
let run: RunCommand;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api, {
    resources: [karmadas, karmadaBackups, karmadaBackupStores, karmadaRestores],
  });
  run = await commandRunner(api);
  reconciler = await installedKarmada(client);
});

afterAll(async () => {
  await reconciler.stop();
  await client.close();
  await api.stop();
});

const output = async (args: readonly string[]): Promise<string> => {
  const result = await run(args);
  expect(result).toMatchObject({ code: 0, errors: '' });
  return result.output;
};

describe('status', () => {
  it('shows the cause with the action, the components and the certificate that expires first', async () => {
    const text = await output(['status', 'demo']);
    expect(text).toMatch(/^Karmada default\/demo: not Ready \(Failed\), phase Failed, age \d+s\n/);
    expect(text).toMatch(
      /Error CrdArchiveMissing \(Degraded, Stalled\): spec\.crdTarball: required/,
    );
    expect(text).toContain('To do: Set spec.crdTarball.httpSource.url');
    expect(text).toMatch(/etcd +Progressing +0\/1 Pods +3\.6\.\d+-0/);
    expect(text).toMatch(/Certificates: \d+, \S+ expires first, in 36\d days/);
    expect(text).not.toContain('\u001b');
  });

  it('prints colors only on a terminal without NO_COLOR', async () => {
    const lines: string[] = [];
    const terminal = { write: (text: string) => void lines.push(text), isTerminal: true };
    await run(['status', 'demo'], { output: terminal });
    const variables = { KUBECONFIG: join(api.directory, 'kubeconfig'), NO_COLOR: '1' };
    await run(['status', 'demo'], { output: terminal, variables });
    expect(lines.map((text) => text.includes('\u001b[31m'))).toEqual([true, false]);
  });

  it('prints a table of all namespaces, and the same facts for programs', async () => {
    const table = await output(['status', '--all-namespaces']);
    expect(table.split('\n')[0]).toMatch(/^NAMESPACE +NAME +READY/);
    expect(table).toMatch(/default +demo +False +Failed +0\/8/);
    const { items } = JSON.parse(await output(['status', '-A', '-o', 'json'])) as {
      items: StatusView[];
    };
    expect(items).toMatchObject([{ name: 'demo', phase: 'Failed', ready: { status: 'False' } }]);
    const one = load(await output(['status', 'demo', '-o', 'yaml'])) as StatusView;
    expect(one.components.map(({ name }) => name)).toContain('karmada-apiserver');
  });

  it('refreshes until it is interrupted', async () => {
    const interruption = new AbortController();
    const seen: string[] = [];
    const write = (text: string): void => {
      seen.push(text);
      if (seen.length > 1) interruption.abort();
    };
    const watching = run(['status', 'demo', '--watch'], {
      output: { write, isTerminal: true },
      interrupted: interruption.signal,
    });
    expect((await watching).code).toBe(0);
    expect(
      seen.every((text) => text.startsWith('\u001b[H\u001b[JKarmada') || text.includes('Karmada')),
    ).toBe(true);
  });

  it('reports what the user may not read, and shows the rest', async () => {
    const pair = await api.clientPair('reader', 'readers');
    await client.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'karmada-reader' },
      rules: [
        { apiGroups: ['operator.karmada.io'], resources: ['karmadas'], verbs: ['get', 'list'] },
      ],
    });
    await client.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'karmada-reader' },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'karmada-reader',
      },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }],
    });
    const reader = await commandRunner(api, pair);
    const result = await reader(['status', 'demo']);
    expect(result.code).toBe(0);
    expect(result.output).toMatch(/certificates: not read \(.*403 Forbidden/);
    expect(result.output).toContain('Error CrdArchiveMissing');
  });
});

describe('errors', () => {
  it.each([
    [
      ['status', 'absent'],
      'Error from server (NotFound): karmadas.operator.karmada.io "absent" not found in namespace default; select another one with -n\n',
    ],
    [
      ['status', 'demo', '--context', 'nowhere'],
      'error: context "nowhere" does not exist in the kubeconfig\n',
    ],
    [['status', 'demo', '-A'], 'error: a name cannot be used together with --all-namespaces\n'],
    [['statu'], "error: unknown command 'statu'; did you mean status?\n"],
    [['certificates'], "error: missing required argument 'name'\n"],
    [
      ['plan'],
      'error: specify either -f FILE, or the name of a Karmada, optionally with --patch\n',
    ],
  ])('%j prints its cause and ends with 1', async (args, text) => {
    const { code, errors, output: printed } = await run(args);
    expect({ code, printed }).toEqual({ code: 1, printed: '' });
    expect(errors.startsWith(text)).toBe(true);
  });

  it('names the kubeconfig files that do not exist', async () => {
    const { code, errors } = await run(['status'], {
      variables: {},
      homeDirectory: '/nonexistent',
    });
    expect({ code, errors }).toEqual({
      code: 1,
      errors:
        'error: no kubeconfig found (/nonexistent/.kube/config); set --kubeconfig or the variable KUBECONFIG\n',
    });
  });
});

it('certificates lists all certificates without private keys, first expiry first', async () => {
  const text = await output(['certificates', 'demo']);
  expect(text).toMatch(/^NAME +SUBJECT +SANS +ISSUED +EXPIRES +DAYS +RENEWAL +SECRET\n/);
  expect(text).toMatch(/etcd-server +CN=karmada-etcd-server +demo-karmada-etcd\S* \+\d+/);
  const rows = JSON.parse(await output(['certificates', 'demo', '-o', 'json'])) as {
    items: { name: string; notAfter: string }[];
  };
  const ends = rows.items.map(({ notAfter }) => notAfter);
  expect(ends).toEqual(ends.toSorted());
  expect(JSON.stringify(rows)).not.toContain('PRIVATE');
});

describe('values of Secrets', () => {
  /** Values and their lines, as they are stored and decoded. Short ones can be part of other texts. */
  async function secretTexts(): Promise<readonly string[]> {
    const { items } = await client.list(resources.Secret, { namespace: 'default' });
    const stored = items.flatMap(({ data = {} }) => Object.values(data));
    const decoded = stored.flatMap((value) =>
      Buffer.from(value, 'base64').toString('utf8').split('\n'),
    );
    return [...stored, ...decoded].filter((text) => text.length >= 32);
  }

  it.each([
    ['status', 'demo'],
    ['status', 'demo', '-o', 'json'],
    ['certificates', 'demo', '-o', 'json'],
    ['plan', 'demo', '--patch', '{"spec":{"components":{"karmadaScheduler":{"replicas":2}}}}'],
    ['plan', 'demo', '-o', 'json'],
    ['check', 'demo', '-o', 'json'],
    ['join', 'demo', 'paris'],
    ['restart', 'demo', 'karmada-scheduler', '--dry-run'],
    ['rotate', 'demo', 'leaves', '--dry-run'],
    ['upgrade', 'demo', 'v1.18.2', '--dry-run'],
    ['version', '-o', 'json'],
  ])('are not in the output of %s %s', async (...args) => {
    const texts = await secretTexts();
    expect(texts.length).toBeGreaterThan(100);
    const { output: printed, errors } = await run(args);
    expect(printed).not.toBe('');
    expect(texts.filter((text) => `${printed}${errors}`.includes(text))).toEqual([]);
  });

  it('are in the kubeconfig that the user asks for', async () => {
    const texts = await secretTexts();
    const printed = await output(['kubeconfig', 'demo']);
    expect(texts.some((text) => printed.includes(text))).toBe(true);
  });
});

describe('plan', () => {
  it('shows the changes of a patch and of a file, and changes nothing', async () => {
    const key = { namespace: 'default', name: 'demo' };
    const before = await client.get(karmadas, key);
    const change = { spec: { components: { karmadaScheduler: { replicas: 2 } } } };
    const patched = await output(['plan', 'demo', '--patch', JSON.stringify(change)]);
    expect(patched).toContain('create Deployment default/demo-karmada-scheduler');
    const file = join(await mkdtemp(join(tmpdir(), 'plan-')), 'karmada.yaml');
    const { metadata, ...others } = before;
    await writeFile(file, JSON.stringify({ ...others, metadata: key, status: undefined }));
    expect(await output(['plan', '-f', file])).toContain('Karmada default/demo');
    const after = await client.get(karmadas, key);
    expect(after.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });
});

describe('kubeconfig', () => {
  it('prints the administrator kubeconfig under the name of the control plane', async () => {
    const config = load(await output(['kubeconfig', 'demo'])) as Record<string, unknown>;
    expect(config).toMatchObject({
      'current-context': 'karmada-default-demo',
      clusters: [
        {
          name: 'karmada-default-demo',
          cluster: { server: 'https://demo-karmada-apiserver.default.svc.cluster.local:5443' },
        },
      ],
    });
  });

  it('merges it into the kubeconfig of the user, whose file stays private and keeps its context', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'merge-')), 'config');
    await writeFile(file, api.kubeconfig, { mode: 0o600 });
    const variables = { KUBECONFIG: file };
    for (let round = 0; round < 2; round += 1) {
      const { code, errors } = await run(['kubeconfig', 'demo', '--merge'], { variables });
      expect({ code, errors }).toMatchObject({ code: 0 });
    }
    const merged = load(await readFile(file, 'utf8')) as { contexts: { name: string }[] };
    const own = load(api.kubeconfig) as { 'current-context': string };
    expect(merged).toMatchObject({ 'current-context': own['current-context'] });
    expect(merged.contexts.filter(({ name }) => name === 'karmada-default-demo')).toHaveLength(1);
    expect(merged.contexts).toHaveLength(2);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('listens on the loopback interface with --proxy, and says why it cannot forward', async () => {
    const { code, errors } = await run(
      ['kubeconfig', 'demo', '--proxy', '--', 'kubectl', 'get', 'x'],
      {
        runProgram: async (command, { KUBECONFIG = '' }) => {
          expect(command).toEqual(['kubectl', 'get', 'x']);
          const config = load(await readFile(KUBECONFIG, 'utf8')) as {
            clusters: { cluster: Record<string, string> }[];
          };
          const cluster = config.clusters[0]?.cluster ?? {};
          expect(cluster['tls-server-name']).toBe(
            'demo-karmada-apiserver.default.svc.cluster.local',
          );
          // No Pod runs here, so the tunnel closes the connection.
          await expect(fetch((cluster['server'] ?? '').replace('https', 'http'))).rejects.toThrow();
          return 3;
        },
      },
    );
    expect(code).toBe(3);
    expect(errors).toContain('no running Pod of karmada-apiserver in default');
    expect(errors).toContain('error: kubectl failed with exit code 3');
  });

  it.each([
    [['--port', '6443'], '--port requires --proxy'],
    [['--merge', '--file', 'x'], '--merge and --file cannot be used together'],
    [['--', 'kubectl'], 'a command after "--" requires --proxy'],
  ])('refuses %j', async (flags, message) => {
    const refused = await run(['kubeconfig', 'demo', ...flags]);
    expect(refused).toMatchObject({ code: 1, errors: `error: ${message}\n` });
  });
});

describe('upgrade', () => {
  const version = async (): Promise<string | undefined> =>
    ((await client.get(karmadas, { namespace: 'default', name: 'demo' })) as unknown as Karmada)
      .spec?.version;

  it('shows the preview and changes nothing without a confirmation', async () => {
    const before = await version();
    const piped = await run(['upgrade', 'demo', 'v1.18.2']);
    expect(piped).toMatchObject({
      code: 1,
      errors: 'error: the input is not a terminal; confirm the upgrade with --yes\n',
    });
    expect(piped.output).toContain('Karmada default/demo');
    const declined = await run(['upgrade', 'demo', 'v1.18.2'], {
      ask: () => Promise.resolve('n'),
    });
    expect(declined).toMatchObject({ code: 1, errors: 'error: upgrade not confirmed\n' });
    const dry = await output(['upgrade', 'demo', 'v1.18.2', '--dry-run']);
    expect(dry).toMatch(/\nkarmada\.operator\.karmada\.io\/demo patched \(server dry run\)\n$/);
    expect(await version()).toBe(before);
  });

  it('patches the version, and ends when the upgrade cannot continue', async () => {
    expect(await output(['upgrade', 'demo', 'v1.18.2', '--yes', '--no-wait'])).toContain(
      'karmada.operator.karmada.io/demo patched',
    );
    expect(await version()).toBe('v1.18.2');
    await reconciler.reconcile('default/demo', new AbortController().signal);
    const followed = await run(['upgrade', 'demo', 'v1.18.2'], {
      ask: () => Promise.resolve('yes'),
    });
    expect(followed.code).toBe(1);
    expect(followed.errors).toContain('error: CrdArchiveMissing: spec.crdTarball: required');
  });
});

describe('rotate', () => {
  const annotation = async (): Promise<string | undefined> => {
    const karmada = await client.get(karmadas, { namespace: 'default', name: 'demo' });
    return karmada.metadata.annotations?.[ROTATE_ANNOTATION];
  };
  const issuedFor = async (name: string): Promise<string | undefined> => {
    const { items } = JSON.parse(await output(['certificates', 'demo', '-o', 'json'])) as {
      items: { name: string; reissueRequest?: string }[];
    };
    return items.find((one) => one.name === name)?.reissueRequest;
  };

  it('shows what is reissued, and changes nothing without a confirmation', async () => {
    const piped = await run(['rotate', 'demo', 'apiserver']);
    expect(piped).toMatchObject({
      code: 1,
      errors: 'error: the input is not a terminal; confirm the reissue with --yes\n',
    });
    expect(piped.output).toMatch(/Reissued certificates:\n {2}apiserver: certificate apiserver: /);
    const dry = await output(['rotate', 'demo', 'apiserver', '--dry-run']);
    expect(dry).toMatch(/annotated with \S+\/rotate=apiserver\/\S+ \(server dry run\)\n$/);
    const unknown = await run(['rotate', 'demo', 'api-server']);
    expect(unknown.errors).toContain('"api-server" is none of leaves');
    expect(await annotation()).toBeUndefined();
  });

  it('sets the annotation, which the operator executes once', async () => {
    await output(['rotate', 'demo', 'apiserver', 'webhook-serving', '--yes']);
    const value = await annotation();
    expect(value).toMatch(/^apiserver,webhook-serving\//);
    const cert = { namespace: 'default', name: 'demo-karmada-cert' };
    const certificate = async (): Promise<string | undefined> =>
      (await client.get(resources.Secret, cert)).data?.['apiserver.crt'];
    const former = await certificate();
    const found = new Set<string | undefined>();
    // The first one records the request.
    for (let count = 0; count < 4; count += 1) {
      await reconciler.reconcile('default/demo', new AbortController().signal);
      if (count > 0) found.add(await certificate());
    }
    expect(found.size).toBe(1);
    expect(found.has(former)).toBe(false);
    expect(await issuedFor('apiserver')).toBe(value);
    expect(await issuedFor('karmada')).toBeUndefined();
  });
});

describe('backups', () => {
  const at = (name: string) => ({ namespace: 'default', name });
  const apiVersion = 'backup.operator.karmada.io/v1alpha1';

  /** Writes the status as the operator would. */
  const report = (type: ResourceType, name: string, status: object): Promise<unknown> =>
    client.patch(type, at(name), { status }, { subresource: 'status' });

  const awaiting = (name: string, more: object): Promise<unknown> =>
    report(karmadaRestores, name, {
      phase: 'AwaitingConfirmation',
      clusterID: 'a1',
      revision: '50',
      ...more,
    });

  /** Restores with an answer; the test is the operator meanwhile. @returns the result, and the names of new restores */
  async function restored(
    args: readonly string[],
    answer?: string,
    status: object = {},
  ): Promise<CommandResult> {
    const ask = () => Promise.resolve(answer);
    const result = run(['restore', 'demo-first', ...args], { ask });
    const found = await eventually('the restore is created', async () => {
      const { items } = await client.list(karmadaRestores);
      return items.find((item) => item['status'] === undefined);
    });
    await awaiting(found.metadata.name, status);
    return result;
  }

  it('names what is missing', async () => {
    expect((await run(['backups'])).errors).toContain('does not serve the kinds of backups');
    for (const crd of Object.values(backupCrds)) await client.create(crd);
    await eventually('the kinds are served', () =>
      Promise.all([client.list(karmadaBackupStores), client.list(karmadaRestores)]).then(
        () => true,
        () => false,
      ),
    );
    expect((await run(['backup', 'demo'])).errors).toContain('has no KarmadaBackupStore');
    expect(await output(['backups'])).toBe('No backups found\n');
  });

  it('are created in the only store, and listed', async () => {
    const spec = { volume: { claimName: 'backups' }, encryption: { mode: 'None' } };
    const store = { apiVersion, kind: 'KarmadaBackupStore', spec };
    await client.create({ ...store, metadata: at('main') });
    const [, name = ''] =
      /\/(demo-\d{8}t\d{6}) created/.exec(await output(['backup', 'demo', '--no-wait'])) ?? [];
    expect(await client.get(karmadaBackups, at(name))).toMatchObject({
      spec: { karmadaRef: { name: 'demo' }, storeRef: { name: 'main' } },
    });
    await client.create({ ...store, metadata: at('other') });
    expect((await run(['backup', 'demo'])).errors).toContain('--store: main, other');
    const refs = { karmadaRef: { name: 'demo' }, storeRef: { name: 'main' } };
    await client.create({
      apiVersion,
      kind: 'KarmadaBackup',
      metadata: at('demo-first'),
      spec: refs,
    });
    await report(karmadaBackups, 'demo-first', {
      phase: 'Verified',
      revision: '50',
      sizeBytes: 2 ** 21,
    });
    expect(await output(['backups', 'demo'])).toMatch(
      /demo-first +demo +Verified +\d+s +50 +2\.0 MiB/,
    );
    expect(await output(['backups', 'another'])).toBe('No backups found\n');
  });

  it('are restored only with the ID of the etcd cluster', async () => {
    const piped = await restored([]);
    expect(piped).toMatchObject({
      code: 1,
      errors: 'error: the input is not a terminal; confirm with --confirm a1\n',
    });
    expect(piped.output).toContain('replaces all data of Karmada demo');
    expect(piped.output).toContain('Attention: origin not proven');
    expect((await restored([], 'b2')).errors).toContain('the ID of the etcd cluster is a1');
    expect((await client.list(karmadaRestores)).items).toEqual([]);
    const confirmed = await restored(['--no-wait'], 'a1');
    expect(confirmed).toMatchObject({ code: 0, errors: '' });
    const { items } = await client.list(karmadaRestores);
    expect(items).toMatchObject([
      { spec: { confirmation: 'a1', backupRef: { name: 'demo-first' } } },
    ]);
    for (const { metadata } of items) await client.delete(karmadaRestores, at(metadata.name));
  });

  it('are restored with another CA only if both CAs are named', async () => {
    const caConfirmation = `${'a1'.repeat(32)}/${'b2'.repeat(32)}`;
    const status = { caConfirmation };
    const refused = await restored([], 'a1', status);
    expect(refused.errors).toContain(`confirm both with --confirm-ca ${caConfirmation}`);
    const args = ['--no-wait', '--confirm-ca', caConfirmation, '--key-id', 'k0'];
    expect(await restored(args, 'a1', status)).toMatchObject({ code: 0, errors: '' });
    expect((await client.list(karmadaRestores)).items).toMatchObject([
      { spec: { confirmation: 'a1', caConfirmation, keyID: 'k0' } },
    ]);
  });
});

describe('information', () => {
  it('version prints the versions of plugin, operator and Kubernetes', async () => {
    expect(await output(['version'])).toMatch(
      /^Plugin: 0\.0\.0-test\nOperator: no Deployment found\nKubernetes: v1\.\d+\./,
    );
  });

  it('orphans finds none while the Karmada exists', async () => {
    expect(await output(['orphans'])).toBe('No orphaned control planes found\n');
    expect(JSON.parse(await output(['orphans', '-o', 'json']))).toEqual({
      items: [],
      notChecked: [],
    });
  });

  it('fleet counts the Karmadas of a namespace, or says that there are none', async () => {
    expect(await output(['fleet'])).toMatch(/^Control planes: [1-9]/);
    expect(JSON.parse(await output(['fleet', '-A', '-o', 'json']))).toMatchObject({
      total: expect.any(Number),
      slowest: expect.any(Array),
    });
    expect(await output(['fleet', '-n', 'kube-public'])).toBe(
      'No Karmadas found in namespace kube-public\n',
    );
  });

  it('logs names the component without Pods, and the components for a wrong name', async () => {
    expect((await run(['logs', 'demo', 'karmada-webhook'])).errors).toBe(
      'error: no Pods of karmada-webhook in namespace default\n',
    );
    expect((await run(['logs', 'demo', 'nothing'])).errors).toMatch(
      /^error: unknown component "nothing"; one of: etcd, karmada-apiserver,/,
    );
  });

  it('completes the names of Karmadas, and prints nothing else without a cluster', async () => {
    expect(await output(['__complete', 'status', 'd'])).toBe('demo\n:4\n');
    expect(await run(['__complete', 'status', ''], { variables: {} })).toEqual({
      code: 0,
      output: ':4\n',
      errors: '',
    });
  });
});

it('reads the Karmada of the namespace in the context', async () => {
  const { status } = (await client.get(karmadas, {
    namespace: 'default',
    name: 'demo',
  })) as unknown as Karmada;
  expect(status?.conditions?.length).toBeGreaterThan(5);
  const config = load(api.kubeconfig) as { contexts: { context: object }[] };
  const contexts = config.contexts.map((entry) => ({
    ...entry,
    context: { ...entry.context, namespace: 'elsewhere' },
  }));
  const file = join(await mkdtemp(join(tmpdir(), 'context-')), 'config');
  await writeFile(file, JSON.stringify({ ...config, contexts }));
  const { output: text } = await run(['status', '--kubeconfig', file], { variables: {} });
  expect(text).toBe('No Karmadas found in namespace elsewhere\n');
});

ciCases(() => run);

changeCases(() => ({ api, client, run }));

reportCases(() => ({ api, client, run }));
