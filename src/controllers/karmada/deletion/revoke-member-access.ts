/** Removes the ServiceAccounts of the estimators from the member clusters when the control plane is deleted. */
import type { Karmada } from '../../../api/karmada.ts';
import type { Clock, Log } from '../../../kubernetes/time/clock.ts';
import type { Secret } from '../../../kubernetes/objects/kinds.ts';
import { errorText } from '../../../kubernetes/client/errors.ts';
import { keyOf, keyText, resources } from '../../../kubernetes/objects/resources.ts';
import type { GrantTools } from '../../../member-clusters/member-api.ts';
import { revokeAccount } from '../../../member-clusters/access-tasks.ts';
import { isAccessSecret } from '../../../features/member-access/estimators.ts';
import { ownedBy, type Host } from '../../../host-clusters/host.ts';
import { inParallel } from '../../../kubernetes/fairness/in-parallel.ts';
import { ownerOf } from '../../../features/member-access/members.ts';

export interface RevokeTools extends Pick<GrantTools, 'connect'> {
  readonly host: Pick<Host, 'client' | 'owned'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Time in milliseconds for which an unreachable member cluster may delay the deletion. */
const LEAVE_MS = 3_000;
/** Member clusters that are left at once. A namespace may contain any number of Secrets with these labels. */
const LEFT_AT_ONCE = 128;

/**
 * Removes the ServiceAccounts of the estimators from all member clusters in parallel. Never throws: an unreachable
 * member cluster keeps a ServiceAccount that may read workloads and nodes, and the log names its Secret.
 */
export async function revokeMemberAccess(tools: RevokeTools, karmada: Karmada): Promise<void> {
  const key = keyText(keyOf(karmada));
  const secrets = ownedBy(tools.host.owned, key).filter(isAccessSecret);
  if (secrets.length === 0) return;
  const ending = new AbortController();
  const cancel = tools.clock.after(LEAVE_MS, () =>
    ending.abort(new Error(`timeout: the member cluster did not answer within ${LEAVE_MS} ms`)),
  );
  const { signal } = ending;
  const leave = (secret: Secret): Promise<void> => leaveOne({ ...tools, signal }, karmada, secret);
  await inParallel(secrets, leave, LEFT_AT_ONCE);
  cancel();
}

async function leaveOne(
  tools: RevokeTools & Pick<GrantTools, 'signal'>,
  karmada: Karmada,
  secret: Secret,
): Promise<void> {
  try {
    tools.signal.throwIfAborted();
    // The cache has only hashes of the values.
    const live = await tools.host.client.find(resources.Secret, keyOf(secret));
    if (live !== undefined && live.metadata.uid === secret.metadata.uid)
      await revokeAccount(tools, ownerOf(karmada), live, false);
  } catch (error) {
    tools.log.warn(
      { secret: secret.metadata.name, error: errorText(error) },
      'member cluster is unreachable, estimator ServiceAccount remains there',
    );
  }
}
