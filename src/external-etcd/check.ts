/** One look at an external etcd: its Secret, and all of its members at once. Nothing is written. */
import type { Problem } from '../api/problem.ts';
import {
  ETCD_SECRET_FIELD,
  secretRefusal,
  type SecretPolicy,
  type SecretRefusal,
} from '../api/secret-grant.ts';
import type { AddressPolicy } from '../kubernetes/addresses.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { ApiError, errorText } from '../kubernetes/errors.ts';
import type { ObjectMeta } from '../kubernetes/object.ts';
import { resources } from '../kubernetes/resources.ts';
import { verdictOf, type Verdict } from './answers.ts';
import type { askMember } from './ask.ts';
import { readCredentials, type Access, type FoundSecret } from './credentials.ts';
import { parseEndpoint, type Surroundings } from './endpoint.ts';

/** Which etcd, and with which Secret. */
export interface EtcdWant extends Surroundings {
  readonly endpoints: readonly string[];
  readonly secret: { readonly namespace: string; readonly name: string };
  /** Name of the Karmada. */
  readonly karmada: string;
  /** Name of the copy beside the Karmada that pods mount; absent when they mount the Secret itself. */
  readonly copy?: string;
}

/** What a look showed. Nothing in here is secret. */
export type EtcdCheck = Outcome & {
  /** Why the Secret is not used. What is said of the etcd was seen with the copy that was made of it before. */
  readonly notGranted?: SecretRefusal;
};

type Outcome =
  /** `unread`: the Secret could not be read, which says nothing of it; `unusable`: no client can use it. */
  | { readonly outcome: 'unread' | 'unusable'; readonly problem: Problem }
  /** The Secret is sound, and no member serves whoever comes with it. */
  | { readonly outcome: 'unserved'; readonly problem: Problem; readonly access: Access }
  | {
      readonly outcome: 'served';
      readonly access: Access;
      readonly version?: string;
      /** Members that do not serve while others do. */
      readonly down?: Problem;
    };

export interface CheckTools {
  readonly client: Pick<KubernetesClient, 'find'>;
  /** Wall clock in milliseconds. */
  readonly wall: () => number;
  readonly ask: typeof askMember;
  readonly secretPolicy: SecretPolicy;
  readonly addresses: AddressPolicy;
}

const READ_MS = 5_000;

/** Looks once. Never rejects. */
export async function checkEtcd(
  tools: CheckTools,
  want: EtcdWant,
  signal: AbortSignal,
): Promise<EtcdCheck> {
  try {
    return await look(tools, want, signal);
  } catch (error) {
    // Nobody waits for it who could be told otherwise.
    const message = `external etcd: it could not be looked at: ${errorText(error)}`;
    return { outcome: 'unread', problem: { reason: 'Error', message } };
  }
}

async function look(tools: CheckTools, want: EtcdWant, signal: AbortSignal): Promise<EtcdCheck> {
  const { client, secretPolicy } = tools;
  const { karmada, namespace, copy } = want;
  const found = await readSecret(client, want.secret, signal);
  if ('problem' in found) return { outcome: 'unread', problem: found.problem };
  const use = { field: ETCD_SECRET_FIELD, user: { name: karmada, namespace } };
  const notGranted = found.metadata && secretRefusal(found.metadata, use, secretPolicy);
  if (notGranted === undefined) return lookWith(tools, want, found, signal);
  const kept = copy && (await readSecret(client, { namespace, name: copy }, signal));
  if (!kept || 'problem' in kept || kept.data === undefined)
    return { outcome: 'unread', problem: notGranted };
  return { ...(await lookWith(tools, want, kept, signal)), notGranted };
}

/** Asks the members with what is in a Secret. */
async function lookWith(
  { wall, ask, addresses }: CheckTools,
  want: EtcdWant,
  found: FoundSecret,
  signal: AbortSignal,
): Promise<Outcome> {
  const read = readCredentials(found, new Date(wall()));
  if ('problem' in read) return { outcome: 'unusable', problem: read.problem };
  const { credentials, access } = read;
  const asked = want.endpoints.map((text) =>
    ask({ ...parseEndpoint(text, want), addresses }, credentials, signal),
  );
  return outcomeOf(access, verdictOf(await Promise.all(asked)));
}

function outcomeOf(access: Access, verdict: Verdict): Outcome {
  if (!verdict.serves) return { outcome: 'unserved', access, problem: verdict.problem };
  const { version, down } = verdict;
  return { outcome: 'served', access, ...(version && { version }), ...(down && { down }) };
}

interface ReadSecret extends FoundSecret {
  readonly metadata?: ObjectMeta;
}

async function readSecret(
  client: CheckTools['client'],
  { namespace, name }: EtcdWant['secret'],
  signal: AbortSignal,
): Promise<ReadSecret | { readonly problem: Problem }> {
  const spoken = `${namespace}/${name}`;
  try {
    const key = { namespace, name };
    const secret = await client.find(resources.Secret, key, { signal, timeoutMs: READ_MS });
    if (secret === undefined) return { name: spoken };
    const data = (secret['data'] ?? {}) as Readonly<Record<string, string>>;
    return { name: spoken, data, metadata: secret.metadata };
  } catch (error) {
    const forbidden = error instanceof ApiError && error.code === 403;
    const remedy = forbidden ? 'allow the operator to get it' : 'it is tried again';
    const message = `Secret ${spoken} cannot be read: ${errorText(error)}; ${remedy}`;
    return { problem: { reason: 'EtcdSecretUnread', message } };
  }
}
