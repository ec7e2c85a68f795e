/**
 * Fields of Kubernetes types whose text reports show. All other texts are free: a report shows them only if the operator itself
 * writes the same text. Numbers, booleans and enumerations need no entry.
 */
import { eachField } from './each-field.ts';
import { SHOWN, type Schema } from '../schema.ts';
import type { NamedSchema } from './overlay.ts';
import { fieldNames } from './with-texts.ts';

/** Names of objects, keys, fields, labels, resources and storage; no values and no paths. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  Capabilities: ['add', 'drop'],
  ConfigMapEnvSource: ['name'],
  ConfigMapKeySelector: ['key', 'name'],
  ConfigMapProjection: ['name'],
  ConfigMapVolumeSource: ['name'],
  Container: ['image', 'name', 'terminationMessagePolicy'],
  ContainerPort: ['hostIP', 'name', 'protocol'],
  CSIVolumeSource: ['driver', 'fsType'],
  EmptyDirVolumeSource: ['medium'],
  EnvFromSource: ['prefix'],
  EnvVar: ['name'],
  FileKeySelector: ['key', 'volumeName'],
  KeyToPath: ['key'],
  LabelSelectorRequirement: ['key'],
  LocalObjectReference: ['name'],
  NodeSelectorRequirement: ['key'],
  ObjectFieldSelector: ['fieldPath'],
  ObjectMeta: ['finalizers', 'name', 'namespace'],
  PersistentVolumeClaimSpec: ['storageClassName', 'volumeAttributesClassName', 'volumeName'],
  PersistentVolumeClaimVolumeSource: ['claimName'],
  PodAffinityTerm: ['matchLabelKeys', 'mismatchLabelKeys', 'namespaces', 'topologyKey'],
  ResourceFieldSelector: ['containerName', 'resource'],
  SELinuxOptions: ['level', 'role', 'type', 'user'],
  SecretEnvSource: ['name'],
  SecretKeySelector: ['key', 'name'],
  SecretProjection: ['name'],
  SecretVolumeSource: ['secretName'],
  Sysctl: ['name'],
  Toleration: ['key'],
  TopologySpreadConstraint: ['matchLabelKeys', 'topologyKey'],
  TypedLocalObjectReference: ['apiGroup', 'kind', 'name'],
  TypedObjectReference: ['apiGroup', 'kind', 'name', 'namespace'],
  Volume: ['name'],
  VolumeDevice: ['name'],
  VolumeMount: ['name'],
};

/** Command lines: reports show the names of the flags. */
const COMMAND_LINES: Readonly<Record<string, readonly string[]>> = {
  Container: ['args', 'command'],
};

/** Returns the schema with the disclosure of each field of each type in it. */
export const withDisclosure = (schema: NamedSchema): NamedSchema =>
  eachField(schema, (type, name, field) => {
    if (COMMAND_LINES[type]?.includes(name) === true) return { ...field, disclosure: 'arguments' };
    return NAMES[type]?.includes(name) === true ? shownText(field) : field;
  });

const shownText = (field: NamedSchema): Schema =>
  field.items ? { ...field, items: { ...field.items, ...SHOWN } } : { ...field, ...SHOWN };

/** Returns the fields with a disclosure that no type has, as `TYPE.FIELD`. */
export function unusedDisclosures(schemas: readonly NamedSchema[]): readonly string[] {
  const used = new Set(schemas.flatMap(fieldNames));
  return [NAMES, COMMAND_LINES]
    .flatMap((table) => Object.entries(table))
    .flatMap(([type, fields]) => fields.map((name) => `${type}.${name}`))
    .filter((name) => !used.has(name));
}
