/** The interpreter webhook for the kind Workload of the specs, an example program of Karmada, as a process on the node. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { controlGroups, kill } from '../../tools/embedded-cluster/cgroups.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { attempt } from '../../tools/embedded-cluster/command.ts';
import { inNode, startInNode } from '../../tools/embedded-cluster/node.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { addressesOf, slotOf } from '../../tools/embedded-cluster/slot.ts';
import { newPair } from '../../tools/embedded-cluster/certificate-pair.ts';
import type { ControlPlane } from '../harness/control-plane.ts';
import { INTERPRETER } from './suites/base.ts';

const PORT = 8445;

const OPERATIONS = [
  'InterpretReplica',
  'ReviseReplica',
  'Retain',
  'AggregateStatus',
  'InterpretHealth',
  'InterpretStatus',
  'InterpretDependency',
];

const configuration = (url: string, caBundle: string): object => ({
  apiVersion: 'config.karmada.io/v1alpha1',
  kind: 'ResourceInterpreterWebhookConfiguration',
  metadata: { name: 'examples' },
  webhooks: [
    {
      name: 'workloads.example.com',
      rules: [
        {
          operations: OPERATIONS,
          apiGroups: ['workload.example.io'],
          apiVersions: ['v1alpha1'],
          kinds: ['Workload'],
        },
      ],
      clientConfig: { url, caBundle },
      interpreterContextVersions: ['v1alpha1'],
      timeoutSeconds: 3,
    },
  ],
});

/** Starts the program, and registers it in the control plane. */
export async function startInterpreter(
  host: Cluster,
  program: string,
  plane: ControlPlane,
): Promise<void> {
  const { node } = addressesOf(slotOf(host.name) ?? NaN);
  const directory = join(host.node.directory, INTERPRETER);
  await mkdir(directory, { recursive: true });
  const ca = await newPair({ commonName: 'interpreter-ca' });
  const serving = await newPair({ commonName: 'interpreter', hosts: [node] }, ca);
  await writeFile(join(directory, 'tls.crt'), serving.cert);
  await writeFile(join(directory, 'tls.key'), serving.key, { mode: 0o600 });
  startInNode(host.node, INTERPRETER, [
    program,
    `--kubeconfig=${plane.kubeconfig}`,
    `--bind-address=${node}`,
    `--secure-port=${String(PORT)}`,
    `--cert-dir=${directory}`,
  ]);
  const address = `https://${node}:${String(PORT)}`;
  await poll('the interpreter webhook responds', async (seen) => {
    const result = await attempt(inNode(host.node, ['curl', '-sk', '-o', '/dev/null', address]));
    seen(result.stderr);
    return result.code === 0 ? true : undefined;
  });
  const bundle = Buffer.from(ca.cert).toString('base64');
  const object = configuration(`${address}/interpreter-workload`, bundle);
  await plane.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(object));
}

/** Stops the program if it runs. */
export function stopInterpreter({ name }: Cluster): void {
  for (const pid of controlGroups(name).processes(INTERPRETER)) kill(pid);
}
