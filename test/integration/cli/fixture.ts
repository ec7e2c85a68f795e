/** Runs commands of the kubectl plugin in this process, against a real API server. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kindSchemas } from '../../../scripts/crd/kinds.ts';
import { crdArchive } from '../../../scripts/image/karmada-module.ts';
import { fieldSchemas } from '../../../src/cli/fields/field-schema.ts';
import { runPlugin } from '../../../src/cli/program/run.ts';
import type { ProcessEnvironment } from '../../../src/cli/program/environment.ts';
import { TEMPLATES } from '../../../src/components/__fixtures__/golden.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import type { ApiServer } from '../../harness/servers/apiserver.ts';
import { eventually } from '../../harness/servers/apiserver-client.ts';
import { serveKarmadas, startReconciler } from '../../harness/servers/reconciler.ts';

export interface CommandResult {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

export type RunCommand = (
  args: readonly string[],
  overrides?: Partial<ProcessEnvironment>,
) => Promise<CommandResult>;

type Server = Pick<ApiServer, 'url' | 'caData' | 'admin'>;

/** Kubeconfig of a client certificate, as JSON. */
function kubeconfigOf({ url, caData }: Server, { cert, key }: ApiServer['admin']): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'host', cluster: { server: url, 'certificate-authority-data': base64(caData) } },
    ],
    users: [
      {
        name: 'user',
        user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) },
      },
    ],
    contexts: [{ name: 'host', context: { cluster: 'host', user: 'user' } }],
    'current-context': 'host',
  });
}

/** Returns a function that runs the plugin for a user of an API server, by default its administrator. */
export async function commandRunner(api: Server, user = api.admin): Promise<RunCommand> {
  const home = await mkdtemp(join(tmpdir(), 'plugin-home-'));
  const file = join(home, 'kubeconfig');
  await writeFile(file, kubeconfigOf(api, user));
  return async (args, overrides = {}) => {
    let output = '';
    let errors = '';
    const environment: ProcessEnvironment = {
      version: '0.0.0-test',
      variables: { KUBECONFIG: file },
      homeDirectory: home,
      workingDirectory: home,
      output: { write: (text) => void (output += text), isTerminal: false },
      errors: { write: (text) => void (errors += text), isTerminal: false },
      input: () => Promise.resolve(''),
      ask: () => Promise.resolve(undefined),
      runProgram: () => Promise.resolve(1),
      clock: systemClock,
      interrupted: new AbortController().signal,
      templates: () => TEMPLATES,
      crdArchive: async (release) => createReadStream(await crdArchive(release)),
      fieldSchemas: () => Promise.resolve(fieldSchemas(kindSchemas)),
      ...overrides,
    };
    const code = await runPlugin(args, environment);
    return { code, output, errors };
  };
}

const KEY = { namespace: 'default', name: 'demo' };

/**
 * Creates a Karmada `default/demo`, and reconciles it until its Secrets and its status exist. The reconciler has no
 * CRD archive, so the installation stops there.
 */
export async function installedKarmada(client: KubernetesClient): Promise<Reconciler> {
  await serveKarmadas(client);
  await client.create({
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: KEY,
    spec: { components: { etcd: { local: { volumeData: { emptyDir: {} } } } } },
  });
  const reconciler = await startReconciler(client);
  await eventually('the status and the Secrets exist', async () => {
    await reconciler.reconcile('default/demo', new AbortController().signal);
    const live = (await client.get(karmadas, KEY)) as KubernetesObject & {
      status?: { phase?: string };
    };
    const secret = { ...KEY, name: 'demo-karmada-admin-config' };
    return live.status?.phase === 'Failed' && (await client.find(resources.Secret, secret));
  });
  return reconciler;
}
