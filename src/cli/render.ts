/** Renders all objects of a control plane offline, for reviews and to compare two specs. */
import { dump } from 'js-yaml';
import { archiveSource, spoken, type ArchiveSource } from '../crd-archives/source.ts';
import type { Expectation } from '../crd-archives/verify.ts';
import { defaultSpec, type DefaultedSpec } from '../api/defaults/defaults.ts';
import { etcdClientSecret } from '../api/external-etcd.ts';
import { quoted } from '../api/validation/field-error.ts';
import { API_VERSION, KIND, type Karmada } from '../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../api/naming.ts';
import { validate } from '../api/validation/validation.ts';
import { mismatchedTags } from '../api/validation/version.ts';
import type { Templates } from '../components/render.ts';
import type { CrdArchive } from '../controlplane/crds.ts';
import { isObject } from '../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { secretRoles } from '../pki/secrets-read.ts';
import { hostReference } from '../host-clusters/host-reference.ts';
import { DEFAULT_NAMESPACE } from '../permissions/one-operator-lease.ts';
import { renderDesiredObjects } from '../instance/desired-objects.ts';
import { instanceLabels } from '../api/labels.ts';
import { pkiInputs } from '../features/certificates/pki-inputs.ts';
import { checkFields } from './fields/check-fields.ts';
import type { FieldSchema } from './fields/field-schema.ts';
import { CommandError, InvalidFields } from './program/environment.ts';
import { readYaml } from './read-yaml.ts';

/** Placeholder for data that is generated at installation, such as certificates. */
const PLACEHOLDER = 'generated at installation';

export interface RenderFacts {
  readonly templates: Templates;
  /** CRDs of the Karmada release. */
  readonly archive: CrdArchive;
  /** Whether the host cluster has a default StorageClass; the default etcd volume depends on it. */
  readonly defaultStorageClass: boolean;
}

/** Namespace of a Karmada in a file. */
export interface Placement {
  /** Namespace of `-n`. A file with another namespace is an error. */
  readonly required?: string | undefined;
  /** Namespace if neither the file nor `-n` has one. */
  readonly fallback: string;
}

/**
 * Parses and validates the only Karmada in a YAML file.
 * @param schema fields of a Karmada; absent if the API server checks them
 * @throws Error with a message for the user
 */
export const parseKarmada = (
  text: string,
  file: string,
  { placement = { fallback: 'default' }, schema }: ParseOptions = {},
): Karmada => validKarmada(placedKarmada(readKarmadaFile(text, file, schema), file, placement));

interface ParseOptions {
  readonly placement?: Placement;
  readonly schema?: FieldSchema;
}

/**
 * Reads the only Karmada in a YAML file. Its spec may be invalid.
 * @throws Error with a message for the user; InvalidFields for fields that are not in the schema
 */
export function readKarmadaFile(text: string, file: string, schema?: FieldSchema): Karmada {
  const documents = readYaml(text, file).filter(isObject);
  const found: readonly Partial<Karmada>[] = documents.filter(
    ({ apiVersion, kind }) => apiVersion === API_VERSION && kind === KIND,
  );
  const [karmada] = found;
  if (!karmada || found.length > 1)
    throw new CommandError(
      `${file}: must contain exactly one object of ${API_VERSION} and kind ${KIND}; it has ${contentText(documents, found.length)}`,
    );
  if (typeof karmada.metadata?.name !== 'string')
    throw new CommandError(`${file}: metadata.name of the Karmada is required`);
  const errors = schema === undefined ? [] : checkFields(karmada, schema);
  if (errors.length > 0) throw new InvalidFields(errors);
  return karmada as Karmada;
}

const LISTED_OBJECTS = 3;

/** What a file has instead of one Karmada: a misspelled kind or version is visible. */
function contentText(documents: readonly Partial<Karmada>[], karmadas: number): string {
  if (karmadas > 0) return `${karmadas} of them`;
  const names = documents
    .slice(0, LISTED_OBJECTS)
    .map(
      ({ apiVersion, kind }) => `${textOf(kind, 'kind')} of ${textOf(apiVersion, 'apiVersion')}`,
    );
  const more = documents.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ') || 'no object';
}

const textOf = (value: unknown, field: string): string =>
  typeof value === 'string' ? value : `no ${field}`;

/**
 * Returns the Karmada with its namespace.
 * @param file file name for messages
 * @throws CommandError if the file has another namespace than the required one
 */
export function placedKarmada(
  karmada: Karmada,
  file: string,
  { required, fallback }: Placement,
): Karmada {
  const { namespace = required ?? fallback } = karmada.metadata;
  if (required !== undefined && namespace !== required)
    throw new CommandError(
      `${file}: metadata.namespace is ${quoted(namespace)}, but --namespace is ${quoted(required)}; omit --namespace, or change the file`,
    );
  return { ...karmada, metadata: { ...karmada.metadata, namespace } };
}

/** Returns the Karmada after its validation. @throws InvalidFields */
export function validKarmada(karmada: Karmada): Karmada {
  const errors = [...validate(karmada), ...mismatchedTags(karmada.spec ?? {})];
  if (errors.length > 0) throw new InvalidFields(errors);
  return karmada;
}

/** CRD archive that a Karmada needs. */
export interface NeededArchive {
  /** Undefined if the spec has no source and no known release. */
  readonly source: ArchiveSource | undefined;
  readonly expectation: Expectation;
}

/** Returns the CRD archive source of a Karmada, and the checks for the archive. */
export function archiveFor(
  karmada: Karmada,
  facts: Pick<RenderFacts, 'defaultStorageClass'>,
): NeededArchive {
  const { namespace = 'default' } = karmada.metadata;
  const source = archiveSource(namespace, defaultSpec(karmada.spec, facts));
  const sha256 = source?.kind === 'http' ? source.sha256 : undefined;
  return { source, expectation: { release: source?.release, ...(sha256 && { sha256 }) } };
}

/**
 * Returns the Karmada release whose archive is needed. This command downloads nothing.
 * @throws Error that requests --crds if the Karmada references another archive
 */
export function localRelease({ source }: NeededArchive): string {
  if (source?.kind === 'release') return source.release ?? '';
  const cause =
    source === undefined
      ? 'the image tag of karmadaControllerManager contains no Karmada release'
      : `spec.crdTarball references ${spoken(source)}, which this command does not download`;
  throw new Error(`${cause}; provide the archive with --crds FILE`);
}

/**
 * Renders all objects as YAML documents: first the objects of the host cluster, then those in the control plane.
 * Secrets contain placeholders. The output is deterministic.
 */
export function renderOffline(karmada: Karmada, facts: RenderFacts): string {
  const { name, namespace = 'default' } = karmada.metadata;
  const spec = defaultSpec(karmada.spec, facts);
  const caBundle = `${PLACEHOLDER}\n`;
  const known = pkiInputs({ karmada, spec }, undefined, []).externalServer;
  const externalServer = known === 'unknown' ? PLACEHOLDER : known;
  const { objects } = renderDesiredObjects(facts.templates, {
    name,
    namespace,
    spec,
    archive: facts.archive,
    certificates: { caBundle, restartHashes: {}, formerRestartHashes: {}, externalServer },
    ...(hostReference(karmada) === undefined && { operatorNamespace: DEFAULT_NAMESPACE }),
  });
  const host = objects.filter(({ cluster }) => cluster === 'host').map(({ object }) => object);
  const inside = objects.filter(({ cluster }) => cluster !== 'host').map(({ object }) => object);
  return [
    ...documents('the host cluster', [...secrets(karmada, spec), ...host]),
    ...documents('the control plane', inside),
  ].join('---\n');
}

function documents(cluster: string, objects: readonly KubernetesObject[]): readonly string[] {
  return objects.map(
    (object) => `# In ${cluster}.\n${dump(object, { lineWidth: -1, noRefs: true })}`,
  );
}

function secrets(karmada: Karmada, spec: DefaultedSpec): readonly KubernetesObject[] {
  const { name, namespace = 'default' } = karmada.metadata;
  const labels = instanceLabels(name, 'karmada');
  const inputs = pkiInputs({ karmada, spec }, undefined, []);
  const { external } = spec.components.etcd;
  const copied = external && etcdClientSecret({ name, namespace }, external).copied;
  const roles = [...secretRoles(inputs), ...(copied ? [SECRET_SUFFIX.etcdClient] : [])];
  return roles.map((role) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: instanceName(name, role), namespace, labels },
    type: 'Opaque',
    stringData: { certificates: PLACEHOLDER },
  }));
}
