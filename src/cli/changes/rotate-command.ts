/** Command `rotate`: previews a reissue of certificates or a rotation, asks, sets the annotation and follows the operator. */
import type { Command } from 'commander';
import type { Karmada } from '../../api/karmada.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { ROTATE_ANNOTATION } from '../../pki/rotate-request.ts';
import { readReissueState } from '../certificates/read-certificates.ts';
import { readRotations } from '../certificates/read-rotations.ts';
import { openHost } from '../plan-host.ts';
import { plan } from '../plan.ts';
import { planText } from '../plan-text.ts';
import { planTools } from '../plan/plan-tools.ts';
import { confirm } from '../program/confirm.ts';
import { withConnection, type CommandRequest } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { follow, type Progress } from '../program/follow.ts';
import { readKarmada } from '../program/karmada.ts';
import { changeKarmada, DRY_RUN, type ChangeFlags } from './change-karmada.ts';
import { refuseOther, rotateDecision, rotateProgress, rotateValue } from './rotate.ts';
import { authoritiesIn, rotationProgress, rotationText } from './rotate-authorities.ts';

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
    .argument(
      '<certificate...>',
      'certificates to reissue, such as apiserver, or leaves for all; or CAs and keys to rotate, such as etcd-ca',
    )
    .option('-y, --yes', 'do not ask')
    .option(
      '--follow',
      'wait until the certificates are reissued and the control plane is Ready, or the rotation ends',
    )
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
  // Before the preview, which reads everything.
  const karmada = await readKarmada(connection, name);
  rotateDecision(karmada, value);
  const authorities = authoritiesIn(value);
  const isRotation = authorities.length > 0;
  if (isRotation) environment.output.write(rotationText(karmada, authorities));
  else await previewReissue(request, name, value);
  const what = isRotation ? `Rotate ${authorities.join(', ')}` : 'Reissue the certificates';
  if (flags.yes !== true && flags.dryRun !== true)
    await confirm(environment, `${what} of Karmada ${name}?`, isRotation ? 'rotate' : 'reissue');
  await changeKarmada(request, name, (found) => rotateDecision(found, value));
  if (flags.follow === true && flags.dryRun !== true)
    await (isRotation ? untilRotated : untilReissued)(request, name, value);
}

async function previewReissue(request: Request, name: string, value: string): Promise<void> {
  const { environment, connection, flags } = request;
  const { namespace } = connection;
  const settings = { crossNamespaceSecrets: 'Granted', ...flags } as const;
  const tools = planTools(environment, connection, settings);
  const patch = { metadata: { annotations: { [ROTATE_ANNOTATION]: value } } };
  const { simulation, facts } = await plan(tools, { name, namespace, patch });
  environment.output.write(planText(simulation, facts));
}

/** Reads how far a request is. */
type ReadProgress = (
  client: Pick<KubernetesClient, 'find'>,
  karmada: Karmada,
  value: string,
) => Promise<Progress<true>>;

/** Follows a request with what the host cluster shows. */
const until =
  (progress: ReadProgress) =>
  async ({ environment, connection }: Request, name: string, value: string): Promise<void> => {
    const host = await openHost(connection, await readKarmada(connection, name));
    try {
      await follow(environment, async () =>
        progress(host.client, await readKarmada(connection, name), value),
      );
    } finally {
      await host.close();
    }
  };

const untilReissued = until(async (client, karmada, value) =>
  rotateProgress(karmada, value, await readReissueState(client, karmada, value)),
);

const untilRotated = until(async (client, karmada, value) => {
  refuseOther(karmada, value);
  return rotationProgress(karmada, value, await readRotations(client, karmada));
});
