import { kubectl, type Cluster } from './cluster.ts';
import { Failure } from './failure.ts';
import { addressesOf, slotOf } from './slot.ts';

interface Service {
  spec: { type?: string };
  status?: { loadBalancer?: { ingress?: { ip?: string }[] } };
}

/**
 * Gives a Service of type LoadBalancer an address, as the controller of a cloud does in its own time. It is reached
 * from the machine, from the cluster and from its neighbours.
 * @returns the address; the one it has already stays
 * @throws Failure when the Service is of another type or no address is left
 */
export async function giveAddress(
  cluster: Cluster,
  namespace: string,
  name: string,
): Promise<string> {
  const get = ['get', 'service', name, '-n', namespace, '-o', 'json'];
  const service = JSON.parse(await kubectl(cluster, get)) as Service;
  if (service.spec.type !== 'LoadBalancer')
    throw new Failure(
      `Service ${namespace}/${name} is of type ${service.spec.type ?? 'ClusterIP'}`,
      'name one of type LoadBalancer',
    );
  const [own] = addressesOfService(service);
  if (own !== undefined) return own;
  const all = JSON.parse(await kubectl(cluster, ['get', 'services', '-A', '-o', 'json'])) as {
    items: Service[];
  };
  const address = freeAddress(cluster.name, all.items.flatMap(addressesOfService));
  const patch = JSON.stringify({ status: { loadBalancer: { ingress: [{ ip: address }] } } });
  const status = ['--subresource=status', '--type=merge', '-p', patch];
  await kubectl(cluster, ['patch', 'service', name, '-n', namespace, ...status]);
  return address;
}

const addressesOfService = ({ status }: Service): string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);

function freeAddress(cluster: string, taken: readonly string[]): string {
  const prefix = addressesOf(slotOf(cluster) ?? 0).loadBalancers.replace(/0\/24$/, '');
  for (let last = 1; last < 255; last++) {
    const address = `${prefix}${String(last)}`;
    if (!taken.includes(address)) return address;
  }
  throw new Failure('all addresses of load balancers are taken', 'delete such Services');
}
