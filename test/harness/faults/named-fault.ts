/** The Karmada of a fault, and how its status names the fault: pure. */
import type { Condition } from '../../../src/api/karmada.ts';
import { SMALL, type Fault, type Named } from './fault.ts';

/** Name of the Karmada of each fault. */
export const NAME = 'karmada';

export const namespaceOf = ({ id }: Pick<Fault, 'id'>): string => `fault-${id}`;

/** Returns the Namespace and the Karmada of a fault. */
export function objectsOf(fault: Fault): { readonly namespace: object; readonly karmada: object } {
  const { labels, components = SMALL, spec } = fault;
  const namespace = namespaceOf(fault);
  return {
    namespace: {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, ...(labels && { labels }) },
    },
    karmada: {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: { name: NAME, namespace },
      spec: { ...spec, components: { karmadaMetricsAdapter: { replicas: 1 }, ...components } },
    },
  };
}

const matches = (text: string, part: RegExp | string): boolean =>
  typeof part === 'string' ? text.includes(part) : part.test(text);

/** Returns the condition that has the reason, maybe among others, and names object and action. */
export const namedCondition = (
  conditions: readonly Condition[],
  named: Named,
): Condition | undefined =>
  conditions.find(
    ({ type, reason, message = '' }) =>
      type === named.type &&
      reason.split(',').includes(named.reason) &&
      matches(message, named.object) &&
      matches(message, named.remedy),
  );
