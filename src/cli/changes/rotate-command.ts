/** Command `rotate`: previews a reissue of certificates, asks, sets the annotation and follows the operator. */
import type { Command } from 'commander';
import { ROTATE_ANNOTATION } from '../../pki/rotate-request.ts';
import { readReissueState } from '../certificates/read-certificates.ts';
import { openHost } from '../plan-host.ts';
import { plan } from '../plan.ts';
import { planText } from '../plan-text.ts';
import { planTools } from '../plan/plan-tools.ts';
import { confirm } from '../program/confirm.ts';
import { withConnection, type CommandRequest } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { follow } from '../program/follow.ts';
import { readKarmada } from '../program/karmada.ts';
import { changeKarmada, DRY_RUN, type ChangeFlags } from './change-karmada.ts';
import { rotateDecision, rotateProgress, rotateValue } from './rotate.ts';

interface Flags extends ChangeFlags {
  readonly yes?: boolean;
  readonly follow?: boolean;
  readonly crds?: string;
}

/** Adds the command `rotate`. */
export function addRotate(program: Command, environment: Environment): void {
  program
    .command('rotate')
    .argument('<name>', 'name of the Karmada')
    .argument('<certificate...>', 'certificates to reissue, such as apiserver, or leaves for all')
    .option('-y, --yes', 'do not ask')
    .option('--follow', 'wait until the certificates are reissued and the control plane is Ready')
    .option('--dry-run', DRY_RUN)
    .option('--crds <file>', 'CRD archive for the preview instead of the one in spec.crdTarball')
    .action(async (name: string, certificates: readonly string[], _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const time = new Date(environment.clock.wall()).toISOString();
      await withConnection(environment, flags, (connection) =>
        rotate({ environment, connection, flags }, name, rotateValue(certificates, time)),
      );
    });
}

type Request = CommandRequest<Flags>;

async function rotate(request: Request, name: string, value: string): Promise<void> {
  const { environment, connection, flags } = request;
  const { namespace } = connection;
  // Before the preview, which reads everything.
  rotateDecision(await readKarmada(connection, name), value);
  const settings = { crossNamespaceSecrets: 'Granted', ...flags } as const;
  const tools = planTools(environment, connection, settings);
  const patch = { metadata: { annotations: { [ROTATE_ANNOTATION]: value } } };
  const { simulation, facts } = await plan(tools, { name, namespace, patch });
  environment.output.write(planText(simulation, facts));
  if (flags.yes !== true && flags.dryRun !== true)
    await confirm(environment, `Reissue the certificates of Karmada ${name}?`, 'reissue');
  await changeKarmada(request, name, (karmada) => rotateDecision(karmada, value));
  if (flags.follow === true && flags.dryRun !== true) await untilReissued(request, name, value);
}

async function untilReissued(
  { environment, connection }: Request,
  name: string,
  value: string,
): Promise<void> {
  const host = await openHost(connection, await readKarmada(connection, name));
  try {
    await follow(environment, async () => {
      const karmada = await readKarmada(connection, name);
      return rotateProgress(karmada, value, await readReissueState(host.client, karmada, value));
    });
  } finally {
    await host.close();
  }
}
