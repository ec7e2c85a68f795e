/** Renders all objects in the Karmada API of a control plane. */
import type { ControlPlaneStep } from '../components/component.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { apiServices } from './api-services.ts';
import { bootstrap } from './bootstrap.ts';
import { crds, type CrdArchive } from './crds.ts';
import { flowSchemas } from './flow-schema.ts';
import type { ControlPlaneInput } from './input.ts';
import { namespaces } from './namespaces.ts';
import { healthRoles, rbac } from './rbac.ts';
import { webhookConfigurations } from './webhook-configurations.ts';

export type ControlPlaneObjects = Readonly<Record<ControlPlaneStep, readonly KubernetesObject[]>>;

/**
 * Renders the objects of each step in apply order. `INSTALL_DEPENDENCIES` in `components/registry.ts` defines
 * when a step may start. Equal input gives equal output.
 */
export function renderControlPlane(
  input: ControlPlaneInput,
  archive: CrdArchive,
): ControlPlaneObjects {
  return {
    health: healthRoles(input),
    namespaces: namespaces(input),
    rbac: [...rbac(input), ...flowSchemas(input)],
    bootstrap: bootstrap(input),
    crds: crds(input, archive),
    'webhook-configurations': webhookConfigurations(input),
    'cluster-api-service': apiServices(input, 'cluster-api-service'),
    'metrics-api-services': apiServices(input, 'metrics-api-services'),
    'search-api-service': apiServices(input, 'search-api-service'),
  };
}
