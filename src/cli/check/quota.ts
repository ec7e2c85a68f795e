/** Compares what the Pods of a control plane request with the quotas of their namespace. Pure functions. */
import { NANO, parseQuantity } from '../../kubernetes/objects/quantity.ts';
import type { ResourceQuota, Replicated } from '../../kubernetes/objects/kinds.ts';
import type { Pod, PodSpec } from '../../kubernetes/objects/pod-kinds.ts';
import { podAmounts, type Amounts } from './pod-amounts.ts';
import { inScopes, type QuotaScopes } from './quota-scopes.ts';
import type { Found } from './result.ts';

type Problem = Found['problems'][number];
/**
 * Returns the quotas that the Pods of workloads exceed together. Pods that run are in use already. A quota with scopes that this
 * function does not know is left to the dry run of each Pod.
 * @param workloads with all their Pods
 * @param quotas ResourceQuotas of the namespace
 * @param pods of the control plane
 */
export function quotaFindings(
  workloads: readonly Replicated[],
  quotas: readonly ResourceQuota[],
  pods: readonly Pod[] = [],
): Found {
  const problems = quotas.flatMap((quota) => {
    const scopes = quota.spec ?? {};
    return exceeded(quota, neededIn(scopes, workloads, pods));
  });
  return {
    problems,
    ok: quotas.length === 0 ? 'the namespace has no quota' : 'the quotas suffice',
  };
}

/** Amounts that are not in use yet, in units of 10^-9. */
function neededIn(
  scopes: QuotaScopes,
  workloads: readonly Replicated[],
  pods: readonly Pod[],
): Amounts {
  const sums = new Map<string, bigint>();
  const add = (pod: PodSpec, times: bigint): void => {
    if (!inScopes(scopes, pod)) return;
    for (const [name, amount] of podAmounts(pod))
      sums.set(name, (sums.get(name) ?? 0n) + times * amount);
  };
  for (const { spec } of workloads) add(spec?.template?.spec ?? {}, BigInt(spec?.replicas ?? 1));
  for (const pod of pods) if (isRunning(pod, workloads)) add(pod.spec ?? {}, -1n);
  return sums;
}

/** Whether a Pod of these workloads counts for quotas. */
function isRunning({ metadata, status }: Pod, workloads: readonly Replicated[]): boolean {
  const { phase = '' } = status ?? {};
  if (phase === 'Succeeded' || phase === 'Failed') return false;
  return workloads.some(({ spec }) =>
    Object.entries(spec?.selector?.matchLabels ?? {}).every(
      ([key, value]) => metadata.labels?.[key] === value,
    ),
  );
}

function exceeded(quota: ResourceQuota, needed: Amounts): readonly Problem[] {
  const { hard: wanted = {} } = quota.spec ?? {};
  // The status of a new quota is empty.
  const { hard = wanted, used = {} } = quota.status ?? {};
  return [...needed].flatMap(([name, amount]) => {
    const [most, present] = [hard[name], used[name] ?? '0'].map((text) =>
      text === undefined ? undefined : parseQuantity(text),
    );
    if (most === undefined || present === undefined) return [];
    if (amount <= 0n || present + amount <= most) return [];
    const message = `ResourceQuota ${quota.metadata.name}: the Pods request ${amountText(name, amount)} of ${name}, and ${amountText(name, most > present ? most - present : 0n)} of ${hard[name] ?? ''} are left; raise the quota, or lower the resources of the components`;
    return [{ outcome: 'failed' as const, reason: 'QuotaExceeded', message }];
  });
}

const MEBI = 1n << 20n;

function amountText(name: string, amount: bigint): string {
  if (name.endsWith('pods')) return String(amount / NANO);
  if (name.endsWith('cpu')) return `${String(amount / (NANO / 1_000n))}m`;
  return `${String(amount / NANO / MEBI)}Mi`;
}
