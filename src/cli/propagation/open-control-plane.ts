/** Opens clients of a control plane and of its member clusters, through a Pod of its API server, so that no address needs to be reachable. */
import type { Karmada } from '../../api/karmada.ts';
import type { Dialer } from '../../kubernetes/connection/connection.ts';
import { pathOf } from '../../kubernetes/objects/resources.ts';
import type { ComparedControlPlane } from '../../member-clusters/difference/compare-clusters.ts';
import { clusters } from '../../member-clusters/member-cluster.ts';
import { readAdminAccess, tunnelTarget } from '../kubeconfig/read-access.ts';
import { podDialer, type DialTunnel } from '../kubeconfig/tunnel.ts';
import type { Connection } from '../program/connect.ts';

/** Clients that connect through the control plane. */
interface OpenControlPlane extends ComparedControlPlane {
  /** URL in the administrator kubeconfig. */
  readonly server: string;
  readonly close: () => Promise<void>;
}

/** Connects as administrator. @throws CommandError, ApiError, NetworkError */
export async function openControlPlane(
  connection: Connection,
  karmada: Karmada,
): Promise<OpenControlPlane> {
  const { cluster, user } = await readAdminAccess(connection, karmada);
  const { target, serverName, close } = await tunnelTarget(connection, karmada);
  const access = {
    caData: decoded(cluster['certificate-authority-data']),
    certData: decoded(user['client-certificate-data']),
    keyData: decoded(user['client-key-data']),
    route: routeOf(podDialer(target)),
  };
  const server = `https://${serverName}:${String(target.podPort)}`;
  const client = connection.connect({ ...access, server });
  return {
    client,
    server: cluster.server,
    member: (name) =>
      connection.connect({ ...access, server: server + pathOf(clusters, { name }, 'proxy') }),
    close: async () => {
      await client.close();
      await close();
    },
  };
}

const decoded = (data: string): string => Buffer.from(data, 'base64').toString('utf8');

const routeOf =
  (dial: DialTunnel): Dialer =>
  async () => {
    const { stream, close } = await dial();
    stream.once('close', () => void close());
    return stream;
  };
