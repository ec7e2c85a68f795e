import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { loadAll } from 'js-yaml';
import type { HostCluster } from '../../../src/api/karmada.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { resources } from '../../../src/kubernetes/resources.ts';
import { checkout } from '../../cluster/paths.ts';
import { poll } from '../../cluster/poll.ts';
import { core } from './instance.ts';
import type { Operator } from './operators.ts';
import type { Side } from './rounds.ts';
import { apply, type Session } from './session.ts';

/** Where a core instance is installed, and how the operator reaches it. */
export const ways = ['local', 'node-port', 'port-forward'] as const;

const secret = { namespace: 'bench-access', name: 'host-cluster' };
const role = { namespace: 'karmada-system', name: 'karmada-operator-remote' };

/** Lets the operator of one cluster into another as docs/remote-host.md tells. @returns what Karmadas name */
export async function letIn(home: Session, host: Session): Promise<HostCluster> {
  const rights = await readFile(join(checkout, 'config/remote-host/rights.yaml'), 'utf8');
  for (const object of loadAll(rights) as KubernetesObject[]) await apply(host, object);
  const data = await poll('the token is there', async (seen) => {
    const found = await host.client.get(resources.Secret, role);
    const values = (found['data'] ?? {}) as Readonly<Record<string, string>>;
    seen(Object.keys(values).join(', '));
    const { token, 'ca.crt': caBundle } = values;
    return token === undefined || caBundle === undefined ? undefined : { token, caBundle };
  });
  const { namespace } = secret;
  await apply(home, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await apply(home, { apiVersion: 'v1', kind: 'Secret', metadata: secret, data });
  const config = new KubeConfig();
  config.loadFromFile(host.cluster.kubeconfig);
  return { apiEndpoint: config.getCurrentCluster()?.server ?? '', secretRef: secret };
}

export interface Clusters {
  /** The one with the operator. */
  readonly home: Session;
  /** The other one. */
  readonly host: Session;
  /** How Karmadas name it. */
  readonly hostCluster: HostCluster;
}

/** The same core instance at home, and on the other host with a node port and without one. */
export function sidesOf({ home, host, hostCluster }: Clusters, operator: Operator): Side[] {
  const instance = { namespace: 'bench-1', name: 'demo', components: core };
  const exposed = { ...core.karmadaAPIServer, serviceType: 'NodePort' } as const;
  const direct = { ...core, karmadaAPIServer: exposed };
  // Both clusters are up all the time, so the processor time of both counts on all sides.
  const clusters = [...home.clusters, ...host.clusters];
  const local = { ...home, clusters };
  const remote = { ...local, host };
  const [first, second, third] = ways;
  return [
    { label: first, session: local, operator, instances: [instance] },
    {
      ...{ label: second, session: remote, operator },
      instances: [{ ...instance, hostCluster, components: direct }],
    },
    { label: third, session: remote, operator, instances: [{ ...instance, hostCluster }] },
  ];
}
