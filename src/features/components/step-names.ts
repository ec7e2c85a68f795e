/** Names of steps in messages. */
import type { ControlPlaneStep, Step } from '../../components/component.ts';
import { isComponent } from '../../components/registry.ts';

const GROUP_NAMES: Readonly<Record<ControlPlaneStep, string>> = {
  health: 'the RBAC objects for its health endpoints',
  namespaces: 'the namespaces of the control plane',
  crds: 'the Karmada CRDs',
  rbac: 'the RBAC objects of the control plane',
  bootstrap: 'the bootstrap objects for the registration of member clusters',
  'webhook-configurations': 'the webhook configurations',
  'cluster-api-service': 'the APIService of the cluster API',
  'metrics-api-services': 'the APIServices of the metrics APIs',
  'search-api-service': 'the APIService of the search API',
};

/** Returns the name of a component, or a description of a group of objects in the Karmada API. */
export const stepName = (step: Step): string => (isComponent(step) ? step : GROUP_NAMES[step]);
