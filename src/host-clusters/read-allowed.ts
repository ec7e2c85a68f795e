/** Reads the credentials of a host cluster if at least one Karmada that references them may use their Secret. */
import type { Problem } from '../api/reasons/problem.ts';
import type { SecretPolicy } from '../api/secrets/secret-grant.ts';
import type { ExplicitAccess } from '../kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import type { ObjectMeta } from '../kubernetes/objects/object.ts';
import type { HostReference } from './host-reference.ts';
import { notAllowed } from './host-problems.ts';
import { mayOpen, type HostUser } from './host-user.ts';
import { readHostSecret, secretOf } from './read-host-secret.ts';

export interface ReadTools {
  /** Client of the cluster that contains the Secret. */
  readonly client: Pick<KubernetesClient, 'find'>;
  readonly secretPolicy: SecretPolicy;
  readonly timeoutMs: number;
}

export type ReadAllowed =
  | {
      readonly access: ExplicitAccess;
      readonly namesServer: boolean;
      readonly secret: ObjectMeta | undefined;
    }
  /** `gone`: the Secret was read, but its credentials are missing, invalid or not granted. */
  | {
      readonly problem: Problem;
      readonly gone: true;
      readonly secret: ObjectMeta | undefined;
      /** Undefined without valid credentials. */
      readonly namesServer: boolean | undefined;
    }
  | { readonly problem: Problem; readonly gone: false };

/** Reads the credentials. Never rejects. */
export async function readAllowed(
  { client, secretPolicy, timeoutMs }: ReadTools,
  reference: HostReference,
  users: Iterable<HostUser>,
): Promise<ReadAllowed> {
  try {
    const { secret, ...found } = await readHostSecret(client, reference, { timeoutMs });
    const namesServer = 'access' in found ? found.namesServer : undefined;
    if (secret !== undefined && !mayOpen({ secret, namesServer }, users, secretPolicy))
      return { problem: notAllowed(reference), gone: true, secret, namesServer };
    return 'access' in found ? { ...found, secret } : { ...found, gone: true, secret, namesServer };
  } catch (error) {
    const message = `${secretOf(reference)} cannot be read: ${errorText(error)}`;
    return { problem: { reason: 'HostSecretReadFailed', message }, gone: false };
  }
}
