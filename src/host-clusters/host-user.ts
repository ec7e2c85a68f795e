/** Restricts what a Karmada may learn about a host cluster whose Secret another user may own. Pure functions. */
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
  /** The first check is not complete. */
  | { readonly state: 'unread' }
  | { readonly state: 'unreached'; readonly problem: Problem }
  | {
      readonly state: 'reached';
      readonly host: RemoteHost;
      /** Why the operator would reject the Secret if it were not already in use. */
      readonly warning?: SecretRefusal;
    };

/** Karmada whose control plane runs, or will run, on a host cluster. */
export interface HostUser {
  readonly karmada: KarmadaRef;
  /** Whether its control plane was installed with this Secret. */
  readonly inUse: boolean;
}

/** Explains why a Karmada may not use the Secret of a host cluster. */
const refusalOf = (
  secret: ObjectMeta,
  { karmada }: HostUser,
  policy: SecretPolicy,
): SecretRefusal | undefined =>
  secretRefusal(secret, { field: HOST_SECRET_FIELD, user: karmada }, policy);

/**
 * Returns whether at least one Karmada may use the Secret. A missing grant never disconnects an installed
 * control plane.
 */
export function mayOpen(
  secret: ObjectMeta,
  users: Iterable<HostUser>,
  policy: SecretPolicy,
): boolean {
  return [...users].some((user) => user.inUse || refusalOf(secret, user, policy) === undefined);
}

/**
 * Returns the view of one Karmada. Hides the host cluster if the Karmada may not use its Secret.
 * @param view current view of the host cluster
 * @param secret metadata of its Secret; undefined before the first read
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

/** Returns whether two versions of a Secret grant the same access. */
export const isSameGrant = (one: ObjectMeta | undefined, other: ObjectMeta | undefined): boolean =>
  isDeepStrictEqual([one?.annotations, one?.labels], [other?.annotations, other?.labels]);

/** Returns whether two views are equal. */
export const isSameView = (one: HostView, other: HostView): boolean =>
  one.state === 'reached' && other.state === 'reached'
    ? one.host === other.host
    : isDeepStrictEqual(one, other);
