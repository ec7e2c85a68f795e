/** Command `plan`. */
import { Option, type Command } from 'commander';
import { CROSS_NAMESPACE_SECRETS, type CrossNamespaceSecrets } from '../../api/secret-grant.ts';
import { plan } from '../plan.ts';
import { hasChanges, planText } from '../plan-text.ts';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import { CommandResult, type Environment } from '../program/environment.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import { validKarmada } from '../render.ts';
import { changeRequest } from './change-request.ts';
import { planTools } from './plan-tools.ts';
import { planView } from './plan-view.ts';

interface Flags extends ConnectionFlags {
  readonly file?: string;
  readonly patch?: string;
  readonly crds?: string;
  readonly crossNamespaceSecrets: CrossNamespaceSecrets;
  readonly output?: StructuredFormat;
  readonly exitCode: boolean;
}

/** Exit code of `--exit-code` for a preview with changes. */
const CHANGED = 2;

/** Adds the command `plan`. */
export function addPlan(program: Command, environment: Environment): void {
  program
    .command('plan')
    .argument('[name]', 'name of the Karmada for --patch')
    .option(
      '-f, --file <file>',
      'file with one Karmada, as for kubectl apply; - is the standard input',
    )
    .option('--patch <json>', 'JSON merge patch, as for kubectl patch --type=merge')
    .addOption(
      new Option('--cross-namespace-secrets <mode>', 'same value as the flag of the operator')
        .choices(CROSS_NAMESPACE_SECRETS)
        .default('Granted'),
    )
    .option('--crds <file>', 'CRD archive to use instead of the one in spec.crdTarball')
    .addOption(outputOption())
    .option('--exit-code', 'exit code 0 without changes, 2 with changes, 1 after an error', false)
    .action(async (name: string | undefined, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const request = await changeRequest(environment, name, flags, validKarmada);
      const preview = await withConnection(environment, flags, (connection) =>
        plan(planTools(environment, connection, flags), request(connection.namespace)),
      );
      const { simulation, facts } = preview;
      environment.output.write(
        flags.output === undefined
          ? planText(simulation, facts)
          : structured(planView(preview), flags.output),
      );
      if (flags.exitCode && hasChanges(simulation, facts)) throw new CommandResult(CHANGED);
    });
}
