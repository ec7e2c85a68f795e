/** Creates and revokes the access of an estimator to one member cluster. */
import type { Applier } from '../kubernetes/apply/apply.ts';
import type { Log } from '../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { isWritten } from '../kubernetes/client/conditional-write.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import { optionalField } from '../kubernetes/objects/records.ts';
import type { Secret } from '../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { hashSecretValues } from '../kubernetes/objects/cache-transform.ts';
import { keyOf, resources } from '../kubernetes/objects/resources.ts';
import {
  accessSecret,
  hasLeastPrivilegeToken,
  readAccess,
  type AccessOwner,
} from './estimator-kubeconfig.ts';
import { MemberFailure } from './failure.ts';
import { grant, revoke, type Credentials, type GrantTools } from './member-api.ts';
import { sizeText, UNTRUSTED } from '../untrusted/limits.ts';
import { pemFault } from '../untrusted/pem.ts';
import type { MemberCluster } from './member-cluster.ts';
import type { ControlPlaneRef } from './estimator-rbac.ts';

/** Control plane to which a member cluster belongs. */
export type InstanceOwner = AccessOwner & ControlPlaneRef;

export interface TaskTools extends GrantTools {
  readonly log: Log;
  readonly host: { readonly client: KubernetesClient; readonly applier: Applier };
}

export interface GrantRequest {
  readonly owner: InstanceOwner;
  /** Client of the control plane, which contains the credentials of the member cluster. */
  readonly controlPlane: KubernetesClient;
  readonly member: MemberCluster;
}

/** Applied Secret, and a note if the access is not restricted to least privilege. */
export interface GrantResult {
  readonly secret: Secret;
  readonly note?: string;
}

/**
 * Creates or updates the Secret with which an estimator connects to a member cluster.
 * @throws MemberFailure when credentials are missing or the Secret cannot be written; rethrows errors of `grant`
 */
export async function ensureMemberAccess(
  tools: TaskTools,
  request: GrantRequest,
): Promise<GrantResult> {
  const { owner, member, controlPlane } = request;
  const credentials = await readCredentials(tools, controlPlane, member);
  const { access, note } = await grant(tools, owner, member, credentials);
  const secret = accessSecret(owner, member.name, access);
  await named('in the host cluster', writeSecret(tools, secret));
  return { secret, ...(note !== undefined && { note }) };
}

async function writeSecret(tools: TaskTools, secret: Secret): Promise<void> {
  tools.signal.throwIfAborted();
  const labels = Object.entries(secret.metadata.labels ?? {});
  const result = await tools.host.applier.apply({
    desired: secret,
    owns: ({ metadata }) => labels.every(([label, value]) => metadata.labels?.[label] === value),
    reduce: hashSecretValues,
  });
  if ('message' in result) throw new MemberFailure('SecretNotWritten', result.message);
}

async function readCredentials(
  { signal }: TaskTools,
  controlPlane: KubernetesClient,
  member: MemberCluster,
): Promise<Credentials> {
  const key = member.secret ?? { namespace: '', name: '' };
  const read = controlPlane.find(resources.Secret, key, { signal });
  const secret = await named('in the control plane', read);
  const data = secret?.data ?? {};
  const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString('utf8');
  const [token, ca] = [text('token'), text('caBundle')];
  const excess = excessIn(token, ca);
  if (excess !== undefined)
    throw new MemberFailure(
      'CredentialsInvalid',
      `Secret ${key.namespace}/${key.name} of the control plane: ${excess}`,
    );
  const lacks = [
    ...(token === '' ? ['token'] : []),
    ...(ca === '' && !member.insecure ? ['caBundle'] : []),
  ];
  if (lacks.length > 0)
    throw new MemberFailure(
      'CredentialsMissing',
      `Secret ${key.namespace}/${key.name} of the control plane: ${lacks.join(' and ')} missing`,
    );
  return { token, ...(ca !== '' && { ca }) };
}

/** The operator opens a connection with them, and an estimator gets them. */
function excessIn(token: string, ca: string): string | undefined {
  if (token.length > UNTRUSTED.token) return `token has more than ${sizeText(UNTRUSTED.token)}`;
  const excess = pemFault(ca);
  return excess && `caBundle ${excess}`;
}

/** Marks an error with its cluster, so that it is not reported as an error of the member cluster. */
async function named<T>(where: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof MemberFailure) throw error;
    throw new MemberFailure('Error', `${where}: ${errorText(error)}`);
  }
}

/**
 * Deletes the ServiceAccount of the estimator in a member cluster, then the Secret on the host cluster.
 * @param letGo if true, an error of the member cluster is logged and does not keep the Secret
 * @throws errors of `revoke` unless `letGo` is true
 */
export async function removeMemberAccess(
  tools: TaskTools,
  owner: InstanceOwner,
  secret: Secret,
  letGo: boolean,
): Promise<void> {
  const { client, applier } = tools.host;
  const { signal } = tools;
  const live = await named(
    'in the host cluster',
    client.find(resources.Secret, keyOf(secret), { signal }),
  );
  if (live === undefined || live.metadata.uid !== secret.metadata.uid) return;
  await revokeAccount(tools, owner, live, letGo);
  signal.throwIfAborted();
  await named('in the host cluster', deleteThis(client, live));
  applier.forget(live);
}

/**
 * Deletes the ServiceAccount of the estimator in the member cluster.
 * @param secret live Secret with the credentials for the member cluster
 * @throws errors of `revoke` unless `letGo` is true
 */
export async function revokeAccount(
  tools: Pick<TaskTools, 'clock' | 'signal' | 'connect' | 'log'>,
  owner: ControlPlaneRef,
  secret: Secret,
  letGo: boolean,
): Promise<void> {
  const access = hasLeastPrivilegeToken(secret) ? readAccess(secret) : undefined;
  if (access === undefined) return;
  try {
    await revoke(tools, owner, access);
  } catch (error) {
    if (!letGo || tools.signal.aborted) throw error;
    tools.log.warn(
      { secret: secret.metadata.name, error: errorText(error) },
      'removed member cluster is unreachable, estimator ServiceAccount remains there',
    );
  }
}

/** Deletes the object with a UID precondition, because another object may have its name by now. */
async function deleteThis(client: KubernetesClient, object: KubernetesObject): Promise<void> {
  const { uid } = object.metadata;
  await isWritten(client.delete(resources.Secret, keyOf(object), optionalField('uid', uid)));
}
