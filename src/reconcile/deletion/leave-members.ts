/** What a deletion owes to the members: the accounts of the estimators go with the instance. */
import type { Karmada } from '../../api/karmada.ts';
import type { Clock, Log } from '../../kubernetes/clock.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { errorText } from '../../kubernetes/errors.ts';
import { keyOf, keyText, resources } from '../../kubernetes/resources.ts';
import type { GrantTools } from '../../members/grant.ts';
import { revokeAccount } from '../../members/tasks.ts';
import { isAccessSecret } from '../members/estimators.ts';
import { ownedBy, type Host } from '../../hosts/host.ts';
import { ownerOf } from '../members/members.ts';

export interface LeaveTools extends Pick<GrantTools, 'connect'> {
  readonly host: Pick<Host, 'client' | 'owned'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A member that does not answer holds up no deletion for longer than this. */
const LEAVE_MS = 3_000;

/**
 * Takes the accounts of the estimators away, in all members at once. Never throws: what cannot be
 * reached keeps an account that may read workloads and nodes, and the log names it.
 */
export async function leaveMembers(tools: LeaveTools, karmada: Karmada): Promise<void> {
  const key = keyText(keyOf(karmada as unknown as KubernetesObject));
  const secrets = ownedBy(tools.host.owned, key).filter(isAccessSecret);
  if (secrets.length === 0) return;
  const ending = new AbortController();
  const cancel = tools.clock.after(LEAVE_MS, () =>
    ending.abort(new Error('the member does not answer')),
  );
  const { signal } = ending;
  await Promise.all(secrets.map((secret) => leaveOne({ ...tools, signal }, karmada, secret)));
  cancel();
}

async function leaveOne(
  tools: LeaveTools & Pick<GrantTools, 'signal'>,
  karmada: Karmada,
  secret: KubernetesObject,
): Promise<void> {
  try {
    // The cache has but hashes of what is in it.
    const live = await tools.host.client.find(resources.Secret, keyOf(secret));
    if (live !== undefined) await revokeAccount(tools, ownerOf(karmada), live, false);
  } catch (error) {
    tools.log.warn(
      { secret: secret.metadata.name, error: errorText(error) },
      'a member cannot be reached; the account of its estimator stays there',
    );
  }
}
