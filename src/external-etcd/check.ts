/** Checks an external etcd once: its Secret and all etcd members in parallel. Writes nothing. */
import type { Problem } from '../api/reasons/problem.ts';
import {
  ETCD_SECRET_FIELD,
  referenceRefusal,
  type SecretPolicy,
  type SecretRefusal,
} from '../api/secrets/secret-grant.ts';
import type { AddressesOf } from '../kubernetes/connection/addresses.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { ApiError, errorText } from '../kubernetes/client/errors.ts';
import type { ObjectMeta } from '../kubernetes/objects/object.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import type { ThreadShares } from '../kubernetes/fairness/thread-shares.ts';
import { summarizeProbes, type Verdict } from './probe-results.ts';
import type { InTurn } from '../kubernetes/fairness/received-data.ts';
import { clientContext, type ClientContext, type probeEndpoint } from './probe.ts';
import {
  readCredentials,
  type Access,
  type FoundSecret,
  type ReadCredentials,
} from './credentials.ts';
import { parseEndpoint, type Surroundings } from './endpoint.ts';
import type { StoredData } from './stored-data.ts';

/** Etcd to check, and Secret with its client credentials. */
export interface EtcdCheckRequest extends Surroundings {
  readonly endpoints: readonly string[];
  readonly secret: { readonly namespace: string; readonly name: string };
  /** Key prefixes of the control plane, that of karmada-apiserver first. */
  readonly prefixes: readonly string[];
  /** Name of the Karmada object. */
  readonly karmada: string;
  /** Name of the copied Secret in the namespace of the Karmada. Absent if Pods mount the Secret itself. */
  readonly copy?: string;
}

/** Result of a check. Contains nothing secret. */
export type EtcdCheck = Outcome & {
  /** Why the operator must not use the Secret. The result then comes from a check with the existing copy. */
  readonly notGranted?: SecretRefusal;
};

type Outcome =
  /** `unread`: reading the Secret failed, so its content is unknown. `unusable`: no client can use it. */
  | { readonly outcome: 'unread' | 'unusable'; readonly problem: Problem }
  /** The Secret is valid, but no etcd member serves a client with these credentials. */
  | { readonly outcome: 'unserved'; readonly problem: Problem; readonly access: Access }
  | {
      readonly outcome: 'served';
      readonly access: Access;
      readonly version?: string;
      /** What the etcd has below the prefixes; absent if it could not be read. */
      readonly data?: StoredData;
      /** Unhealthy etcd members while others are healthy. */
      readonly down?: Problem;
    };

export interface CheckTools {
  readonly client: Pick<KubernetesClient, 'find'>;
  /** Wall clock in milliseconds. */
  readonly wall: () => number;
  readonly ask: typeof probeEndpoint;
  readonly secretPolicy: SecretPolicy;
  readonly addresses: AddressesOf;
  /** Reading a Secret with hundreds of CA certificates takes 0.25 s without a break, and the certificates of a server 0.3 s. */
  readonly thread: Pick<ThreadShares, 'run'>;
}

const READ_MS = 5_000;

/**
 * Checks the etcd once. Never rejects.
 * @param signal cancels the check
 */
export async function checkEtcd(
  tools: CheckTools,
  want: EtcdCheckRequest,
  signal: AbortSignal,
): Promise<EtcdCheck> {
  try {
    return await checkOnce(tools, want, signal);
  } catch (error) {
    // No caller awaits the check, so the error becomes a result.
    const message = `external etcd: check failed (${errorText(error)}); the operator retries`;
    return { outcome: 'unread', problem: { reason: 'Error', message } };
  }
}

async function checkOnce(
  tools: CheckTools,
  want: EtcdCheckRequest,
  signal: AbortSignal,
): Promise<EtcdCheck> {
  const { client, secretPolicy } = tools;
  const { karmada, namespace, copy } = want;
  const found = await readSecret(client, want.secret, signal);
  if ('problem' in found) return { outcome: 'unread', problem: found.problem };
  const use = { field: ETCD_SECRET_FIELD, user: { name: karmada, namespace } };
  const notGranted = referenceRefusal(want.secret, found.metadata, use, secretPolicy);
  if (notGranted === undefined) return checkWith(tools, want, found, signal);
  const kept = copy && (await readSecret(client, { namespace, name: copy }, signal));
  if (!kept || 'problem' in kept || kept.data === undefined)
    return { outcome: 'unread', problem: notGranted };
  return { ...(await checkWith(tools, want, kept, signal)), notGranted };
}

/** Probes the etcd members with the credentials of a Secret. */
async function checkWith(
  { wall, ask, addresses, thread }: CheckTools,
  want: EtcdCheckRequest,
  found: FoundSecret,
  signal: AbortSignal,
): Promise<Outcome> {
  const flow = { group: want.namespace, tenant: '' };
  const read = await thread.run(() => openCredentials(found, new Date(wall())), { flow, signal });
  if ('problem' in read) return { outcome: 'unusable', problem: read.problem };
  const { context, access } = read;
  const { prefixes } = want;
  const inTurn: InTurn = (work, ends) => thread.run(work, { flow, signal: ends });
  const common = { addresses: addresses(want.namespace), prefixes, inTurn };
  const asked = want.endpoints.map((text) =>
    ask({ ...parseEndpoint(text, want), ...common }, context, signal),
  );
  return outcomeOf(access, summarizeProbes(await Promise.all(asked)));
}

type OpenedCredentials =
  | Extract<ReadCredentials, { readonly problem: Problem }>
  | { readonly access: Access; readonly context: ClientContext };

/** Reads the credentials, and creates their TLS context. */
function openCredentials(found: FoundSecret, now: Date): OpenedCredentials {
  const read = readCredentials(found, now);
  if ('problem' in read) return read;
  const context = clientContext(read.credentials);
  // The probes report its error.
  context().catch(() => undefined);
  return { access: read.access, context };
}

function outcomeOf(access: Access, verdict: Verdict): Outcome {
  if (!verdict.serves) return { outcome: 'unserved', access, problem: verdict.problem };
  const { version, data, down } = verdict;
  return {
    outcome: 'served',
    access,
    ...(version && { version }),
    ...(data && { data }),
    ...(down && { down }),
  };
}

interface ReadSecret extends FoundSecret {
  readonly metadata?: ObjectMeta;
}

async function readSecret(
  client: CheckTools['client'],
  { namespace, name }: EtcdCheckRequest['secret'],
  signal: AbortSignal,
): Promise<ReadSecret | { readonly problem: Problem }> {
  const spoken = `${namespace}/${name}`;
  try {
    const key = { namespace, name };
    const secret = await client.find(resources.Secret, key, { signal, timeoutMs: READ_MS });
    if (secret === undefined) return { name: spoken };
    const data = secret.data ?? {};
    return { name: spoken, data, metadata: secret.metadata };
  } catch (error) {
    const forbidden = error instanceof ApiError && error.code === 403;
    const remedy = forbidden
      ? 'grant the operator the get permission for it'
      : 'the operator retries';
    const message = `Secret ${spoken} cannot be read: ${errorText(error)}; ${remedy}`;
    return { problem: { reason: 'EtcdSecretReadFailed', message } };
  }
}
