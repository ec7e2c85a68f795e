/** What a Pod counts for in ResourceQuotas (https://kubernetes.io/docs/concepts/policy/resource-quotas/). Pure functions. */
import type { Container, PodSpec } from '../../kubernetes/objects/pod-kinds.ts';
import { NANO, parseQuantity } from '../../kubernetes/objects/quantity.ts';

/** Amounts by the names of quotas, in units of 10^-9. */
export type Amounts = ReadonlyMap<string, bigint>;

/** Resources of a quota, by the lists of a container that count for them. */
const COUNTED: readonly (readonly [name: string, list: 'requests' | 'limits', resource: string])[] =
  [
    ['requests.cpu', 'requests', 'cpu'],
    ['cpu', 'requests', 'cpu'],
    ['requests.memory', 'requests', 'memory'],
    ['memory', 'requests', 'memory'],
    ['requests.ephemeral-storage', 'requests', 'ephemeral-storage'],
    ['ephemeral-storage', 'requests', 'ephemeral-storage'],
    ['limits.cpu', 'limits', 'cpu'],
    ['limits.memory', 'limits', 'memory'],
    ['limits.ephemeral-storage', 'limits', 'ephemeral-storage'],
  ];

/** Returns the amounts of a Pod. Resources that no container names are absent. */
export function podAmounts(spec: PodSpec): Amounts {
  const amounts = COUNTED.flatMap(([name, list, resource]) => {
    const amount = amountOfPod(spec, (container) => amountOf(container, list, resource));
    return amount === undefined ? [] : [[name, amount] as const];
  });
  return new Map([['pods', NANO], ['count/pods', NANO], ...amounts]);
}

/** Containers run together, after the init containers, which run one by one. Those that restart are sidecars. */
function amountOfPod(
  spec: PodSpec,
  of: (container: Container) => bigint | undefined,
): bigint | undefined {
  const init = spec.initContainers ?? [];
  const isSidecar = (container: Container): boolean => container['restartPolicy'] === 'Always';
  const together = [...(spec.containers ?? []), ...init.filter(isSidecar)].map(of);
  const alone = init.filter((container) => !isSidecar(container)).map(of);
  const known = [...together, ...alone].filter((amount) => amount !== undefined);
  if (known.length === 0) return undefined;
  const sum = together.reduce<bigint>((total, amount = 0n) => total + amount, 0n);
  return alone.reduce<bigint>((most, amount = 0n) => (amount > most ? amount : most), sum);
}

/** A limit without a request is also the request. */
function amountOf(
  { resources }: Container,
  list: 'requests' | 'limits',
  resource: string,
): bigint | undefined {
  const given = resources?.[list]?.[resource];
  const text = given ?? (list === 'requests' ? resources?.limits?.[resource] : undefined);
  return text === undefined ? undefined : parseQuantity(String(text));
}
