/** Executes the steps of a rotation that write no certificates. */
import { FIELD_MANAGER } from '../../api/karmada.ts';
import type { ActionOf } from '../../actions/action.ts';
import type { Done } from '../../actions/execution-result.ts';
import { NOTES_FIELD_MANAGER } from '../../etcd-cluster/identity/record.ts';
import type { Log } from '../../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isWritten } from '../../kubernetes/client/conditional-write.ts';
import { isNotFound, isStatus } from '../../kubernetes/client/errors.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { TOKEN_ACCOUNT } from './ask-api-server.ts';
import { deleteRequests } from './execute-request.ts';
import { ROTATION_ANNOTATION } from './record.ts';

interface RecordTools {
  readonly host: { readonly client: Pick<KubernetesClient, 'patch'> };
  readonly log: Log;
}

type EditedControlPlane = { readonly client: Pick<KubernetesClient, 'patch'> } | undefined;
type ControlPlane = { readonly client: Pick<KubernetesClient, 'create' | 'delete'> } | undefined;

/**
 * Writes the record to the version of the Secret that was read.
 * @returns no write if the Secret has changed since, which triggers the next reconcile
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function recordRotation(
  { host, log }: RecordTools,
  controlPlane: ControlPlane,
  { backup, value, message, isLast, endedRequests }: ActionOf<'recordRotation'>,
): Promise<Done> {
  const { name, namespace = '', uid, resourceVersion } = backup.metadata;
  if (isLast) await deleteTokenAccount(controlPlane);
  const metadata = { uid, resourceVersion, annotations: { [ROTATION_ANNOTATION]: value } };
  const options = { fieldManager: NOTES_FIELD_MANAGER };
  const write = host.client.patch(resources.Secret, { namespace, name }, { metadata }, options);
  if (!(await isWritten(write))) return {};
  log.info({ secret: `${namespace}/${name}` }, message);
  // Afterwards, because the phase would need another one. What a crash leaves ends with the next phase, or after an hour.
  await deleteRequests(controlPlane, endedRequests);
  return { writes: 1 };
}

/** Creates the ServiceAccount for whose tokens the API servers are asked. */
export async function createTokenAccount(controlPlane: ControlPlane): Promise<Done> {
  if (controlPlane === undefined) return {};
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: TOKEN_ACCOUNT };
  try {
    await controlPlane.client.create(account, { fieldManager: FIELD_MANAGER });
  } catch (error) {
    if (isStatus(error, 409)) return {};
    throw error;
  }
  return { writes: 1 };
}

/** Writes the ConfigMap to the version that was read. @returns no write if it has changed since */
export async function editSharedTrust(
  { log }: Pick<RecordTools, 'log'>,
  controlPlane: EditedControlPlane,
  { configMap, data, message }: ActionOf<'editSharedTrust'>,
): Promise<Done> {
  if (controlPlane === undefined) return {};
  const { name, namespace = '', uid, resourceVersion } = configMap.metadata;
  const patch = { metadata: { uid, resourceVersion }, data };
  const options = { fieldManager: FIELD_MANAGER };
  const { client } = controlPlane;
  const write = client.patch(resources.ConfigMap, { namespace, name }, patch, options);
  if (!(await isWritten(write))) return {};
  log.info({ configMap: `${namespace}/${name}` }, message);
  return { writes: 1 };
}

async function deleteTokenAccount(controlPlane: ControlPlane): Promise<void> {
  await controlPlane?.client
    .delete(resources.ServiceAccount, TOKEN_ACCOUNT)
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}
