/** Validates fields that only `spec.components.karmadaAPIServer` has. */
import type { FieldError } from './field-error.ts';
import { checkKeys, checkSyntax, invalid } from './field-error.ts';
import type { KarmadaAPIServer } from '../karmada.ts';
import { annotationKey, externalEndpoint, qualifiedName, serviceSubnet } from './syntax.ts';
import { validateSize } from './annotations.ts';
import { validateResources } from './resources.ts';
import { validateVolumes } from './volumes.ts';

const FIELD = 'spec.components.karmadaAPIServer';
const SERVICE_TYPES = ['ClusterIP', 'NodePort', 'LoadBalancer'];

export function validateAPIServer(server: KarmadaAPIServer | undefined): readonly FieldError[] {
  const { serviceType, serviceAnnotations, sidecarContainers = [], ...settings } = server ?? {};
  return [
    ...validateServiceType(serviceType || 'ClusterIP'),
    ...(serviceType === 'LoadBalancer'
      ? checkSyntax(`${FIELD}.loadBalancerClass`, settings.loadBalancerClass, qualifiedName)
      : []),
    ...checkSyntax(`${FIELD}.externalEndpoint`, settings.externalEndpoint, externalEndpoint),
    ...checkSyntax(`${FIELD}.serviceSubnet`, settings.serviceSubnet, serviceSubnet),
    ...checkKeys(`${FIELD}.serviceAnnotations`, serviceAnnotations, annotationKey),
    ...validateSize(`${FIELD}.serviceAnnotations`, serviceAnnotations),
    ...validateVolumes(`${FIELD}.extraVolumes`, settings.extraVolumes),
    ...sidecarContainers.flatMap(({ resources }, index) =>
      validateResources(`${FIELD}.sidecarContainers[${index}].resources`, resources),
    ),
  ];
}

function validateServiceType(type: string): readonly FieldError[] {
  const field = `${FIELD}.serviceType`;
  if (!SERVICE_TYPES.includes(type)) {
    return [invalid(field, type, `must be ${SERVICE_TYPES.join(' or ')}`)];
  }
  return [];
}
