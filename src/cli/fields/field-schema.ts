/** The fields of a Karmada, from its CRD: what a check without an API server needs. Pure functions. */
import { API_VERSION } from '../../api/karmada.ts';

/** Part of an OpenAPI v3 schema: names and types of fields. */
export interface FieldSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly additionalProperties?: FieldSchema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

interface Definition {
  readonly spec?: {
    readonly versions?: readonly {
      readonly name: string;
      readonly schema?: { readonly openAPIV3Schema?: FieldSchema };
    }[];
  };
}

const TEXT: FieldSchema = { type: 'string' };
const TEXTS: FieldSchema = { type: 'object', additionalProperties: TEXT };
const ANY: FieldSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** Fields of `metadata` that a user sets, and those that the API server sets (ObjectMeta of the Kubernetes API). */
const METADATA: FieldSchema = {
  type: 'object',
  properties: {
    ...{ name: TEXT, namespace: TEXT, labels: TEXTS, annotations: TEXTS },
    ...{ generateName: TEXT, finalizers: { type: 'array', items: TEXT } },
    ...{ ownerReferences: ANY, managedFields: ANY, selfLink: ANY, uid: ANY, generation: ANY },
    ...{ resourceVersion: ANY, creationTimestamp: ANY, deletionTimestamp: ANY },
    deletionGracePeriodSeconds: ANY,
  },
};

/**
 * Returns the fields of a Karmada.
 * @param crd CustomResourceDefinition of Karmadas
 */
export function karmadaFields(crd: object): FieldSchema {
  const name = API_VERSION.slice(API_VERSION.indexOf('/') + 1);
  const version = (crd as Definition).spec?.versions?.find((one) => one.name === name);
  const { spec = ANY } = version?.schema?.openAPIV3Schema?.properties ?? {};
  // A file that kubectl wrote has a status, which has no effect.
  const properties = { apiVersion: TEXT, kind: TEXT, metadata: METADATA, status: ANY };
  return { type: 'object', properties: { ...properties, spec: fieldsOf(spec) } };
}

function fieldsOf(schema: FieldSchema): FieldSchema {
  const { type, properties, items, additionalProperties: others } = schema;
  const preserved = schema['x-kubernetes-preserve-unknown-fields'];
  const isIntOrString = schema['x-kubernetes-int-or-string'];
  return {
    ...(type !== undefined && { type }),
    ...(properties && { properties: fieldsIn(properties) }),
    ...(items && { items: fieldsOf(items) }),
    ...(others !== undefined && {
      additionalProperties: typeof others === 'object' ? fieldsOf(others) : others,
    }),
    ...(preserved && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(isIntOrString && { 'x-kubernetes-int-or-string': true }),
  };
}

const fieldsIn = (
  properties: Readonly<Record<string, FieldSchema>>,
): Readonly<Record<string, FieldSchema>> =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fieldsOf(field)]));
