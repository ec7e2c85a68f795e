import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { loadAll } from 'js-yaml';
import type { HostCluster } from '../../../src/api/karmada.ts';
import { ALLOWED_NAMESPACES_ANNOTATION } from '../../../src/api/secrets/secret-grant.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { core } from './instance.ts';
import type { Operator } from './operators.ts';
import type { Side } from './rounds.ts';
import { apply, type Session } from './session.ts';

/** Location of a core control plane, and the connection of the operator to it. */
export const ways = ['local', 'node-port', 'port-forward'] as const;

const secret = { namespace: 'bench-access', name: 'host-cluster' };
const role = { namespace: 'karmada-system', name: 'karmada-operator-remote' };

/**
 * Gives the operator access to a remote host cluster as docs/configure/remote-host-clusters.md describes.
 * @returns the reference for Karmada objects
 */
export async function grantHostAccess(management: Session, host: Session): Promise<HostCluster> {
  const rights = await readFile(join(checkout, 'config/remote-host/rights.yaml'), 'utf8');
  for (const object of loadAll(rights) as KubernetesObject[]) await apply(host, object);
  const data = await poll('the token exists', async (seen) => {
    const found = await host.client.get(resources.Secret, role);
    const values = (found['data'] ?? {}) as Readonly<Record<string, string>>;
    seen(Object.keys(values).join(', '));
    const { token, 'ca.crt': caBundle } = values;
    return token === undefined || caBundle === undefined ? undefined : { token, caBundle };
  });
  const { namespace } = secret;
  await apply(management, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const config = new KubeConfig();
  config.loadFromFile(host.cluster.kubeconfig);
  const apiEndpoint = config.getCurrentCluster()?.server ?? '';
  const metadata = { ...secret, annotations: { [ALLOWED_NAMESPACES_ANNOTATION]: '*' } };
  const server = Buffer.from(apiEndpoint).toString('base64');
  await apply(management, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    data: { ...data, server },
  });
  return { apiEndpoint, secretRef: secret };
}

export interface Clusters {
  /** Management cluster. */
  readonly management: Session;
  /** Remote host cluster. */
  readonly host: Session;
  /** Reference to the remote host cluster for Karmada objects. */
  readonly hostCluster: HostCluster;
}

/** Returns the same control plane in the management cluster, and in the remote one with and without a node port. */
export function sidesOf({ management, host, hostCluster }: Clusters, operator: Operator): Side[] {
  const instance = { namespace: 'bench-1', name: 'demo', components: core };
  const exposed = { ...core.karmadaAPIServer, serviceType: 'NodePort' } as const;
  const direct = { ...core, karmadaAPIServer: exposed };
  // Both clusters run all the time, so the CPU time of both counts for all sides.
  const clusters = [...management.clusters, ...host.clusters];
  const local = { ...management, clusters };
  const remote = { ...local, host };
  const [first, second, third] = ways;
  return [
    { label: first, session: local, operator, instances: [instance] },
    {
      label: second,
      session: remote,
      operator,
      instances: [{ ...instance, hostCluster, components: direct }],
    },
    { label: third, session: remote, operator, instances: [{ ...instance, hostCluster }] },
  ];
}
