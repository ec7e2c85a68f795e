/** Recognizes other objects of the Go operator that lack the labels of a Karmada: pure. */
import { COMPONENT, INSTANCE, isUnclaimed } from '../../api/labels.ts';
import { COMPONENT_SUFFIX, instanceName } from '../../api/naming.ts';
import type { Service } from '../../kubernetes/objects/kinds.ts';

const METRICS_ADAPTER = 'karmada-metrics-adapter';

/** Name of the Service that the Go operator creates without the labels of its Karmada. */
export const unlabeledService = (karmada: string): string =>
  instanceName(karmada, COMPONENT_SUFFIX[METRICS_ADAPTER]);

/** Whether a Service without labels selects the Pods of this control plane. */
export function isOwnService(service: Service, karmada: string): boolean {
  const { selector = {} } = service.spec ?? {};
  const fits = selector[INSTANCE] === karmada && selector[COMPONENT] === METRICS_ADAPTER;
  return isUnclaimed(service) && fits;
}
