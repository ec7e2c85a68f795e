/** The built kubectl plugin: on Node.js of this project, on a Node.js that is too old, and without Node.js. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { outdatedNode } from '../../../scripts/platform.mjs';
import { writePlugin } from '../../../scripts/plugin/package.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { attempt, run } from '../../../tools/embedded-cluster/command.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient } from '../../harness/servers/apiserver-client.ts';
import { installedKarmada } from './fixture.ts';

let api: ApiServer;
let client: KubernetesClient;
let reconciler: Reconciler;
let directory: string;
let home: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plugin-'));
  home = await mkdtemp(join(tmpdir(), 'empty-home-'));
  await writePlugin(checkout, directory);
  api = await startApiServer();
  await writeFile(join(directory, 'kubeconfig'), api.kubeconfig);
  client = adminClient(api, { resources: [karmadas] });
  reconciler = await installedKarmada(client);
});

afterAll(async () => {
  await reconciler.stop();
  await client.close();
  await api.stop();
  await rm(directory, { recursive: true, force: true });
});

const script = (): string => join(directory, 'npm/kubectl-karmada_operator');

/** Commands that start the plugin, with the variable PATH. */
const FORMS: Readonly<Record<string, () => readonly string[]>> = {
  'on Node.js of this project': () => [process.execPath, script()],
  'without Node.js': () => [join(directory, 'linux-amd64/kubectl-karmada_operator')],
};

describe.each(Object.keys(FORMS))('the plugin %s', (form) => {
  const output = (args: readonly string[]): Promise<string> => {
    const command = FORMS[form]?.() ?? [];
    const flags = ['--kubeconfig', join(directory, 'kubeconfig')];
    return run([...command, ...args, ...flags], { env: { HOME: home, PATH: '' } });
  };

  it('shows a status, certificates, a plan and rendered objects from an empty home', async () => {
    expect(await output(['status', 'demo'])).toContain('Error CrdArchiveMissing');
    expect(await output(['certificates', 'demo'])).toContain('etcd-server');
    const change = { spec: { components: { karmadaScheduler: { replicas: 2 } } } };
    expect(await output(['plan', 'demo', '--patch', JSON.stringify(change)])).toContain(
      'create Deployment default/demo-karmada-scheduler',
    );
    const sample = join(checkout, 'samples/karmada.yaml');
    expect(await output(['render', '-f', sample])).toContain('kind: CustomResourceDefinition');
    const unknown = join(directory, 'unknown.yaml');
    await writeFile(unknown, (await readFile(sample, 'utf8')).replace(/^spec:/m, 'spce:'));
    const command = [...(FORMS[form]?.() ?? []), 'render', '-f', unknown];
    expect(await attempt(command, { env: { HOME: home, PATH: '' } })).toMatchObject({
      code: 1,
      stderr: 'error: spce: unknown field; did you mean spec?\n',
    });
    expect(await readdir(home)).toEqual([]);
  });
});

const { engines } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as {
  engines: { node: string };
};
// The Node.js of the machine may be old, because it only starts the commands of the project.
const machines = execFileSync('node', ['--version'], { encoding: 'utf8' }).trim();
it(`the plugin on Node.js ${machines} of the machine runs, or says which version it needs`, async () => {
  const started = await attempt(['node', script(), '--help']);
  const isOld = outdatedNode(machines, engines.node) !== undefined;
  expect({ code: started.code, stderr: started.stderr }).toEqual(
    isOld
      ? {
          code: 1,
          stderr: `error: the plugin needs Node.js 22.19 or newer, and this is ${machines}\n`,
        }
      : { code: 0, stderr: '' },
  );
});

it('bash completes commands, flags and names with the script of the plugin', async () => {
  const proposals = async (...words: string[]): Promise<string[]> => {
    const script = `source <(kubectl-karmada_operator completion bash)
      COMP_WORDS=(kubectl-karmada_operator "$@"); COMP_CWORD=$#
      _kubectl_karmada_operator; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const path = `${join(directory, 'linux-amd64')}:${process.env['PATH'] ?? ''}`;
    const env = { HOME: home, PATH: path, KUBECONFIG: join(directory, 'kubeconfig') };
    const text = await run(['bash', '-c', script, 'bash', ...words], { env });
    return text.split('\n').filter((line) => line !== '');
  };
  expect(await proposals('cert')).toEqual(['certificates']);
  expect(await proposals('status', '--all')).toEqual(['--all-namespaces']);
  expect(await proposals('status', '')).toEqual(['demo']);
  // kubectl calls this file for "kubectl karmada-operator status".
  const file = join(directory, 'linux-amd64/kubectl_complete-karmada_operator');
  const path = `${join(directory, 'linux-amd64')}:${process.env['PATH'] ?? ''}`;
  const env = { HOME: home, PATH: path, KUBECONFIG: join(directory, 'kubeconfig') };
  expect(await run([file, 'status', ''], { env })).toBe('demo\n:4\n');
});
