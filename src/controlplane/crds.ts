/** Karmada's own CRDs, from the archive that a Karmada release has (`crds.tar.gz`). */
import { quoted } from '../api/field-error.ts';
import { instanceName } from '../api/naming.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { isObject, type CrdFile, type JsonObject } from './crd-files.ts';
import { caBundleField, ownLabels, type ControlPlaneInput } from './input.ts';

/** What an archive holds. With `problems` it must not be applied, not even in part. */
export interface CrdArchive {
  /** In the order of their paths. */
  readonly crds: readonly Crd[];
  /** One clause each: the file, what is wrong with it. */
  readonly problems: readonly string[];
}

interface Crd {
  /** Without status and conversion. */
  readonly definition: KubernetesObject;
  /** `spec.conversion` from the archive's patch, placeholders in place. */
  readonly conversion?: JsonObject;
}

/**
 * Puts the files of an archive together. Only CustomResourceDefinitions of Karmada's groups are taken, and any
 * other file is a problem, so that an archive cannot bring anything else into a control plane.
 */
export function toCrdArchive(read: readonly CrdFile[]): CrdArchive {
  const files = [...read].sort((a, b) => (a.path < b.path ? -1 : 1));
  const definitions = files.flatMap((file) =>
    file.kind === 'definition' ? [file.definition] : [],
  );
  const patches = files.flatMap((file) => (file.kind === 'patch' ? [file] : []));
  const names = definitions.map(({ metadata }) => metadata.name);
  const problems = [
    ...files.flatMap((file) => (file.kind === 'refused' ? [file.problem] : [])),
    ...duplicates(names).map((name) => `${name} is defined by more than one file`),
    ...duplicates(patches.map(({ patch }) => patch.name)).map(
      (name) => `${quoted(name)} is patched by more than one file`,
    ),
    ...patches
      .filter(({ patch }) => !names.includes(patch.name))
      .map(({ path, patch }) => `${path} patches ${quoted(patch.name)}, which no file defines`),
    ...(files.some(({ path }) => path.startsWith('crds/bases/'))
      ? []
      : ['there is no file below crds/bases']),
  ];
  const conversions = new Map(patches.map(({ patch }) => [patch.name, patch.conversion]));
  const crds = definitions.map((definition): Crd => {
    const conversion = conversions.get(definition.metadata.name);
    return { definition, ...(conversion && { conversion }) };
  });
  return { crds, problems };
}

/**
 * The CRDs as they are applied: definition and conversion in one object, so that there is never a
 * moment in which a CRD is there without its conversion, and never a second owner of it.
 */
export function crds(input: ControlPlaneInput, archive: CrdArchive): readonly KubernetesObject[] {
  const values = new Map([
    ['{{name}}', instanceName(input.name, 'webhook')],
    ['{{namespace}}', input.namespace],
    ['{{caBundle}}', caBundleField(input)],
  ]);
  return archive.crds.map(({ definition, conversion }) => ({
    ...definition,
    metadata: {
      ...definition.metadata,
      labels: { ...definition.metadata.labels, ...ownLabels(input, 'karmada') },
    },
    spec: {
      ...(definition['spec'] as JsonObject),
      ...(conversion && { conversion: substitute(conversion, values) }),
    },
  }));
}

function duplicates(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

/** Replaces placeholders in the strings of a parsed tree, never in its text. */
function substitute(value: unknown, values: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    return value.replace(/\{\{\w+\}\}/g, (placeholder) => values.get(placeholder) ?? placeholder);
  }
  if (Array.isArray(value)) return value.map((item) => substitute(item, values));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, substitute(child, values)]),
  );
}
