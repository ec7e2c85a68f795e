/** Command `version`. */
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import type { Command } from 'commander';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { attempt } from '../program/karmada.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import { printable } from '../program/text.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';

interface Flags extends ConnectionFlags {
  readonly client?: boolean;
  readonly output?: StructuredFormat;
}

/** Label of the Deployment and the Pods of the operator, from its Helm chart and manifests. */
export const OPERATOR = 'app.kubernetes.io/name=karmada-operator';

/** Versions as `version -o json` prints them. */
interface VersionsView {
  readonly plugin: string;
  /** Deployments of the operator; absent with `--client`, or if they could not be read. */
  readonly operators?: readonly OperatorView[];
  readonly kubernetes?: string;
  /** What could not be read, and why. */
  readonly notes: readonly string[];
}

interface OperatorView {
  readonly namespace: string;
  readonly name: string;
  readonly images: readonly string[];
}

/** Adds the command `version`. */
export function addVersion(program: Command, environment: Environment): void {
  program
    .command('version')
    .option('--client', 'only the version of the plugin, without a cluster')
    .addOption(outputOption())
    .action(async (_, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const plugin = { plugin: environment.version, notes: [] };
      const versions =
        flags.client === true
          ? plugin
          : await withConnection(environment, flags, async ({ client }) => ({
              ...plugin,
              ...(await clusterVersions(client)),
            }));
      environment.output.write(
        flags.output === undefined ? versionsText(versions) : structured(versions, flags.output),
      );
    });
}

async function clusterVersions(client: KubernetesClient): Promise<Omit<VersionsView, 'plugin'>> {
  const operators = await attempt('operator', () => operatorsOf(client));
  const server = await attempt('Kubernetes', () => serverVersion(client));
  return {
    ...('value' in operators && { operators: operators.value }),
    ...('value' in server && { kubernetes: server.value }),
    notes: [operators, server].flatMap((result) => ('note' in result ? [result.note] : [])),
  };
}

function versionsText({ plugin, operators, kubernetes, notes }: VersionsView): string {
  const lines = [
    `Plugin: ${plugin}`,
    ...(operators === undefined ? [] : operatorTexts(operators)),
    ...(kubernetes === undefined ? [] : [`Kubernetes: ${kubernetes}`]),
    ...notes,
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** Returns the version of an API server. @throws NetworkError; Error for an HTTP error */
export async function serverVersion(client: Pick<KubernetesClient, 'raw'>): Promise<string> {
  const { status, body } = await client.raw('/version');
  if (status >= 400) throw new Error(`HTTP status ${status}`);
  const { gitVersion } = fieldsOf(parseJsonWithin(body, { size: UNTRUSTED.record }));
  return String(gitVersion ?? 'unknown');
}

/** One line for each Deployment of the operator, with its images. @throws ApiError, NetworkError */
export const operatorLines = async (client: KubernetesClient): Promise<readonly string[]> =>
  operatorTexts(await operatorsOf(client));

async function operatorsOf(client: KubernetesClient): Promise<readonly OperatorView[]> {
  const { items } = await client.list(resources.Deployment, { labelSelector: OPERATOR });
  return items.map((deployment) => {
    const { name, namespace = '' } = deployment.metadata;
    const { containers = [] } = deployment.spec?.template?.spec ?? {};
    return { namespace, name, images: containers.map(({ image = '' }) => image) };
  });
}

const operatorTexts = (operators: readonly OperatorView[]): readonly string[] =>
  operators.length === 0
    ? ['Operator: no Deployment found']
    : operators.map(
        ({ namespace, name, images }) =>
          `Operator: ${images.join(', ')} (Deployment ${namespace}/${name})`,
      );
