/** Reads an archive from a ConfigMap or Secret next to the Karmada object: a live get of one object, never a list. */
import type { ConfigMap } from '../kubernetes/objects/kinds.ts';
import { secretRefusal, type SecretPolicy } from '../api/secrets/secret-grant.ts';
import { ApiError, errorText, isNotFound } from '../kubernetes/client/errors.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import { isInMemory, SourceError, type KnownArchive, type VerifiedArchive } from './outcome.ts';
import { fieldOf, spoken, type ObjectSource } from './source.ts';
import type { Slots } from '../kubernetes/fairness/slots.ts';
import { verifyArchive } from './verify.ts';

const TIMEOUT_MS = 10_000;

export interface ObjectTools {
  readonly client: Pick<KubernetesClient, 'get'>;
  readonly secretPolicy: SecretPolicy;
  /** Runs one verification after the other, because each needs much memory for a moment. */
  readonly verifications: Slots;
}

/**
 * Reads and verifies the archive of an object.
 * @param before previous archive; returned if the object has not changed
 * @throws SourceError when the object or key is missing or not readable, ArchiveError when the archive is rejected
 */
export async function readObject(
  { client, secretPolicy, verifications }: ObjectTools,
  source: ObjectSource,
  before: KnownArchive | undefined,
  signal: AbortSignal,
): Promise<VerifiedArchive> {
  const object = await get(client, source, signal);
  // The empty name matches no Karmada object, so every Secret that the operator created is rejected.
  const use = { field: fieldOf(source), user: { name: '', namespace: source.namespace } };
  const refusal = secretRefusal(object.metadata, use, secretPolicy);
  if (source.object === 'Secret' && refusal !== undefined)
    throw new SourceError(refusal.reason, refusal.message);
  const version = `${object.metadata.uid ?? ''}/${object.metadata.resourceVersion ?? ''}`;
  if (isInMemory(before) && before.version === version) return before;
  const bytes = Buffer.from(encoded(object, source), 'base64');
  const { release } = source;
  const verified = await verifications.run('', () => verifyArchive(pieces(bytes), { release }));
  return { ...verified, version };
}

async function get(
  client: Pick<KubernetesClient, 'get'>,
  source: ObjectSource,
  signal: AbortSignal,
): Promise<KubernetesObject> {
  const { object, namespace, name } = source;
  try {
    const type = object === 'ConfigMap' ? resources.ConfigMap : resources.Secret;
    return await client.get(type, { namespace, name }, { signal, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (isNotFound(error)) throw missing(source, `${object} ${namespace}/${name} not found`);
    const remedy =
      error instanceof ApiError && error.code === 403
        ? 'grant the operator the get permission for it'
        : 'the operator retries';
    throw new SourceError(
      'CrdArchiveUnreadable',
      `${fieldOf(source)}: ${spoken(source)} cannot be read: ${errorText(error)}; ${remedy}`,
    );
  }
}

/** Returns the archive in base64. */
function encoded(object: ConfigMap, source: ObjectSource): string {
  const field = source.object === 'ConfigMap' ? 'binaryData' : 'data';
  const data = object[field] ?? {};
  if (Object.hasOwn(data, source.key)) return data[source.key] ?? '';
  const text = object.data ?? {};
  const asText = source.object === 'ConfigMap' && Object.hasOwn(text, source.key);
  throw missing(
    source,
    `${spoken(source)} ${asText ? 'is in data, not in binaryData' : 'not found'}`,
  );
}

function missing(source: ObjectSource, cause: string): SourceError {
  const command = source.object === 'ConfigMap' ? 'configmap' : 'secret generic';
  return new SourceError(
    'CrdArchiveMissing',
    `${fieldOf(source)}: ${cause}; create it with kubectl -n ${source.namespace} create ${command} ${source.name} --from-file=${source.key}=crds.tar.gz`,
  );
}

const PIECE = 64 * 1024;

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}
