/** Gets an estimator into a member and out again: the calls to the member's API server. */
import { FIELD_MANAGER } from '../api/karmada.ts';
import type { AddressPolicy } from '../kubernetes/addresses.ts';
import { Applier } from '../kubernetes/apply.ts';
import { createClient } from '../kubernetes/client.ts';
import { sleep, type Clock } from '../kubernetes/clock.ts';
import type { Endpoint } from '../kubernetes/connection.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { ApiError, isNotFound, isStatus } from '../kubernetes/errors.ts';
import { MEMBER_LIMITS } from '../kubernetes/limits.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { resources } from '../kubernetes/resources.ts';
import { accessEndpoint, type Access } from './access.ts';
import type { Member } from './member.ts';
import { accountOf, rightsName, ROOT, rootRole, type RightsOwner } from './rights.ts';

/** Deadline of one call to a member, in milliseconds. */
const CALL_MS = 5_000;
/** How long, and how often, a new token is waited for. */
const TOKEN_TRIES = 20;
const TOKEN_PAUSE_MS = 250;

export interface GrantTools {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Makes the client of a member; another one in tests. */
  readonly connect: (endpoint: Endpoint) => KubernetesClient;
}

export interface MemberConnections {
  readonly clock: Clock;
  /** Which addresses members may have. */
  readonly addresses: AddressPolicy;
  /** See `ClientOptions`. */
  readonly term?: AbortSignal;
}

/** Makes clients for the few calls to a member. */
export function connectMember({
  clock,
  addresses,
  term,
}: MemberConnections): GrantTools['connect'] {
  return (endpoint) =>
    createClient(
      { ...endpoint, addresses },
      { clock, timeoutMs: CALL_MS, limits: MEMBER_LIMITS, ...(term && { term }) },
    );
}

/** Credentials that the control plane has for a member. */
export interface Credentials {
  readonly token: string;
  readonly ca?: string;
}

/** An access, and why it is not a narrow one. */
export interface Granted {
  readonly access: Access;
  readonly note?: string;
}

/**
 * Makes an account of our own in a member and gets its token. Where that is not allowed, or where the
 * namespace that joining makes is missing, the access is the control plane's own.
 * @throws NetworkError when the member does not answer, ApiError 401 when it refuses the credentials
 */
export async function grant(
  tools: GrantTools,
  owner: RightsOwner,
  member: Member,
  credentials: Credentials,
): Promise<Granted> {
  const { server, insecure, proxyUrl } = member;
  const wide: Access = {
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
  owner: RightsOwner,
  namespace: string,
): Promise<Token> {
  const { signal } = tools;
  try {
    const home = await client.find(resources.Namespace, { name: namespace }, { signal });
    if (home === undefined || home.metadata.deletionTimestamp !== undefined)
      return { refusal: `it has no namespace ${namespace}` };
    const applier = new Applier({ client, fieldManager: FIELD_MANAGER });
    const root = await made(applier, rootRole(owner, home), tools);
    for (const object of accountOf(owner, namespace, root)) await made(applier, object, tools);
    return await issuedToken(tools, client, { namespace, name: rightsName(owner) });
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.message };
    if (isStatus(error, 403))
      return { refusal: 'the credentials of its Cluster may not make an account there' };
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
    const token = (secret['data'] as { token?: string } | undefined)?.token;
    if (token !== undefined) return { token: Buffer.from(token, 'base64').toString('utf8') };
    await sleep(clock, TOKEN_PAUSE_MS, signal);
  }
  return { refusal: 'it issues no token for a Secret of a service account' };
}

/**
 * Takes our account away from a member, with its own token.
 * @throws NetworkError when the member does not answer, ApiError when it fails
 */
export async function revoke(tools: GrantTools, owner: RightsOwner, access: Access): Promise<void> {
  if (!access.narrow) return;
  const client = tools.connect(accessEndpoint(access));
  try {
    await client.delete(ROOT, { name: rightsName(owner) }, { signal: tools.signal });
  } catch (error) {
    // Without its account the token says nothing any more: somebody was faster.
    if (!isNotFound(error) && !isStatus(error, 401) && !isStatus(error, 403)) throw error;
  } finally {
    await client.close();
  }
}
