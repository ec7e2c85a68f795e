/** Rules for `spec.components.etcd` beside the common settings of its pods. */
import type { FieldError } from './field-error.ts';
import { checkEach, checkKeys, checkSyntax, invalid, quoted } from './field-error.ts';
import type { Etcd, ExternalEtcd, VolumeData } from './karmada.ts';
import { instanceName, SECRET_SUFFIX } from './naming.ts';
import { annotationKey, etcdEndpoint, qualifiedName, quantity, subjectAltName } from './syntax.ts';

const FIELD = 'spec.components.etcd';
const RETENTIONS: ReadonlySet<string> = new Set(['Retain', 'Delete']);

/** @param name `metadata.name`, from which the Secret of an external etcd has its name */
export function validateEtcd(name: string, etcd: Etcd | undefined): readonly FieldError[] {
  const { local, external } = etcd ?? {};
  if (local && external) {
    const message = 'Forbidden: local and external are mutually exclusive; remove one of them';
    return [{ field: FIELD, message }];
  }
  return [
    ...(external ? validateExternal(name, external) : []),
    ...validateVolume(`${FIELD}.local.volumeData`, local?.volumeData),
    ...validateRetention(local?.persistentVolumeClaimRetentionPolicy?.whenDeleted),
    ...checkEach(`${FIELD}.local.serverCertSANs`, local?.serverCertSANs, subjectAltName),
    ...checkEach(`${FIELD}.local.peerCertSANs`, local?.peerCertSANs, subjectAltName),
  ];
}

function validateExternal(name: string, external: ExternalEtcd): readonly FieldError[] {
  const field = `${FIELD}.external`;
  const secret = instanceName(name, SECRET_SUFFIX.etcdCert);
  const given = external.secretRef?.name ?? '';
  const endpoints = external.endpoints ?? [];
  return [
    ...(given === secret
      ? []
      : [
          invalid(`${field}.secretRef.name`, given, `must be ${quoted(secret)}; rename the Secret`),
        ]),
    ...(endpoints.length === 0
      ? [{ field: `${field}.endpoints`, message: 'Required value: name at least one member' }]
      : []),
    ...checkEach(`${field}.endpoints`, endpoints, etcdEndpoint),
  ];
}

function validateVolume(field: string, volume: VolumeData | undefined): readonly FieldError[] {
  const { volumeClaim: claim, hostPath, emptyDir } = volume ?? {};
  return [
    ...(emptyDir && hostPath
      ? [{ field, message: 'Forbidden: emptyDir and hostPath exclude each other; remove one' }]
      : []),
    ...(hostPath ? validateHostPath(`${field}.hostPath.path`, hostPath.path ?? '') : []),
    ...checkSyntax(`${field}.emptyDir.sizeLimit`, emptyDir?.sizeLimit, quantity),
    ...(claim ? validateClaim(`${field}.volumeClaim`, claim) : []),
  ];
}

function validateRetention(whenDeleted: string | undefined): readonly FieldError[] {
  if (whenDeleted === undefined || RETENTIONS.has(whenDeleted)) return [];
  const field = `${FIELD}.local.persistentVolumeClaimRetentionPolicy.whenDeleted`;
  return [invalid(field, whenDeleted, 'must be Retain or Delete')];
}

function validateHostPath(field: string, path: string): readonly FieldError[] {
  const accepted = path !== '' && !path.split('/').includes('..');
  return accepted ? [] : [invalid(field, path, 'must be a path without ".."')];
}

function validateClaim(
  field: string,
  claim: NonNullable<VolumeData['volumeClaim']>,
): readonly FieldError[] {
  const storage = claim.spec?.resources?.requests?.['storage'];
  const modes = claim.spec?.accessModes ?? [];
  return [
    ...(modes.length === 0
      ? [
          {
            field: `${field}.spec.accessModes`,
            message: 'Required value: name one, ReadWriteOnce is what etcd needs',
          },
        ]
      : []),
    ...(storage === undefined
      ? [
          {
            field: `${field}.spec.resources.requests.storage`,
            message: 'Required value: say how much storage a member gets, such as 8Gi',
          },
        ]
      : checkSyntax(`${field}.spec.resources.requests.storage`, storage, quantity)),
    ...checkKeys(`${field}.metadata.labels`, claim.metadata?.labels, qualifiedName),
    ...checkKeys(`${field}.metadata.annotations`, claim.metadata?.annotations, annotationKey),
  ];
}
