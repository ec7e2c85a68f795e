/** The command tree of the kubectl plugin. */
import { Command } from 'commander';
import { addBackup } from '../backup/backup-command.ts';
import { addBackups } from '../backup/backups-command.ts';
import { addRestore } from '../backup/restore-command.ts';
import { addCheck } from '../check/check-command.ts';
import { addCertificates } from '../certificates/certificates-command.ts';
import { addAdopt } from '../changes/adopt-command.ts';
import { addRecover } from '../changes/recover-command.ts';
import { addRestart } from '../changes/restart-command.ts';
import { addRotate } from '../changes/rotate-command.ts';
import { addResume, addSuspend } from '../changes/suspend-command.ts';
import { addCompletion } from '../completion/completion-command.ts';
import { addFleet } from '../fleet/fleet-command.ts';
import { addImages } from '../information/images-command.ts';
import { addOrphans } from '../information/orphans-command.ts';
import { addVersion } from '../information/version-command.ts';
import { addJoin } from '../join/join-command.ts';
import { addKubeconfig } from '../kubeconfig/kubeconfig-command.ts';
import { addLogs } from '../logs/logs-command.ts';
import { addPlan } from '../plan/plan-command.ts';
import { addPropagation } from '../propagation/propagation-command.ts';
import { addRender } from '../render/render-command.ts';
import { addReport } from '../report/report-command.ts';
import { addStatus } from '../status/status-command.ts';
import { addUpgrade } from '../upgrade/upgrade-command.ts';
import { describeCommands } from './command-texts.ts';
import type { Environment } from './environment.ts';
import { usageErrorText } from './error-lines.ts';

/** Name of the program in help and errors. kubectl finds the file `kubectl-karmada_operator` by it. */
const PROGRAM = 'kubectl karmada-operator';

/** In the order of their groups in `--help`. */
const COMMANDS = [
  addStatus,
  addFleet,
  addCertificates,
  addLogs,
  addReport,
  addOrphans,
  addCheck,
  addPlan,
  addRender,
  addImages,
  addUpgrade,
  addSuspend,
  addResume,
  addRestart,
  addRotate,
  addAdopt,
  addRecover,
  addBackup,
  addBackups,
  addRestore,
  addPropagation,
  addKubeconfig,
  addJoin,
  addCompletion,
  addVersion,
];

/** Returns the program. Its commands read and write only through the environment. */
export function pluginProgram(environment: Environment): Command {
  const { output, errors } = environment;
  const program = new Command(PROGRAM)
    .option('-n, --namespace <namespace>', 'namespace of the Karmada')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--kubeconfig <file>', 'kubeconfig of the management cluster')
    .allowExcessArguments(false)
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true, sortSubcommands: true })
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: (text) => errors.write(text),
      outputError: (text, write) => write(usageErrorText(text)),
    })
    .exitOverride();
  for (const add of COMMANDS) add(program, environment);
  describeCommands(program);
  return program;
}
