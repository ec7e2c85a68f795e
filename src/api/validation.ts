/**
 * Rules for a Karmada: those of the CRD, for objects that are older than it, and those that it
 * cannot express. Refused is what cannot work or would be lost without a word; what is merely
 * unwise is a matter of `warnings.ts`.
 */
import type { FieldError } from './field-error.ts';
import { checkKeys, checkSyntax, invalid } from './field-error.ts';
import type { HostCluster, Karmada, KarmadaSpec, SecretReference } from './karmada.ts';
import { maxNameLength } from './naming.ts';
import {
  apiEndpoint,
  dnsDomain,
  dnsLabel,
  featureGate,
  imageRegistry,
  objectName,
  release,
} from './syntax.ts';
import { validateArchive } from './validation-archive.ts';
import { validateComponents } from './validation-components.ts';
import { validateEtcd } from './validation-etcd.ts';

/**
 * All mistakes in a Karmada, as it is or with its defaults; empty when it can be carried out.
 * Never throws for an object that has the types of the CRD.
 */
export function validate(karmada: Karmada): readonly FieldError[] {
  const spec = karmada.spec ?? {};
  return [
    ...validateName(karmada.metadata.name),
    ...checkSyntax('metadata.namespace', karmada.metadata.namespace, dnsLabel),
    ...validateHost(spec.hostCluster),
    ...checkSyntax('spec.privateRegistry.registry', spec.privateRegistry?.registry, imageRegistry),
    ...checkSyntax('spec.version', spec.version, release),
    ...validatePullSecrets(spec),
    ...validateEtcd(karmada.metadata, spec.components?.etcd),
    ...validateComponents(karmada.metadata.name, spec),
    ...checkKeys('spec.featureGates', spec.featureGates, featureGate),
    ...validateArchive(spec.crdTarball),
    ...validateCertificates(spec),
  ];
}

function validateName(name: string): readonly FieldError[] {
  const field = 'metadata.name';
  const limit = maxNameLength(name);
  if (name.length > limit) {
    const reason = 'so that the names of the Services made from it fit into 63';
    return [invalid(field, name, `must have at most ${limit} characters, ${reason}`)];
  }
  if (dnsLabel.matches(name)) return [];
  return [
    invalid(field, name, `must be ${dnsLabel.expected}, because Services are named after it`),
  ];
}

function validatePullSecrets({ imagePullSecrets = [] }: KarmadaSpec): readonly FieldError[] {
  return imagePullSecrets.flatMap(({ name }, index) =>
    checkSyntax(`spec.imagePullSecrets[${index}].name`, name, objectName),
  );
}

function validateHost(host: HostCluster | undefined): readonly FieldError[] {
  const field = 'spec.hostCluster';
  const reference = host?.secretRef;
  return [
    ...(reference?.name ? validateReference(`${field}.secretRef`, reference) : []),
    ...checkSyntax(`${field}.apiEndpoint`, host?.apiEndpoint, apiEndpoint),
    ...checkSyntax(`${field}.networking.dnsDomain`, host?.networking?.dnsDomain, dnsDomain),
  ];
}

/** A Secret that can be anywhere, so that both parts of the reference are needed. */
function validateReference(field: string, reference: SecretReference): readonly FieldError[] {
  const missing = (['name', 'namespace'] as const)
    .filter((part) => !reference[part])
    .map((part) => ({ field: `${field}.${part}`, message: `Required value: set the ${part}` }));
  return [
    ...missing,
    ...checkSyntax(`${field}.name`, reference.name, objectName),
    ...checkSyntax(`${field}.namespace`, reference.namespace, dnsLabel),
  ];
}

/** Longest life of a certificate: beyond it a duration in nanoseconds no longer fits 64 bits. */
const MAX_VALIDITY_DAYS = 106_751;

function validateCertificates(spec: KarmadaSpec): readonly FieldError[] {
  const field = 'spec.customCertificate';
  const custom = spec.customCertificate;
  const days = custom?.leafCertValidityDays;
  const outside = days !== undefined && (days < 1 || days > MAX_VALIDITY_DAYS);
  return [
    ...(custom?.apiServerCACert
      ? validateReference(`${field}.apiServerCACert`, custom.apiServerCACert)
      : []),
    ...(outside
      ? [invalid(`${field}.leafCertValidityDays`, days, `must be 1 to ${MAX_VALIDITY_DAYS} days`)]
      : []),
  ];
}
