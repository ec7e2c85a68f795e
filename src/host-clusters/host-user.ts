/** Restricts what a Karmada may learn about a host cluster whose Secret another user may own. Pure functions. */
import type { Problem } from '../api/reasons/problem.ts';
import { isDeepStrictEqual } from 'node:util';
import {
  HOST_SECRET_FIELD,
  isSameKarmada,
  missingRefusal,
  needsGrant,
  secretRefusal,
  type KarmadaRef,
  type SecretPolicy,
  type SecretRefusal,
} from '../api/secrets/secret-grant.ts';
import type { ObjectMeta } from '../kubernetes/objects/object.ts';
import type { HostReference } from './host-reference.ts';
import { HOST_SECRET_MISSING } from './read-host-secret.ts';
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
  /** Whether its control plane was installed with this Secret and this endpoint. */
  readonly inUse: boolean;
}

/** Secret of a host cluster, from one read. */
export interface KnownSecret {
  readonly secret: ObjectMeta;
  /** Whether the Secret names the server; undefined if it has no valid credentials. */
  readonly namesServer: boolean | undefined;
}

/** Explains why a Karmada that has not used the Secret of a host cluster before may not use it. */
export const hostSecretRefusal = (
  { secret, namesServer }: KnownSecret,
  karmada: KarmadaRef,
  policy: SecretPolicy,
): SecretRefusal | undefined =>
  secretRefusal(secret, { field: HOST_SECRET_FIELD, user: karmada }, policy) ??
  serverRefusal({ secret, namesServer }, karmada, policy);

/**
 * Explains why a Karmada may not choose the server to which the operator sends the token of a Secret. A grant lets others use a host
 * cluster, and not send its token elsewhere.
 */
function serverRefusal(
  { secret, namesServer }: KnownSecret,
  user: KarmadaRef,
  policy: Pick<SecretPolicy, 'crossNamespace'>,
): SecretRefusal | undefined {
  const { name, namespace = '' } = secret;
  if (namesServer !== false || !needsGrant(secret, user, policy)) return undefined;
  return {
    reason: 'HostServerNotGranted',
    message: `spec.hostCluster.apiEndpoint: Secret ${namespace}/${name} is in another namespace, and does not name this server, to which the operator would send its token; the owner of the Secret must add the key server with the URL of the API server`,
  };
}

/**
 * Returns whether at least one Karmada may use the Secret. A missing grant never disconnects an installed
 * control plane. A namespace may have thousands of Karmadas: its grant and the owner of the Secret are examined once.
 */
export function mayOpen(
  known: KnownSecret,
  users: Iterable<HostUser>,
  policy: SecretPolicy,
): boolean {
  const owner = policy.madeFor(known.secret);
  const once: SecretPolicy = { ...policy, madeFor: () => owner };
  const refused = new Set<string>();
  for (const { inUse, karmada } of users) {
    if (inUse) return true;
    // All others of a namespace get the same answer.
    const isOther = !isSameKarmada(owner, karmada);
    if (isOther && refused.has(karmada.namespace)) continue;
    if (hostSecretRefusal(known, karmada, once) === undefined) return true;
    if (isOther) refused.add(karmada.namespace);
  }
  return false;
}

/** What is known about a host cluster. */
export interface KnownHost {
  readonly reference: HostReference;
  readonly view: HostView;
  /** Metadata of its Secret; undefined before the first read, and if it does not exist. */
  readonly secret?: ObjectMeta | undefined;
  readonly namesServer?: boolean | undefined;
}

/** Returns the view of one Karmada. Hides the host cluster if the Karmada may not use its Secret. */
export function viewFor(known: KnownHost, user: HostUser, policy: SecretPolicy): HostView {
  const { view } = known;
  const refusal = knownRefusal(known, user, policy);
  if (refusal === undefined) return view;
  if (!user.inUse) return { state: 'unreached', problem: refusal };
  return view.state === 'reached' ? { ...view, warning: refusal } : view;
}

function knownRefusal(
  { reference, view, secret, namesServer }: KnownHost,
  user: HostUser,
  policy: SecretPolicy,
): SecretRefusal | undefined {
  if (secret !== undefined) return hostSecretRefusal({ secret, namesServer }, user.karmada, policy);
  const isMissing = view.state === 'unreached' && view.problem.reason === HOST_SECRET_MISSING;
  const use = { field: HOST_SECRET_FIELD, user: user.karmada };
  return isMissing ? missingRefusal(reference.secret, use, policy) : undefined;
}

type Grant = Pick<KnownHost, 'secret' | 'namesServer'>;

/** Returns whether two versions of a Secret grant the same access. */
export const isSameGrant = (one: Grant, other: Grant): boolean =>
  isDeepStrictEqual(grantIn(one), grantIn(other));

const grantIn = ({ secret, namesServer }: Grant): readonly unknown[] => [
  secret?.annotations,
  secret?.labels,
  namesServer,
];

/** Returns whether two views are equal. */
export const isSameView = (one: HostView, other: HostView): boolean =>
  one.state === 'reached' && other.state === 'reached'
    ? one.host === other.host
    : isDeepStrictEqual(one, other);
