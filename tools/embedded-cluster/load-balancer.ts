import { fields, isText, listOf, optional, type Check } from '../../src/untrusted/checks.ts';
import { kubectl, type Cluster } from './cluster.ts';
import { Failure } from './failure.ts';
import { parseJson } from './parse-json.ts';
import { addressesOf, slotOf } from './slot.ts';

const isService = fields({
  spec: fields({ type: optional(isText) }),
  status: optional(
    fields({
      loadBalancer: optional(
        fields({ ingress: optional(listOf(fields({ ip: optional(isText) }))) }),
      ),
    }),
  ),
});

type Service = typeof isService extends Check<infer T> ? T : never;

/**
 * Assigns an address to a Service of type LoadBalancer, like a cloud controller. The address is reachable from the
 * machine, from the cluster and from the other clusters of the machine.
 * @returns the address; an existing address stays
 * @throws Failure if the Service has another type or all addresses are in use
 */
export async function giveAddress(
  cluster: Cluster,
  namespace: string,
  name: string,
): Promise<string> {
  const get = ['get', 'service', name, '-n', namespace, '-o', 'json'];
  const service = parseJson(await kubectl(cluster, get), isService, `Service ${namespace}/${name}`);
  if (service.spec.type !== 'LoadBalancer')
    throw new Failure(
      `Service ${namespace}/${name} is of type ${service.spec.type ?? 'ClusterIP'}`,
      'specify a Service of type LoadBalancer',
    );
  const [own] = addressesOfService(service);
  if (own !== undefined) return own;
  const list = await kubectl(cluster, ['get', 'services', '-A', '-o', 'json']);
  const all = parseJson(list, fields({ items: listOf(isService) }), 'all Services');
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
  throw new Failure(
    'all load balancer addresses are in use',
    'delete a Service of type LoadBalancer',
  );
}
