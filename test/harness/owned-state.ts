/** What the operator wrote of the objects of an installation, by their managed fields. Pure functions. */
import { DEFAULTS_FIELD_MANAGER, FIELD_MANAGER } from '../../src/api/karmada.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { isEmpty, projected, union, type Fields } from '../stubs/api/fields.ts';
import type { EndState } from './compare-states.ts';
import { omit } from '../stubs/api/json.ts';
import { normalised } from './normalize-objects.ts';

/** Objects of an installation with their managed fields. */
export interface InstalledObjects {
  readonly host: readonly KubernetesObject[];
  readonly inside: readonly KubernetesObject[];
}

interface Entry {
  readonly manager: string;
  readonly subresource?: string;
  readonly fieldsV1: Fields;
}

const MANAGERS: readonly string[] = [FIELD_MANAGER, DEFAULTS_FIELD_MANAGER];

type ClaimTemplate = Readonly<Record<'metadata' | 'spec', Readonly<Record<string, unknown>>>>;

/** PVC templates are one field, to which API servers add defaults. */
function withoutTemplateDefaults(part: Partial<KubernetesObject>): Partial<KubernetesObject> {
  const spec = part['spec'] as { volumeClaimTemplates?: readonly ClaimTemplate[] } | undefined;
  if (spec?.volumeClaimTemplates === undefined) return part;
  const volumeClaimTemplates = spec.volumeClaimTemplates.map(({ metadata, spec: claim }) => ({
    metadata,
    spec: omit(claim, 'volumeMode'),
  }));
  return { ...part, spec: { ...spec, volumeClaimTemplates } };
}

/** The part of an object that the operator owns; nothing if that is nothing. */
function ownedPart(object: KubernetesObject): readonly KubernetesObject[] {
  const { name, namespace, managedFields = [] } = object.metadata;
  const fields = (managedFields as readonly Entry[])
    .filter(({ manager, subresource }) => MANAGERS.includes(manager) && subresource === undefined)
    .reduce<Fields>((all, { fieldsV1 }) => union(all, fieldsV1), {});
  if (isEmpty(fields)) return [];
  const owned = projected(object, fields) as Partial<KubernetesObject>;
  const { metadata, ...part } = withoutTemplateDefaults(owned);
  const { apiVersion, kind } = object;
  const own = { ...metadata, name, ...(namespace !== undefined && { namespace }) };
  return [{ ...part, apiVersion, kind, metadata: own }];
}

/**
 * The fields that the operator owns, normalized to compare an installation in a stub cluster with one in a real cluster:
 * API servers add defaults and controllers add fields, which stubs do not.
 */
export function ownedState({ host, inside }: InstalledObjects, namespace: string): EndState {
  return {
    host: normalised(host.flatMap(ownedPart), namespace, host),
    inside: normalised(inside.flatMap(ownedPart), namespace),
  };
}
