/** The way into a host, as far as one of the Karmadas that name it may use its Secret. */
import type { Problem } from '../api/problem.ts';
import type { SecretPolicy } from '../api/secret-grant.ts';
import type { ExplicitAccess } from '../kubernetes/connection.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { errorText } from '../kubernetes/errors.ts';
import type { ObjectMeta } from '../kubernetes/object.ts';
import type { HostReference } from './host-reference.ts';
import { notAllowed } from './host-problems.ts';
import { mayOpen, type HostUser } from './host-user.ts';
import { readAccess, secretOf } from './read-access.ts';

export interface ReadTools {
  /** Of the cluster with the Secret. */
  readonly client: Pick<KubernetesClient, 'find'>;
  readonly secretPolicy: SecretPolicy;
  readonly timeoutMs: number;
}

export type ReadAllowed =
  | { readonly access: ExplicitAccess; readonly secret: ObjectMeta | undefined }
  /** `gone`: the Secret was read, and nothing in it may or can be used. */
  | {
      readonly problem: Problem;
      readonly gone: true;
      readonly secret: ObjectMeta | undefined;
    }
  | { readonly problem: Problem; readonly gone: false };

/** Reads it. Never rejects. */
export async function readAllowed(
  { client, secretPolicy, timeoutMs }: ReadTools,
  reference: HostReference,
  users: Iterable<HostUser>,
): Promise<ReadAllowed> {
  try {
    const { secret, ...found } = await readAccess(client, reference, { timeoutMs });
    if (secret !== undefined && !mayOpen(secret, users, secretPolicy))
      return { problem: notAllowed(reference), gone: true, secret };
    return 'access' in found ? { ...found, secret } : { ...found, gone: true, secret };
  } catch (error) {
    const message = `${secretOf(reference)} cannot be read: ${errorText(error)}`;
    return { problem: { reason: 'HostSecretUnread', message }, gone: false };
  }
}
