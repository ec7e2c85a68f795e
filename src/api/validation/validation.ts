/**
 * Validates a Karmada. Contains the rules of the CRD, for objects that were stored before these rules existed, and
 * rules that a CRD cannot express. It rejects what cannot work or would be silently lost; `warnings.ts` reports what
 * works but is not recommended.
 */
import { validateAdoptEtcd } from './adopt-etcd.ts';
import type { FieldError } from './field-error.ts';
import { checkKeys, checkSyntax, invalid } from './field-error.ts';
import type { HostCluster, Karmada, KarmadaSpec, SecretReference } from '../karmada.ts';
import { maxNameLength } from '../naming.ts';
import {
  apiEndpoint,
  dnsDomain,
  dnsLabel,
  featureGate,
  imageRegistry,
  objectName,
  release,
  stepDuration,
} from './syntax.ts';
import { validateArchive } from './archive.ts';
import { validateComponents } from './components.ts';
import { validateEtcd } from './etcd.ts';
import { validatePodSettings } from './pod-settings.ts';

/**
 * Returns all validation errors of a Karmada, with or without defaults; empty if it is valid.
 * Never throws for an object with the field types of the CRD.
 */
export function validate(karmada: Karmada): readonly FieldError[] {
  const spec = karmada.spec ?? {};
  return [
    ...validateName(karmada.metadata.name),
    ...validateAdoptEtcd(karmada.metadata),
    ...checkSyntax('metadata.namespace', karmada.metadata.namespace, dnsLabel),
    ...validateHost(spec.hostCluster),
    ...checkSyntax('spec.privateRegistry.registry', spec.privateRegistry?.registry, imageRegistry),
    ...checkSyntax('spec.version', spec.version, release),
    ...validatePullSecrets(spec),
    ...validateEtcd(karmada.metadata, spec.components?.etcd),
    ...validateComponents(karmada.metadata.name, spec),
    ...validatePodSettings(spec.podSettings),
    ...checkKeys('spec.featureGates', spec.featureGates, featureGate),
    ...validateArchive(spec.crdTarball),
    ...validateCertificates(spec),
    ...checkSyntax(
      'spec.certificates.rotation.overlap',
      spec.certificates?.rotation?.overlap,
      stepDuration,
    ),
    ...checkSyntax('spec.upgrade.stepDeadline', spec.upgrade?.stepDeadline, stepDuration),
  ];
}

function validateName(name: string): readonly FieldError[] {
  const field = 'metadata.name';
  const limit = maxNameLength(name);
  if (name.length > limit) {
    const reason = 'because Service names derived from it are limited to 63';
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

/** Validates a reference to a Secret in any namespace; name and namespace are required. */
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

/** Maximum validity period in days; a longer duration in nanoseconds does not fit into a 64-bit integer. */
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
