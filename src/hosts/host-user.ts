/** What a Karmada may know of a host, whose Secret is perhaps somebody else's: pure. */
import type { Problem } from '../api/problem.ts';
import { isDeepStrictEqual } from 'node:util';
import {
  HOST_SECRET_FIELD,
  secretRefusal,
  type KarmadaRef,
  type SecretPolicy,
  type SecretRefusal,
} from '../api/secret-grant.ts';
import type { ObjectMeta } from '../kubernetes/object.ts';
import type { RemoteHost } from './remote-host.ts';

export type HostView =
  /** The first look is not over yet. */
  | { readonly state: 'unread' }
  | { readonly state: 'unreached'; readonly problem: Problem }
  | {
      readonly state: 'reached';
      readonly host: RemoteHost;
      /** Why the Secret would be refused if it were not in use already. */
      readonly warning?: SecretRefusal;
    };

/** A Karmada whose control plane is, or is to be, on a host. */
export interface HostUser {
  readonly karmada: KarmadaRef;
  /** Whether its control plane was made with this very Secret. */
  readonly inUse: boolean;
}

/** Why a Karmada may not use the Secret of a host. */
const refusalOf = (
  secret: ObjectMeta,
  { karmada }: HostUser,
  policy: SecretPolicy,
): SecretRefusal | undefined =>
  secretRefusal(secret, { field: HOST_SECRET_FIELD, user: karmada }, policy);

/** Whether the Secret may be used at all. A control plane is never cut off by a grant that is missing. */
export function mayOpen(
  secret: ObjectMeta,
  users: Iterable<HostUser>,
  policy: SecretPolicy,
): boolean {
  return [...users].some((user) => user.inUse || refusalOf(secret, user, policy) === undefined);
}

/**
 * What one Karmada is told.
 * @param view what is known of the host
 * @param secret metadata of its Secret; undefined before it was read
 */
export function viewFor(
  view: HostView,
  secret: ObjectMeta | undefined,
  user: HostUser,
  policy: SecretPolicy,
): HostView {
  const refusal = secret && refusalOf(secret, user, policy);
  if (refusal === undefined) return view;
  if (!user.inUse) return { state: 'unreached', problem: refusal };
  return view.state === 'reached' ? { ...view, warning: refusal } : view;
}

/** Whether two readings of a Secret allow the same. */
export const isSameGrant = (one: ObjectMeta | undefined, other: ObjectMeta | undefined): boolean =>
  isDeepStrictEqual([one?.annotations, one?.labels], [other?.annotations, other?.labels]);

/** Whether two views tell the same. */
export const isSameView = (one: HostView, other: HostView): boolean =>
  one.state === 'reached' && other.state === 'reached'
    ? one.host === other.host
    : isDeepStrictEqual(one, other);
