/** Karmada's own CRDs, from the archive that a Karmada release has (`crds.tar.gz`). */
import { load } from 'js-yaml';

import { instanceName } from '../api/naming.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { ArchiveEntry } from './archive.ts';
import { caBundleField, ownLabels, type ControlPlaneInput } from './input.ts';

/** What an archive holds. With `problems` it must not be applied, not even in part. */
export interface CrdArchive {
  /** In the order of their paths. */
  readonly crds: readonly Crd[];
  /** One sentence each: the file, what is wrong with it. */
  readonly problems: readonly string[];
}

export interface Crd {
  /** Without status and conversion. */
  readonly definition: KubernetesObject;
  /** `spec.conversion` from the archive's patch, placeholders in place. */
  readonly conversion?: JsonObject;
}

type JsonObject = Readonly<Record<string, unknown>>;

const BASE = /^crds\/bases\/.+\.ya?ml$/;
const PATCH = /^crds\/patches\/.+\.ya?ml$/;

/** Where a patch says the conversion webhook is: at this instance's own webhook server. */
const WEBHOOK_URL = /^https:\/\/\{\{name\}\}\.\{\{namespace\}\}\.svc(:443)?\/[a-z/-]*$/;

/** Groups that are served by aggregated servers: a CRD of theirs would take their place. */
const AGGREGATED_GROUPS = ['cluster.karmada.io', 'search.karmada.io'];

/**
 * Reads the files of an archive. Only CustomResourceDefinitions of Karmada's groups (and of
 * `multicluster.x-k8s.io`) are taken, so that an archive cannot bring anything else into a control
 * plane. Files outside `crds/bases` and `crds/patches` are left alone.
 */
export function parseCrdArchive(entries: readonly ArchiveEntry[]): CrdArchive {
  const files = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  const bases = files.filter(({ path }) => BASE.test(path)).map(readBase);
  const patches = files.filter(({ path }) => PATCH.test(path)).map(readPatch);
  const names = bases.flatMap(({ value }) => value?.metadata.name ?? []);
  const problems = [
    ...[...bases, ...patches].flatMap(({ problem }) => problem ?? []),
    ...duplicates(names).map((name) => `${name} is defined by more than one file of the archive`),
    ...patches
      .filter(({ value }) => value && !names.includes(value.name))
      .map(
        ({ path, value }) => `${path} patches ${value?.name}, which the archive does not define`,
      ),
    ...(bases.length === 0 ? ['The archive holds no file below crds/bases'] : []),
  ];
  const conversions = new Map(
    patches.flatMap(({ value }) => (value ? [[value.name, value.conversion] as const] : [])),
  );
  const crds = bases.flatMap(({ value }) =>
    value ? [withConversion(value, conversions.get(value.metadata.name))] : [],
  );
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

interface Read<T> {
  readonly path: string;
  readonly value?: T;
  readonly problem?: string;
}

function readBase({ path, text }: ArchiveEntry): Read<KubernetesObject> {
  const document = parse(text);
  const crd = asCrd(document);
  if (!crd) return { path, problem: notACrd(path) };
  const { group, names } = crd.spec;
  if (!isKarmadaGroup(group)) {
    return {
      path,
      problem: `${path} defines a kind of the group ${group}, which is not Karmada's`,
    };
  }
  if (crd.metadata.name !== `${names?.plural}.${group}`) {
    return { path, problem: `${path} has a name that does not fit its group and plural` };
  }
  const { name, labels, annotations } = crd.metadata;
  const spec = Object.fromEntries(
    Object.entries(crd.spec).filter(([field]) => field !== 'conversion'),
  );
  const metadata = { name, ...(labels && { labels }), ...(annotations && { annotations }) };
  return { path, value: { apiVersion: crd.apiVersion, kind: crd.kind, metadata, spec } };
}

interface Patch {
  readonly name: string;
  readonly conversion: JsonObject;
}

function readPatch({ path, text }: ArchiveEntry): Read<Patch> {
  const crd = asCrd(parse(text));
  if (!crd) return { path, problem: notACrd(path) };
  const { conversion, ...rest } = crd.spec;
  if (!isObject(conversion) || Object.keys(rest).length > 0) {
    return { path, problem: `${path} patches something other than spec.conversion` };
  }
  const url = at(conversion, ['webhook', 'clientConfig', 'url']);
  if (conversion['strategy'] === 'Webhook' && !(typeof url === 'string' && WEBHOOK_URL.test(url))) {
    return { path, problem: `${path} sends conversions elsewhere than to karmada-webhook` };
  }
  return { path, value: { name: crd.metadata.name, conversion } };
}

function notACrd(path: string): string {
  return `${path} is not one CustomResourceDefinition of apiextensions.k8s.io/v1`;
}

interface CrdDocument extends KubernetesObject {
  readonly spec: JsonObject & { readonly group?: string; readonly names?: { plural?: string } };
}

function asCrd(document: unknown): CrdDocument | undefined {
  if (!isObject(document)) return undefined;
  const isCrd =
    document['apiVersion'] === 'apiextensions.k8s.io/v1' &&
    document['kind'] === 'CustomResourceDefinition' &&
    typeof at(document, ['metadata', 'name']) === 'string' &&
    isObject(document['spec']);
  return isCrd ? (document as unknown as CrdDocument) : undefined;
}

function parse(text: string): unknown {
  try {
    // Without aliases, a small file cannot be a tree without end.
    return load(text, { maxAliases: 0 });
  } catch {
    return undefined;
  }
}

function isKarmadaGroup(group: string | undefined): boolean {
  if (group === undefined || AGGREGATED_GROUPS.includes(group)) return false;
  return group === 'multicluster.x-k8s.io' || group.endsWith('.karmada.io');
}

function withConversion(definition: KubernetesObject, conversion: JsonObject | undefined): Crd {
  return { definition, ...(conversion && { conversion }) };
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

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), value);
}
