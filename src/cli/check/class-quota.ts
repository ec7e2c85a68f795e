/**
 * Priority classes that the cluster may admit only in namespaces with a ResourceQuota for them, as GKE does: for a namespace that
 * does not exist yet, where no dry run is possible. The quotas of kube-system show them.
 */
import { podRemedies, settingsField } from '../../causes/pod-remedies.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { Workload } from '../../components/workload.ts';
import type { ResourceQuota } from '../../kubernetes/objects/kinds.ts';
import type { Found } from './result.ts';
import type { QuotaScopes } from './quota-scopes.ts';

type Problem = Found['problems'][number];

/** Returns a warning for each class. @param quotas ResourceQuotas of kube-system */
export function classQuotaWarnings(
  workloads: readonly Workload[],
  quotas: readonly ResourceQuota[],
): readonly Problem[] {
  const first = new Map<string, Workload>();
  for (const workload of workloads) {
    const name = workload.spec.template.spec['priorityClassName'];
    if (typeof name === 'string' && !first.has(name)) first.set(name, workload);
  }
  return [...first].flatMap(([name, workload]) => {
    const quota = quotas.find(({ spec = {} }) => isFor(spec, name));
    return quota === undefined ? [] : [warningOf(name, quota, workload)];
  });
}

const isFor = ({ scopeSelector }: QuotaScopes, name: string): boolean =>
  scopeSelector?.matchExpressions?.some(
    ({ scopeName, operator, values = [] }) =>
      scopeName === 'PriorityClass' && operator === 'In' && values.includes(name),
  ) === true;

function warningOf(name: string, quota: ResourceQuota, { spec }: Workload): Problem {
  const field = settingsField(spec.template.metadata.labels[COMPONENT]);
  const message = `PriorityClass ${name}: ResourceQuota kube-system/${quota.metadata.name} is for it, so the cluster may refuse it in other namespaces; ${podRemedies(field).classQuota}`;
  return { outcome: 'warning', reason: 'QuotaExceeded', message };
}
