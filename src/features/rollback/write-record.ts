/** Executors and reads of the record of the last ready spec. */
import { FIELD_MANAGER, type Karmada, type KarmadaSpec } from '../../api/karmada.ts';
import { secretOf } from '../../api/labels.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isWritten } from '../../kubernetes/client/conditional-write.ts';
import type { Secret } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { RecordFailedChange, RecordReadySpec } from '../../actions/action.ts';
import type { Done } from '../../actions/execution-result.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { specHash } from '../../conditions/generic-clients.ts';
import {
  FAILED_CHANGE_ANNOTATION,
  recordName,
  SPEC_HASH_ANNOTATION,
  SPEC_KEY,
  specText,
  type ReadyRecord,
} from '../../instance/ready-record.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';

/**
 * Writes the spec of a ready control plane, and drops the failed change: to the version of the Secret that the decision
 * is based on.
 * @returns no write if the Secret has changed since, which triggers the next reconcile
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function recordReadySpec(
  client: Pick<KubernetesClient, 'create' | 'patch'>,
  { karmada, cached }: RecordReadySpec,
): Promise<Done> {
  const data = { [SPEC_KEY]: Buffer.from(specText(karmada)).toString('base64') };
  const annotations = { [SPEC_HASH_ANNOTATION]: specHash(karmada) };
  if (cached !== undefined)
    return patched(client, cached, {
      annotations: { ...annotations, [FAILED_CHANGE_ANNOTATION]: null },
      data,
    });
  const secret = secretOf(karmada.metadata, recordName(karmada), data);
  const created = { ...secret, metadata: { ...secret.metadata, annotations } };
  return attempt(client.create(created, { fieldManager: FIELD_MANAGER }));
}

/**
 * Records that a change failed. From then on the operator applies the last ready spec.
 * @returns no write if the Secret has changed since, which triggers the next reconcile
 * @throws ApiError, NetworkError if a retry may succeed
 */
export const recordFailedChange = (
  client: Pick<KubernetesClient, 'patch'>,
  { cached, failed }: RecordFailedChange,
): Promise<Done> =>
  patched(client, cached, { annotations: { [FAILED_CHANGE_ANNOTATION]: JSON.stringify(failed) } });

function patched(
  client: Pick<KubernetesClient, 'patch'>,
  { metadata }: KubernetesObject,
  { annotations, ...others }: { readonly annotations: object; readonly data?: object },
): Promise<Done> {
  const { name, namespace = '', uid, resourceVersion } = metadata;
  const patch = { metadata: { uid, resourceVersion, annotations }, ...others };
  const options = { fieldManager: FIELD_MANAGER };
  return attempt(client.patch(resources.Secret, { namespace, name }, patch, options));
}

const attempt = async (request: Promise<unknown>): Promise<Done> =>
  (await isWritten(request)) ? { writes: 1 } : {};

/**
 * Reads the last ready spec, once per spec: the cache contains only hashes of Secrets.
 * @returns undefined if the Secret does not contain the spec of the record
 * @throws ApiError, NetworkError
 */
export async function readReadySpec(
  client: Pick<KubernetesClient, 'find'>,
  instance: Pick<InstanceCache, 'readySpec'>,
  { secret, specHash: hash }: ReadyRecord,
): Promise<KarmadaSpec | undefined> {
  if (instance.readySpec?.hash === hash) return instance.readySpec.spec;
  const { name, namespace = '', uid } = secret.metadata;
  const live = await client.find(resources.Secret, { namespace, name });
  // The cache has only objects of this control plane.
  if (live?.metadata.uid !== uid) return undefined;
  const spec = specIn(live);
  if (spec === undefined || specHash({ spec }) !== hash) return undefined;
  instance.readySpec = { hash, spec };
  return spec;
}

function specIn(secret: Secret | undefined): Karmada['spec'] {
  const data = secret?.data ?? {};
  try {
    const text = Buffer.from(data[SPEC_KEY] ?? '', 'base64').toString('utf8');
    return parseJsonWithin(text, { size: UNTRUSTED.storedObject }) as KarmadaSpec;
  } catch {
    return undefined;
  }
}
