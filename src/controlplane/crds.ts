/** Renders the Karmada CRDs from the archive of a Karmada release (`crds.tar.gz`). */
import type { CustomResourceDefinition } from '../kubernetes/objects/kinds.ts';
import { quoted } from '../api/validation/field-error.ts';
import { instanceName } from '../api/naming.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { isObject } from '../kubernetes/objects/compare.ts';
import type { CrdFile, JsonObject } from './crd-files.ts';
import { caBundleField, ownLabels, type ControlPlaneInput } from './input.ts';

/** Content of an archive. The operator applies nothing of an archive with `problems`. */
export interface CrdArchive {
  /** CRDs in path order. */
  readonly crds: readonly Crd[];
  /** One clause per problem: file and error. */
  readonly problems: readonly string[];
}

interface Crd {
  /** CRD without status and conversion. */
  readonly definition: CustomResourceDefinition;
  /** `spec.conversion` from the patch in the archive, with placeholders. */
  readonly conversion?: JsonObject;
}

/**
 * Combines the files of an archive. It accepts only CustomResourceDefinitions of the Karmada API groups.
 * Any other file is a problem, so an archive cannot add other objects to a control plane.
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
      : ['crds/bases contains no files']),
  ];
  const conversions = new Map(patches.map(({ patch }) => [patch.name, patch.conversion]));
  const crds = definitions.map((definition): Crd => {
    const conversion = conversions.get(definition.metadata.name);
    return { definition, ...(conversion && { conversion }) };
  });
  return { crds, problems };
}

/**
 * Renders the CRDs with definition and conversion in one object. Therefore a CRD never exists without
 * its conversion, and `spec.conversion` has one field owner.
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
      ...definition.spec,
      ...(conversion && { conversion: substitute(conversion, values) }),
    },
  }));
}

function duplicates(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

/** Replaces placeholders in the strings of a parsed tree, never in the YAML text. */
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
