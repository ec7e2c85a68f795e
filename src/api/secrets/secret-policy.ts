/** Secret policy that recognizes the Secrets of other control planes by label and by name. */
import { isNamedForEtcd } from '../external-etcd.ts';
import type { Karmada } from '../karmada.ts';
import { secretNamesOf } from '../naming.ts';
import type { CrossNamespaceSecrets, KarmadaRef, SecretPolicy } from './secret-grant.ts';
import type { ObjectMeta } from '../../kubernetes/objects/object.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../labels.ts';

/**
 * Creates the policy for Secrets that Karmadas reference.
 * @param karmadas returns all Karmadas that are known at the time of the call
 */
export function createSecretPolicy(
  crossNamespace: CrossNamespaceSecrets,
  karmadas: () => readonly Karmada[],
): SecretPolicy {
  return {
    crossNamespace,
    madeFor: (secret) => bearer(secret) ?? namesake(secret, karmadas()),
  };
}

/** Owner by labels. The Go operator labels Secrets without the name of the Karmada. */
function bearer({ namespace = '', labels = {} }: ObjectMeta): KarmadaRef | undefined {
  const name = labels[INSTANCE];
  return labels[MANAGED_BY] === MANAGER && name !== undefined ? { name, namespace } : undefined;
}

/** Owner by Secret name, because labels can be removed. */
function namesake(
  secret: ObjectMeta,
  karmadas: readonly Karmada[],
): KarmadaRef | 'unknown' | undefined {
  const { name, namespace = '', labels = {} } = secret;
  const owner = karmadas.find(
    (karmada) =>
      karmada.metadata.namespace === namespace &&
      // Excludes nearly all of thousands of Karmadas without a list of names.
      name.startsWith(karmada.metadata.name) &&
      namesOf(karmada.metadata.name).has(name) &&
      !isNamedForEtcd(karmada, secret),
  );
  if (owner !== undefined) return { name: owner.metadata.name, namespace };
  if (labels[MANAGED_BY] !== MANAGER) return undefined;
  // A bug of the Go operator labels the Secret that the user provides for an external etcd.
  const named = karmadas.some(
    (karmada) => karmada.metadata.namespace === namespace && isNamedForEtcd(karmada, secret),
  );
  return named ? undefined : 'unknown';
}

const namesOf = (karmada: string): ReadonlySet<string> => new Set(secretNamesOf(karmada));
