import { recordOf } from '../../kubernetes/objects/records.ts';
/** The fields of the kinds of this operator, from their schemas: what works without an API server. Pure functions. */

/** Part of an OpenAPI v3 schema: names and types of fields, and what reports show of them. */
export interface FieldSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly additionalProperties?: FieldSchema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  /** Of texts and of lists of texts: `shown`, or a command line. Without it, reports hide the text. */
  readonly disclosure?: 'shown' | 'arguments';
}

/** Schema with the constraints from which the disclosure follows. */
interface ConstrainedSchema extends FieldSchema {
  readonly properties?: Readonly<Record<string, ConstrainedSchema>>;
  readonly items?: ConstrainedSchema;
  readonly additionalProperties?: ConstrainedSchema | boolean;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
}

const TEXT: FieldSchema = { type: 'string' };
const TEXTS: FieldSchema = { type: 'object', additionalProperties: TEXT };
const ANY: FieldSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** Fields of `metadata` that a user sets, and those that the API server sets (ObjectMeta of the Kubernetes API). */
const METADATA: FieldSchema = {
  type: 'object',
  properties: {
    name: TEXT,
    namespace: TEXT,
    labels: TEXTS,
    annotations: TEXTS,
    generateName: TEXT,
    finalizers: { type: 'array', items: TEXT },
    ownerReferences: ANY,
    managedFields: ANY,
    selfLink: ANY,
    uid: ANY,
    generation: ANY,
    resourceVersion: ANY,
    creationTimestamp: ANY,
    deletionTimestamp: ANY,
    deletionGracePeriodSeconds: ANY,
  },
};

/** Kinds whose fields are known. */
export type FieldKind =
  'Karmada' | 'KarmadaBackup' | 'KarmadaBackupSchedule' | 'KarmadaBackupStore' | 'KarmadaRestore';

/** Fields by kind. */
export type FieldSchemas = Readonly<Record<FieldKind, FieldSchema>>;

const KINDS: readonly FieldKind[] = [
  'Karmada',
  'KarmadaBackup',
  'KarmadaBackupSchedule',
  'KarmadaBackupStore',
  'KarmadaRestore',
];

/**
 * Returns the fields of all kinds.
 * @param schemas by kind, with the disclosure of their fields
 * @throws Error if a kind has no schema
 */
export function fieldSchemas(schemas: Readonly<Record<string, ConstrainedSchema>>): FieldSchemas {
  const entries = KINDS.map((kind) => {
    const spec = schemas[kind]?.properties?.['spec'];
    if (spec === undefined) throw new Error(`no schema of the spec of ${kind}`);
    return [kind, objectFields(spec)] as const;
  });
  return recordOf(entries);
}

function objectFields(spec: ConstrainedSchema): FieldSchema {
  // A file that kubectl wrote has a status, which has no effect.
  const properties = { apiVersion: TEXT, kind: TEXT, metadata: METADATA, status: ANY };
  return { type: 'object', properties: { ...properties, spec: fieldsOf(spec) } };
}

function fieldsOf(schema: ConstrainedSchema): FieldSchema {
  const { type, properties, items, additionalProperties: others } = schema;
  const preserved = schema['x-kubernetes-preserve-unknown-fields'];
  const isIntOrString = schema['x-kubernetes-int-or-string'];
  const disclosure = disclosureOf(schema);
  return {
    ...(type !== undefined && { type }),
    ...(properties && { properties: fieldsIn(properties) }),
    ...(items && { items: fieldsOf(items) }),
    ...(others !== undefined && {
      additionalProperties: typeof others === 'object' ? fieldsOf(others) : others,
    }),
    ...(preserved && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(isIntOrString && { 'x-kubernetes-int-or-string': true }),
    ...(disclosure && { disclosure }),
  };
}

/** Values that can be no secret are shown without a mark: enumerations, times, quantities and percentages. */
function disclosureOf(schema: ConstrainedSchema): FieldSchema['disclosure'] {
  const isBounded =
    schema.enum !== undefined ||
    schema.format === 'date-time' ||
    (schema['x-kubernetes-int-or-string'] === true && schema.pattern !== undefined);
  return schema.disclosure ?? (isBounded ? 'shown' : undefined);
}

const fieldsIn = (
  properties: Readonly<Record<string, ConstrainedSchema>>,
): Readonly<Record<string, FieldSchema>> =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fieldsOf(field)]));
