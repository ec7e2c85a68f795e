/** Command `upgrade`: previews an upgrade, asks, patches the Karmada and follows the upgrade. */
import type { Command } from 'commander';
import type { Karmada } from '../../api/karmada.ts';
import { isReleaseTag } from '../../api/versions/versions.ts';
import { karmadas } from '../../host-clusters/host.ts';
import {
  DRY_RUN,
  DRY_RUN_NOTE,
  refuseDeleted,
  refuseSuspended,
} from '../changes/change-karmada.ts';
import { plan } from '../plan.ts';
import { planText } from '../plan-text.ts';
import { planTools } from '../plan/plan-tools.ts';
import { confirm } from '../program/confirm.ts';
import { withConnection, type CommandRequest, type ConnectionFlags } from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { follow } from '../program/follow.ts';
import { readKarmada } from '../program/karmada.ts';
import { printable } from '../program/text.ts';
import { upgradeProgress } from './upgrade-progress.ts';

interface Flags extends ConnectionFlags {
  readonly yes?: boolean;
  readonly wait: boolean;
  readonly dryRun?: boolean;
  readonly crds?: string;
}

/** Adds the command `upgrade`. */
export function addUpgrade(program: Command, environment: Environment): void {
  program
    .command('upgrade')
    .argument('<name>', 'name of the Karmada')
    .argument('<version>', 'Karmada release, such as v1.18.2')
    .option('-y, --yes', 'do not ask')
    .option('--no-wait', 'do not follow the upgrade')
    .option('--dry-run', DRY_RUN)
    .option('--crds <file>', 'CRD archive for the preview instead of the one in spec.crdTarball')
    .action(async (name: string, version: string, _, command: Command) => {
      if (!isReleaseTag(version))
        throw new CommandError(
          `${JSON.stringify(version)} is not a Karmada release; write it like v1.18.2`,
        );
      const flags = command.optsWithGlobals<Flags>();
      await withConnection(environment, flags, (connection) =>
        upgrade({ environment, connection, flags }, name, version),
      );
    });
}

type Request = CommandRequest<Flags>;

async function upgrade(request: Request, name: string, version: string): Promise<void> {
  const { environment, connection, flags } = request;
  const { namespace, client } = connection;
  const { output } = environment;
  const karmada = await readKarmada(connection, name);
  refuseDeleted(karmada);
  refuseSuspended(karmada, 'upgrades nothing');
  const change = { spec: { version } };
  const settings = { crossNamespaceSecrets: 'Granted', ...flags } as const;
  const tools = planTools(environment, connection, settings);
  const { simulation, facts } = await plan(tools, { name, namespace, patch: change });
  output.write(planText(simulation, facts));
  const dryRun = flags.dryRun === true;
  if (flags.yes !== true && !dryRun)
    await confirm(environment, `Upgrade Karmada ${name} to ${version}?`, 'upgrade');
  // With the resourceVersion, the API server rejects the patch if the object has changed since the preview.
  const { resourceVersion } = karmada.metadata;
  const patched = await client.patch(
    karmadas,
    { namespace, name },
    { ...change, metadata: { resourceVersion } },
    { dryRun },
  );
  output.write(`karmada.operator.karmada.io/${name} patched${dryRun ? DRY_RUN_NOTE : ''}\n`);
  if (flags.wait && !dryRun) await untilUpgraded(request, name, patched.metadata.generation ?? 0);
}

/** @param generation of the change */
async function untilUpgraded(
  { environment, connection }: Request,
  name: string,
  generation: number,
): Promise<void> {
  await follow(environment, async () => {
    const karmada: Karmada = await readKarmada(connection, name);
    const { state, message } = upgradeProgress(karmada, generation);
    if (state === 'failed') throw new CommandError(printable(message));
    return { text: message, ...(state === 'complete' && { result: karmada }) };
  });
}
