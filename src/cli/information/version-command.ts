/** Command `version`. */
import type { Command } from 'commander';
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import { resources } from '../../kubernetes/resources.ts';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { attempt } from '../program/karmada.ts';
import { printable } from '../program/text.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';

type Flags = ConnectionFlags & { readonly client?: boolean };

/** Label of the Deployment and the Pods of the operator, from its Helm chart and manifests. */
export const OPERATOR = 'app.kubernetes.io/name=karmada-operator';

/** Adds the command `version`. */
export function addVersion(program: Command, environment: Environment): void {
  program
    .command('version')
    .option('--client', 'only the version of the plugin, without a cluster')
    .action(async (_, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      environment.output.write(`Plugin: ${environment.version}\n`);
      if (flags.client === true) return;
      await withConnection(environment, flags, async ({ client }) => {
        for (const line of await clusterLines(client))
          environment.output.write(`${printable(line)}\n`);
      });
    });
}

async function clusterLines(client: KubernetesClient): Promise<readonly string[]> {
  const operators = await attempt('operator', () => operatorLines(client));
  const server = await attempt('Kubernetes', () => serverVersion(client));
  return [
    ...('value' in operators ? operators.value : [operators.note]),
    'value' in server ? `Kubernetes: ${server.value}` : server.note,
  ];
}

/** Returns the version of an API server. @throws NetworkError; Error for an HTTP error */
export async function serverVersion(client: Pick<KubernetesClient, 'raw'>): Promise<string> {
  const { status, body } = await client.raw('/version');
  if (status >= 400) throw new Error(`HTTP status ${status}`);
  return (
    (parseJsonWithin(body, { size: UNTRUSTED.record }) as { gitVersion?: string }).gitVersion ??
    'unknown'
  );
}

/** One line for each Deployment of the operator, with its images. @throws ApiError, NetworkError */
export async function operatorLines(client: KubernetesClient): Promise<readonly string[]> {
  const { items } = await client.list(resources.Deployment, { labelSelector: OPERATOR });
  if (items.length === 0) return ['Operator: no Deployment found'];
  return items.map((deployment) => {
    const { name, namespace = '' } = deployment.metadata;
    const spec = deployment['spec'] as {
      template: { spec: { containers: readonly { image: string }[] } };
    };
    const images = spec.template.spec.containers.map(({ image }) => image);
    return `Operator: ${images.join(', ')} (Deployment ${namespace}/${name})`;
  });
}
