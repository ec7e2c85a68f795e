/** Compares what the Pods of a control plane request with the quotas of their namespace. Pure functions. */
import type { V1ResourceRequirements } from '@kubernetes/client-node';
import type { Workload } from '../../components/workload.ts';
import { parseQuantity } from '../../kubernetes/compare.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { Found } from './result.ts';

type Amounts = ReadonlyMap<string, bigint>;

const NANO = 1_000_000_000n;

/** Resources of a quota, by the lists of a container that count for them. */
const COUNTED: readonly (readonly [name: string, list: 'requests' | 'limits', resource: string])[] =
  [
    ['requests.cpu', 'requests', 'cpu'],
    ['cpu', 'requests', 'cpu'],
    ['requests.memory', 'requests', 'memory'],
    ['memory', 'requests', 'memory'],
    ['limits.cpu', 'limits', 'cpu'],
    ['limits.memory', 'limits', 'memory'],
  ];

/**
 * Returns the quotas that the Pods of new workloads exceed together. A quota with scopes may concern only some of them, and is
 * left to the dry run of each Pod.
 * @param quotas ResourceQuotas of the namespace
 */
export function quotaFindings(
  workloads: readonly Workload[],
  quotas: readonly KubernetesObject[],
): Found {
  const wanted = totals(workloads);
  const problems = quotas.flatMap((quota) => {
    const { scopes, scopeSelector } = (quota['spec'] ?? {}) as {
      readonly scopes?: readonly string[];
      readonly scopeSelector?: object;
    };
    if (scopes !== undefined || scopeSelector !== undefined) return [];
    const { hard = {}, used = {} } = (quota['status'] ?? {}) as Readonly<
      Record<'hard' | 'used', Readonly<Record<string, string>>>
    >;
    return [...wanted].flatMap(([name, amount]) => {
      const [most, present] = [hard[name], used[name] ?? '0'].map((text) =>
        text === undefined ? undefined : parseQuantity(text),
      );
      if (most === undefined || present === undefined || present + amount <= most) return [];
      const message = `ResourceQuota ${quota.metadata.name}: the Pods request ${amountText(name, amount)} of ${name}, and ${amountText(name, most > present ? most - present : 0n)} of ${hard[name] ?? ''} are left; raise the quota, or lower the resources of the components`;
      return [{ outcome: 'failed' as const, reason: 'QuotaExceeded', message }];
    });
  });
  return {
    problems,
    ok: quotas.length === 0 ? 'the namespace has no quota' : 'the quotas suffice',
  };
}

/** Sum over all Pods, in units of 10^-9. */
function totals(workloads: readonly Workload[]): Amounts {
  const sums = new Map<string, bigint>();
  for (const [name, amount] of workloads.flatMap(amountsOf))
    sums.set(name, (sums.get(name) ?? 0n) + amount);
  return sums;
}

/** Amounts of all Pods of a workload, one entry for each container and resource. */
function amountsOf({ spec }: Workload): readonly (readonly [name: string, amount: bigint])[] {
  const replicas = BigInt((spec['replicas'] as number | undefined) ?? 1);
  const ofContainers = spec.template.spec.containers.flatMap(({ resources }) =>
    COUNTED.flatMap(([name, list, resource]) => {
      const amount = amountOf(resources, list, resource);
      return amount === undefined ? [] : [[name, replicas * amount] as const];
    }),
  );
  return [['pods', replicas * NANO], ...ofContainers];
}

/** A limit without a request is also the request. */
function amountOf(
  resources: V1ResourceRequirements | undefined,
  list: 'requests' | 'limits',
  resource: string,
): bigint | undefined {
  const given = resources?.[list]?.[resource];
  const text = given ?? (list === 'requests' ? resources?.limits?.[resource] : undefined);
  return text === undefined ? undefined : parseQuantity(text);
}

const MEBI = 1n << 20n;

function amountText(name: string, amount: bigint): string {
  if (name === 'pods') return String(amount / NANO);
  if (name.endsWith('memory')) return `${String(amount / NANO / MEBI)}Mi`;
  return `${String(amount / (NANO / 1_000n))}m`;
}
