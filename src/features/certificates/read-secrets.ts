/** Reads the Secrets of a control plane that contain its certificates, with few requests. */
import { COMPONENT, INSTANCE, MANAGED_BY, MANAGER } from '../../api/labels.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isStatus } from '../../kubernetes/client/errors.ts';
import { isTooLarge } from '../../kubernetes/client/limits.ts';
import type { Secret } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { secretRoles } from '../../pki/secrets-read.ts';
import type { PkiInputs } from '../../pki/types.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { findOwnSecrets, type RecognizeSecrets } from '../../instance/own-objects.ts';
import { presentSecrets, type PresentSecrets } from '../../instance/present-secrets.ts';
import { foundSecrets, type FoundSecrets } from './write-secrets.ts';

/** Number of Secrets in one page: a control plane has fewer, unless a user has added some with its labels. */
const PAGE = 32;
/** Length of the list up to which it is read. */
const MAX_BYTES = 4 * 1_024 * 1_024;
/** A list needs fewer requests than single reads of so many Secrets. */
const MIN_LISTED = 3;

type Client = Pick<KubernetesClient, 'find' | 'list'>;

/**
 * Reads the Secrets live: those that have their labels with one request, and all others by name. Before the installation, one
 * request finds out which ones exist.
 * @param host of the snapshot; only the number of cached Secrets counts
 * @param present result of that request, if this reconcile has sent it already
 * @throws ForeignObjectError for a Secret that the operator neither created nor adopted; ApiError, NetworkError
 */
export async function readSecrets(
  { client }: { readonly client: Client },
  inputs: PkiInputs,
  { host, present }: Pick<Snapshot, 'host'> & { readonly present?: PresentSecrets },
  recognize?: RecognizeSecrets,
): Promise<FoundSecrets> {
  const roles = secretRoles(inputs).map((role) => [role, instanceName(inputs.name, role)] as const);
  const names = roles.map(([, called]) => called);
  const cached = host.objects.filter(
    ({ kind, metadata }) => kind === 'Secret' && names.includes(metadata.name),
  );
  const listNames = (): Promise<ReadonlySet<string>> =>
    presentSecrets(client, inputs.namespace, withBackup(inputs, names));
  const read =
    cached.length < MIN_LISTED
      ? { present: await (present ?? listNames)() }
      : { known: await listSecrets(client, inputs, names) };
  const found = await findOwnSecrets(client, inputs, names, { recognize, ...read });
  return foundSecrets(roles, found, inputs.name);
}

/** The CA backup Secret shows whether the control plane is installed, also if it is none of these. */
const withBackup = ({ name }: PkiInputs, names: readonly string[]): readonly string[] => [
  instanceName(name, SECRET_SUFFIX.caBackup),
  ...names,
];

/** @returns the Secrets by name; none if the user may not list them, or if the list is too long */
async function listSecrets(
  client: Client,
  { name, namespace }: PkiInputs,
  names: readonly string[],
): Promise<ReadonlyMap<string, KubernetesObject>> {
  const wanted = new Set(names);
  const reduce = (secret: Secret): KubernetesObject | undefined =>
    wanted.has(secret.metadata.name) ? secret : undefined;
  try {
    const { items } = await client.list(resources.Secret, {
      namespace,
      labelSelector: `${MANAGED_BY}=${MANAGER},${INSTANCE}=${name},${COMPONENT}=karmada`,
      pageSize: PAGE,
      maxBytes: MAX_BYTES,
      transform: () => ({ reduce }),
    });
    return new Map(items.map((secret) => [secret.metadata.name, secret]));
  } catch (error) {
    if (isStatus(error, 403) || isTooLarge(error)) return new Map();
    throw error;
  }
}
