/** Command `plan`. */
import { InvalidArgumentError, type Command } from 'commander';
import { MAX_HOST_CLUSTERS } from '../../host-clusters/host-limits.ts';
import { plan } from '../plan.ts';
import { hasChanges, planText } from '../plan-text.ts';
import { withConnection } from '../program/connect.ts';
import { CommandResult, type Environment } from '../program/environment.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import { validKarmada } from '../render.ts';
import { addChangeOptions, changeRequest, type ChangeFlags } from './change-request.ts';
import { planTools } from './plan-tools.ts';
import { planView } from './plan-view.ts';

interface Flags extends ChangeFlags {
  readonly crds?: string;
  readonly output?: StructuredFormat;
  readonly exitCode: boolean;
  readonly maxHostClustersPerNamespace: number;
}

/** Exit code of `--exit-code` for a preview with changes. */
const CHANGED = 2;

function hostLimit(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be an integer above 0.');
}

/** Adds the command `plan`. */
export function addPlan(program: Command, environment: Environment): void {
  const added = program
    .command('plan')
    .argument('[name]', 'name of the Karmada; without --patch its present spec is previewed');
  addChangeOptions(added)
    .option(
      '--max-host-clusters-per-namespace <n>',
      'same value as the flag of the operator',
      hostLimit,
      MAX_HOST_CLUSTERS,
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
