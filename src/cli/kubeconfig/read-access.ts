/** Reads the administrator access of a control plane, and the target of a tunnel to it. */
import type { Access } from '../../control-plane-access/admin-kubeconfig.ts';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { Karmada } from '../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { Secret } from '../../kubernetes/objects/kinds.ts';
import { nameOf } from '../../kubernetes/objects/object.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { pkiInputs } from '../../features/certificates/pki-inputs.ts';
import { isOwn } from '../../instance/own-objects.ts';
import { hostEndpoint, openHost } from '../plan-host.ts';
import type { Connection } from '../program/connect.ts';
import { CommandError } from '../program/environment.ts';
import { adminAccess } from './admin-access.ts';
import type { TunnelTarget } from './tunnel.ts';

const KEYS = ['kubeconfig', 'karmada.config'] as const;

/**
 * Reads the admin kubeconfig of a control plane from its Secret in the host cluster.
 * @throws CommandError if the operator has not created it yet, the Secret is of another installer, or it has fields that the operator
 *   does not write; ApiError, NetworkError
 */
export async function readAdminAccess(connection: Connection, karmada: Karmada): Promise<Access> {
  const { name: karmadaName, namespace = '' } = karmada.metadata;
  const name =
    karmada.status?.secretRef?.name ?? instanceName(karmadaName, SECRET_SUFFIX.adminConfig);
  const { client, close } = await openHost(connection, karmada);
  try {
    const secret = await client.find(resources.Secret, { namespace, name });
    const data = secret?.data ?? {};
    const content = KEYS.map((key) => data[key]).find((value) => value !== undefined);
    if (content === undefined)
      throw new CommandError(
        `Secret ${namespace}/${name} with the kubeconfig does not exist yet; see "status ${karmadaName}"`,
      );
    if (secret !== undefined) refuseForeign(secret, karmada);
    return adminAccess(
      Buffer.from(content, 'base64').toString('utf8'),
      `Secret ${namespace}/${name}`,
    );
  } finally {
    await close();
  }
}

/** A control plane of the Go operator has a Secret without labels, and its name in the status. */
function refuseForeign(secret: Secret, { metadata, status }: Karmada): void {
  if (status?.secretRef !== undefined || isOwn(secret, metadata.name)) return;
  throw new CommandError(
    `${nameOf(secret)}: the operator neither created nor adopted it, so it may lead to another control plane; see "status ${metadata.name}"`,
  );
}

export interface OpenTarget {
  readonly target: TunnelTarget;
  /** Name in the serving certificate: that of the Service inside the host cluster. */
  readonly serverName: string;
  readonly close: () => Promise<void>;
}

/** Finds the API server Pods of a control plane. The caller closes the result. */
export async function tunnelTarget(connection: Connection, karmada: Karmada): Promise<OpenTarget> {
  const { name, namespace = '' } = karmada.metadata;
  const spec = defaultSpec(karmada.spec, { defaultStorageClass: false });
  const { hostname, port } = new URL(pkiInputs({ karmada, spec }, undefined, []).inClusterServer);
  const endpoint = await hostEndpoint(connection, karmada);
  const { client, close } = await openHost(connection, karmada);
  const target = { endpoint, client, name, namespace, podPort: Number(port) };
  return { target, serverName: hostname, close };
}
