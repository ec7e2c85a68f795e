/** Renders all objects of a control plane offline, for reviews and to compare two specs. */
import { dump } from 'js-yaml';
import { archiveSource, spoken, type ArchiveSource } from '../crd-archives/source.ts';
import type { Expectation } from '../crd-archives/verify.ts';
import { defaultSpec, type DefaultedSpec } from '../api/defaults.ts';
import { etcdClientSecret } from '../api/external-etcd.ts';
import { formatErrors } from '../api/field-error.ts';
import { API_VERSION, KIND, type Karmada } from '../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../api/naming.ts';
import { validate } from '../api/validation.ts';
import { mismatchedTags } from '../api/validation-version.ts';
import type { Templates } from '../components/render.ts';
import type { CrdArchive } from '../controlplane/crds.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { secretRoles } from '../pki/secrets-read.ts';
import { renderDesiredObjects } from '../reconcile/desired-objects.ts';
import { instanceLabels } from '../api/labels.ts';
import { pkiInputs } from '../reconcile/certificates/pki-inputs.ts';
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

/**
 * Parses and validates the only Karmada in a YAML file.
 * @throws Error with a message for the user
 */
export function parseKarmada(text: string, file: string): Karmada {
  const karmada = readKarmada(text, file);
  const errors = [...validate(karmada), ...mismatchedTags(karmada.spec ?? {})];
  if (errors.length > 0) throw new Error(formatErrors(errors));
  return karmada;
}

/**
 * Parses the only Karmada in a YAML file, whose spec may be invalid.
 * @throws Error with a message for the user
 */
export function readKarmada(text: string, file: string): Karmada {
  const documents = readYaml(text, file) as readonly (Partial<Karmada> | null)[];
  const found = documents.filter((item) => item?.apiVersion === API_VERSION && item.kind === KIND);
  const [karmada] = found;
  if (!karmada || found.length > 1)
    throw new Error(`the file must contain exactly one object of ${API_VERSION} and kind ${KIND}`);
  if (typeof karmada.metadata?.name !== 'string')
    throw new Error('metadata.name of the Karmada is required');
  const metadata = { namespace: 'default', ...karmada.metadata };
  return { ...karmada, metadata } as Karmada;
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
    certificates: { caBundle, restartHashes: {}, externalServer },
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
