/**
 * The fields of a CustomResourceDefinition of apiextensions.k8s.io/v1. The operator drops others, as an API server does, so that an
 * archive cannot fill its memory with them.
 */
import { quoted } from '../api/validation/field-error.ts';

/** `any` is JSON that the API server stores as it is, such as a default. */
type Shape = 'any' | 'text' | 'flag' | 'number' | EachShape | Fields | (() => Shape);

type EachShape = readonly ['list' | 'map', Shape];

interface Fields {
  readonly [field: string]: Shape;
}

const list = (shape: Shape): Shape => ['list', shape];
const map = (shape: Shape): Shape => ['map', shape];
const each = (shape: Shape, names: string): Fields =>
  Object.fromEntries(names.split(' ').map((name) => [name, shape]));

/** JSONSchemaProps. Its fields contain it. */
const schema: Shape = () => SCHEMA;

const SCHEMA: Fields = {
  ...each('text', 'id $schema $ref description type format title pattern'),
  ...each('text', 'x-kubernetes-list-type x-kubernetes-map-type'),
  ...each('number', 'maximum minimum maxLength minLength maxItems minItems multipleOf'),
  ...each('number', 'maxProperties minProperties'),
  ...each('flag', 'exclusiveMaximum exclusiveMinimum uniqueItems nullable'),
  ...each('flag', 'x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource'),
  ...each('flag', 'x-kubernetes-int-or-string'),
  ...each('any', 'default example'),
  ...each(list('text'), 'required x-kubernetes-list-map-keys'),
  ...each(list(schema), 'allOf oneOf anyOf'),
  ...each(map(schema), 'properties patternProperties definitions'),
  enum: list('any'),
  not: schema,
  ...each(schema, 'items additionalItems additionalProperties'),
  dependencies: map(schema),
  externalDocs: each('text', 'description url'),
  'x-kubernetes-validations': list({
    ...each('text', 'rule message messageExpression reason fieldPath'),
    optionalOldSelf: 'flag',
  }),
};

/** `spec.conversion` of a CRD. */
export const CRD_CONVERSION: Shape = {
  strategy: 'text',
  webhook: {
    clientConfig: { ...each('text', 'url caBundle'), service: 'any' },
    conversionReviewVersions: list('text'),
  },
};

const VERSION: Fields = {
  ...each('text', 'name deprecationWarning'),
  ...each('flag', 'served storage deprecated'),
  schema: { openAPIV3Schema: schema },
  subresources: {
    status: {},
    scale: each('text', 'specReplicasPath statusReplicasPath labelSelectorPath'),
  },
  additionalPrinterColumns: list({
    ...each('text', 'name type format description jsonPath'),
    priority: 'number',
  }),
  selectableFields: list(each('text', 'jsonPath')),
};

const NAMES: Fields = {
  ...each('text', 'plural singular kind listKind'),
  ...each(list('text'), 'shortNames categories'),
};

/** `spec` of a CRD without the conversion. */
export const CRD_SPEC: Shape = {
  ...each('text', 'group scope'),
  names: NAMES,
  versions: list(VERSION),
  preserveUnknownFields: 'flag',
};

/** Labels or annotations. */
export const TEXTS: Shape = map('text');

/** A value that has another type than a CRD may have. The message is a clause for messages about the file. */
export class MisfitError extends Error {
  override readonly name = 'MisfitError';

  /** @param path such as `spec.versions[0].name` */
  constructor(path: string) {
    super(`has another type than a CRD in ${quoted(path)}`);
  }
}

/**
 * Returns a copy of a value with only the fields of a shape.
 * @param path of the value, for errors
 * @throws MisfitError
 */
export function fitting(value: unknown, shape: Shape, path: string): unknown {
  if (value === undefined || value === null) return value;
  // A flag may replace a schema, for example in additionalProperties.
  if (typeof shape === 'function')
    return typeof value === 'boolean' ? value : fitting(value, shape(), path);
  if (typeof shape === 'string') {
    if (!isScalar(value, shape)) throw new MisfitError(path);
    return value;
  }
  if (typeof value !== 'object') throw new MisfitError(path);
  return isEach(shape) ? fittingEach(value, shape, path) : fittingFields(value, shape, path);
}

function fittingFields(value: object, shape: Fields, path: string): object {
  if (Array.isArray(value)) throw new MisfitError(path);
  const known = Object.entries(value).flatMap(([field, inner]) => {
    const own = Object.hasOwn(shape, field) ? shape[field] : undefined;
    return own === undefined ? [] : [[field, fitting(inner, own, `${path}.${field}`)] as const];
  });
  return Object.fromEntries(known);
}

function fittingEach(value: object, [kind, shape]: EachShape, path: string): object {
  if (Array.isArray(value) !== (kind === 'list')) throw new MisfitError(path);
  if (Array.isArray(value))
    return value.map((inner, index) => fitting(inner, shape, `${path}[${index}]`));
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, fitting(inner, shape, `${path}.${key}`)]),
  );
}

const SCALARS = { text: 'string', flag: 'boolean', number: 'number' } as const;

const isScalar = (value: unknown, shape: 'any' | keyof typeof SCALARS): boolean =>
  shape === 'any' || typeof value === SCALARS[shape];

/** `Array.isArray` does not narrow readonly arrays. */
const isEach = (shape: EachShape | Fields): shape is EachShape => Array.isArray(shape);
