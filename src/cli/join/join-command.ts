/** Command `join`: prints the commands that join a member cluster to a control plane. It changes nothing. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { Karmada } from '../../api/karmada.ts';
import { dnsLabel } from '../../api/validation/syntax.ts';
import { publicKeyHash } from '../../pki/certificate-info.ts';
import { pkiInputs } from '../../features/certificates/pki-inputs.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
import { readCertificate } from '../../untrusted/x509.ts';
import type { Access } from '../../control-plane-access/admin-kubeconfig.ts';
import { readAdminAccess } from '../kubeconfig/read-access.ts';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { readKarmada } from '../program/karmada.ts';
import { flagWords, joinText, type JoinMode } from './join-text.ts';

interface Flags extends ConnectionFlags {
  readonly mode?: JoinMode;
  readonly memberKubeconfig?: string;
  readonly memberContext?: string;
}

const MODES: readonly JoinMode[] = ['push', 'pull'];

/** Longest name of a Cluster object of Karmada. */
const MAX_MEMBER_LENGTH = 48;

function memberName(text: string): string {
  if (dnsLabel.matches(text) && text.length <= MAX_MEMBER_LENGTH) return text;
  throw new InvalidArgumentError(
    `must be a DNS label of at most ${MAX_MEMBER_LENGTH} characters: lowercase letters, digits and "-".`,
  );
}

/** Adds the command `join`. */
export function addJoin(program: Command, environment: Environment): void {
  program
    .command('join')
    .argument('<name>', 'name of the Karmada')
    .argument('<member>', 'name of the member cluster in the control plane', memberName)
    .addOption(new Option('--mode <mode>', 'only the commands of this mode').choices(MODES))
    .option(
      '--member-kubeconfig <file>',
      'kubeconfig of the member cluster; MEMBER.kubeconfig by default',
    )
    .option('--member-context <name>', 'context in this kubeconfig; the current one by default')
    .action(async (name: string, member: string, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      await withConnection(environment, flags, async (connection) => {
        const karmada = await readKarmada(connection, name);
        const access = await readAdminAccess(connection, karmada);
        const { namespace } = connection;
        const { memberContext: context, mode } = flags;
        const facts = {
          name,
          namespace,
          member,
          ...accessFacts(karmada, access),
          kubeconfig: flags.memberKubeconfig ?? `${member}.kubeconfig`,
          ...(context !== undefined && { context }),
          connection: [
            ...flagWords('--kubeconfig', flags.kubeconfig),
            ...flagWords('--context', flags.context),
          ],
        };
        environment.output.write(joinText(facts, mode === undefined ? MODES : [mode]));
      });
    });
}

/** Address and CAs of the control plane. */
function accessFacts(karmada: Karmada, { cluster }: Access) {
  const { hostname, port } = new URL(cluster.server);
  const spec = defaultSpec(karmada.spec, { defaultStorageClass: false });
  const { inClusterServer } = pkiInputs({ karmada, spec }, undefined, []);
  const encoded = cluster['certificate-authority-data'];
  const authorities = certificateBlocks(Buffer.from(encoded, 'base64').toString('utf8'));
  return {
    endpoint: `${hostname}:${port === '' ? '443' : port}`,
    isInternal: hostname === new URL(inClusterServer).hostname,
    pins: authorities.flatMap((pem) => {
      const certificate = readCertificate(pem);
      return certificate === undefined ? [] : [publicKeyHash(certificate.publicKey)];
    }),
  };
}
