/** Calls the API server of a member cluster to create or delete the ServiceAccount of an estimator. */
import { FIELD_MANAGER } from '../api/karmada.ts';
import type { TenantAddresses } from '../kubernetes/connection/addresses.ts';
import { Applier } from '../kubernetes/apply/apply.ts';
import { createClient } from '../kubernetes/client/client.ts';
import { sleep, type Clock } from '../kubernetes/time/clock.ts';
import type { Endpoint } from '../kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { ApiError, isNotFound, isStatus } from '../kubernetes/client/errors.ts';
import type { OnCalls } from '../kubernetes/client/finished-call.ts';
import { MEMBER_LIMITS } from '../kubernetes/client/limits.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import type { Term } from '../kubernetes/time/term.ts';
import { accessEndpoint, type MemberConnection } from './estimator-kubeconfig.ts';
import type { MemberCluster } from './member-cluster.ts';
import {
  serviceAccountOf,
  rbacName,
  OWNER_TYPE,
  rootRole,
  type ControlPlaneRef,
} from './estimator-rbac.ts';

/** Timeout of one call to a member cluster, in milliseconds. */
const CALL_MS = 5_000;
/** Number of attempts to read a new token, and pause between them in milliseconds. */
const TOKEN_TRIES = 20;
const TOKEN_PAUSE_MS = 250;

export interface GrantTools {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Creates the client of a member cluster. Replaced in tests. */
  readonly connect: (endpoint: Endpoint) => KubernetesClient;
}

export interface MemberConnections {
  readonly clock: Clock;
  /** Addresses that member clusters may have. */
  readonly addresses: TenantAddresses;
  /** See `ClientOptions`. */
  readonly term?: Term;
  /** Receives the calls to member clusters. */
  readonly onCalls?: OnCalls;
}

/** Returns a function that creates short-lived clients for member clusters. */
export function connectMember({
  clock,
  addresses,
  term,
  onCalls,
}: MemberConnections): GrantTools['connect'] {
  return (endpoint) =>
    createClient(
      { ...endpoint, addresses },
      {
        clock,
        timeoutMs: CALL_MS,
        limits: MEMBER_LIMITS,
        ...(term && { term }),
        ...(onCalls?.member && { onCall: onCalls.member }),
      },
    );
}

/** Credentials of the control plane for a member cluster. */
export interface Credentials {
  readonly token: string;
  readonly ca?: string;
}

/** Access, with a note why it does not have least privilege. */
export interface Granted {
  readonly access: MemberConnection;
  readonly note?: string;
}

/**
 * Creates a ServiceAccount with least privilege in a member cluster and reads its token. Returns the
 * credentials of the control plane instead if this is forbidden or the Namespace of the join is missing.
 * @throws NetworkError when the member cluster is unreachable, ApiError 401 when it rejects the credentials
 */
export async function grant(
  tools: GrantTools,
  owner: ControlPlaneRef,
  member: MemberCluster,
  credentials: Credentials,
): Promise<Granted> {
  const { server, insecure, proxyUrl } = member;
  const wide: MemberConnection = {
    server,
    insecure,
    ...(proxyUrl !== undefined && { proxyUrl }),
    ...(!insecure && credentials.ca !== undefined && { ca: credentials.ca }),
    token: credentials.token,
    narrow: false,
  };
  const client = tools.connect(accessEndpoint(wide));
  try {
    const token = await accountToken(tools, client, owner, member.secret?.namespace ?? '');
    if ('token' in token) return { access: { ...wide, token: token.token, narrow: true } };
    return { access: wide, note: token.refusal };
  } finally {
    await client.close();
  }
}

type Token = { readonly token: string } | { readonly refusal: string };

async function accountToken(
  tools: GrantTools,
  client: KubernetesClient,
  owner: ControlPlaneRef,
  namespace: string,
): Promise<Token> {
  const { signal } = tools;
  try {
    const home = await client.find(resources.Namespace, { name: namespace }, { signal });
    if (home === undefined || home.metadata.deletionTimestamp !== undefined)
      return { refusal: `it has no Namespace ${namespace}` };
    const applier = new Applier({ client, fieldManager: FIELD_MANAGER });
    const root = await made(applier, rootRole(owner, home), tools);
    for (const object of serviceAccountOf(owner, namespace, root))
      await made(applier, object, tools);
    return await issuedToken(tools, client, { namespace, name: rbacName(owner) });
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.message };
    if (isStatus(error, 403))
      return {
        refusal: 'the credentials of its Cluster are not allowed to create a ServiceAccount there',
      };
    throw error;
  }
}

class Refused extends Error {}

async function made(
  applier: Applier,
  desired: KubernetesObject,
  { signal }: GrantTools,
): Promise<KubernetesObject> {
  const labels = desired.metadata.labels ?? {};
  const owns = ({ metadata }: KubernetesObject): boolean =>
    Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value);
  const result = await applier.apply({ desired, owns, call: { signal } });
  if ('message' in result) throw new Refused(result.message);
  if (result.outcome === 'terminating')
    throw new ApiError({
      request: `apply ${desired.kind} ${desired.metadata.name}`,
      code: 409,
      reason: 'Terminating',
      message: 'it is being deleted',
    });
  return result.object;
}

async function issuedToken(
  { clock, signal }: GrantTools,
  client: KubernetesClient,
  key: { readonly namespace: string; readonly name: string },
): Promise<Token> {
  for (let tries = 0; tries < TOKEN_TRIES && !signal.aborted; tries += 1) {
    const secret = await client.get(resources.Secret, key, { signal });
    const token = secret.data?.token;
    if (token !== undefined) return { token: Buffer.from(token, 'base64').toString('utf8') };
    await sleep(clock, TOKEN_PAUSE_MS, signal);
  }
  return { refusal: 'it issues no token for a ServiceAccount Secret' };
}

/**
 * Deletes the ServiceAccount of an estimator in a member cluster, with its own token. Does nothing for
 * credentials of the control plane.
 * @throws NetworkError when the member cluster is unreachable, ApiError when the deletion fails
 */
export async function revoke(
  tools: GrantTools,
  owner: ControlPlaneRef,
  access: MemberConnection,
): Promise<void> {
  if (!access.narrow) return;
  const client = tools.connect(accessEndpoint(access));
  try {
    await client.delete(OWNER_TYPE, { name: rbacName(owner) }, { signal: tools.signal });
  } catch (error) {
    // The token is invalid after the ServiceAccount was deleted, for example by `karmadactl unjoin`.
    if (!isNotFound(error) && !isStatus(error, 401) && !isStatus(error, 403)) throw error;
  } finally {
    await client.close();
  }
}
