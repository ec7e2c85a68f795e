/** Validates the fields that the settings of a component and an entry of `spec.podSettings` have in common. */
import type { FieldError } from './field-error.ts';
import { checkKeys, checkSyntax, quoted } from './field-error.ts';
import type { CommonSettings, StringMap } from '../settings.ts';
import { labelValue, objectName, qualifiedName } from './syntax.ts';
import { validateAffinity, validateSpread } from './affinity.ts';
import { validateResources } from './resources.ts';

type Placement = Pick<
  CommonSettings,
  'resources' | 'priorityClassName' | 'nodeSelector' | 'topologySpreadConstraints' | 'affinity'
>;

/** Validates resources, priority class, node selector, topology spread constraints and affinity. @param field path of their object */
export function validatePlacement(field: string, settings: Placement): readonly FieldError[] {
  const { topologySpreadConstraints: constraints } = settings;
  return [
    ...checkSyntax(`${field}.priorityClassName`, settings.priorityClassName, objectName),
    ...validateResources(`${field}.resources`, settings.resources),
    ...validateNodeSelector(`${field}.nodeSelector`, settings.nodeSelector),
    ...validateSpread(`${field}.topologySpreadConstraints`, constraints),
    ...validateAffinity(`${field}.affinity`, settings.affinity),
  ];
}

function validateNodeSelector(field: string, labels: StringMap = {}): readonly FieldError[] {
  return [
    ...checkKeys(field, labels, qualifiedName),
    ...Object.entries(labels).flatMap(([key, value]) =>
      checkSyntax(`${field}[${quoted(key)}]`, value, labelValue),
    ),
  ];
}
