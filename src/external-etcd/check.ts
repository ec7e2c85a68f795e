/** One look at an external etcd: its Secret, and all of its members at once. Nothing is written. */
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { ApiError, errorText } from '../kubernetes/errors.ts';
import { resources } from '../kubernetes/resources.ts';
import { verdictOf, type Verdict } from './answers.ts';
import type { askMember } from './ask.ts';
import { readCredentials, type Access, type FoundSecret } from './credentials.ts';
import { parseEndpoint, type Surroundings } from './endpoint.ts';
import type { EtcdProblem } from './problem.ts';

/** Which etcd, and with which Secret. */
export interface EtcdWant extends Surroundings {
  readonly endpoints: readonly string[];
  readonly secret: { readonly namespace: string; readonly name: string };
}

/** What a look showed. Nothing in here is secret. */
export type EtcdCheck =
  /** `unread`: the Secret could not be read, which says nothing of it; `unusable`: no client can use it. */
  | { readonly outcome: 'unread' | 'unusable'; readonly problem: EtcdProblem }
  /** The Secret is sound, and no member serves whoever comes with it. */
  | { readonly outcome: 'unserved'; readonly problem: EtcdProblem; readonly access: Access }
  | {
      readonly outcome: 'served';
      readonly access: Access;
      readonly version?: string;
      /** Members that do not serve while others do. */
      readonly down?: EtcdProblem;
    };

export interface CheckTools {
  readonly client: Pick<KubernetesClient, 'find'>;
  /** Wall clock in milliseconds. */
  readonly wall: () => number;
  readonly ask: typeof askMember;
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

async function look(
  { client, wall, ask }: CheckTools,
  want: EtcdWant,
  signal: AbortSignal,
): Promise<EtcdCheck> {
  const found = await readSecret(client, want.secret, signal);
  if ('problem' in found) return { outcome: 'unread', problem: found.problem };
  const read = readCredentials(found, new Date(wall()));
  if ('problem' in read) return { outcome: 'unusable', problem: read.problem };
  const { credentials, access } = read;
  const asked = want.endpoints.map((text) => ask(parseEndpoint(text, want), credentials, signal));
  return outcomeOf(access, verdictOf(await Promise.all(asked)));
}

function outcomeOf(access: Access, verdict: Verdict): EtcdCheck {
  if (!verdict.serves) return { outcome: 'unserved', access, problem: verdict.problem };
  const { version, down } = verdict;
  return { outcome: 'served', access, ...(version && { version }), ...(down && { down }) };
}

async function readSecret(
  client: CheckTools['client'],
  { namespace, name }: EtcdWant['secret'],
  signal: AbortSignal,
): Promise<FoundSecret | { readonly problem: EtcdProblem }> {
  const spoken = `${namespace}/${name}`;
  try {
    const key = { namespace, name };
    const secret = await client.find(resources.Secret, key, { signal, timeoutMs: READ_MS });
    if (secret === undefined) return { name: spoken };
    return { name: spoken, data: (secret['data'] ?? {}) as Readonly<Record<string, string>> };
  } catch (error) {
    const forbidden = error instanceof ApiError && error.code === 403;
    const remedy = forbidden ? 'allow the operator to get it' : 'it is tried again';
    const message = `Secret ${spoken} cannot be read: ${errorText(error)}; ${remedy}`;
    return { problem: { reason: 'EtcdSecretUnread', message } };
  }
}
