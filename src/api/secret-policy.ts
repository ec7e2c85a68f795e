/** Which Secrets Karmadas may use: those that the operator made for another control plane are known by label and by name. */
import { isNamedForEtcd } from './external-etcd.ts';
import type { Karmada } from './karmada.ts';
import { instanceName, KUBECONFIG_SUFFIXES, SECRET_SUFFIX } from './naming.ts';
import type { CrossNamespaceSecrets, KarmadaRef, SecretPolicy } from './secret-grant.ts';
import type { ObjectMeta } from '../kubernetes/object.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from './labels.ts';

/** @param karmadas all Karmadas known at the moment of the question */
export function createSecretPolicy(
  crossNamespace: CrossNamespaceSecrets,
  karmadas: () => readonly Karmada[],
): SecretPolicy {
  return {
    crossNamespace,
    madeFor: (secret) => bearer(secret) ?? namesake(secret, karmadas()),
  };
}

/** By the labels. The Go operator labels its Secrets without the name of the Karmada. */
function bearer({ namespace = '', labels = {} }: ObjectMeta): KarmadaRef | undefined {
  const name = labels[INSTANCE];
  return labels[MANAGED_BY] === MANAGER && name !== undefined ? { name, namespace } : undefined;
}

/** By the name: labels can be lost. */
function namesake(
  secret: ObjectMeta,
  karmadas: readonly Karmada[],
): KarmadaRef | 'unknown' | undefined {
  const { name, namespace = '', labels = {} } = secret;
  const owner = karmadas.find(
    (karmada) =>
      karmada.metadata.namespace === namespace &&
      namesOf(karmada.metadata.name).has(name) &&
      !isNamedForEtcd(karmada, secret),
  );
  if (owner !== undefined) return { name: owner.metadata.name, namespace };
  // A fault of the Go operator labels the Secret that its user gave for an external etcd.
  const named = karmadas.some(
    (karmada) => karmada.metadata.namespace === namespace && isNamedForEtcd(karmada, secret),
  );
  return labels[MANAGED_BY] === MANAGER && !named ? 'unknown' : undefined;
}

const SUFFIXES: readonly string[] = [
  ...Object.values(SECRET_SUFFIX),
  ...KUBECONFIG_SUFFIXES.map((suffix) => `${suffix}-config`),
];

const namesOf = (karmada: string): ReadonlySet<string> =>
  new Set(SUFFIXES.map((suffix) => instanceName(karmada, suffix)));
