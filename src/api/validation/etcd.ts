/** Validates `spec.components.etcd`, except for the common component settings. */
import type { FieldError } from './field-error.ts';
import { checkEach, checkKeys, checkSyntax, invalid } from './field-error.ts';
import type { Etcd, ExternalEtcd, LocalEtcd, SecretReference, VolumeData } from '../karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../naming.ts';
import {
  annotationKey,
  dnsLabel,
  duration,
  objectName,
  etcdEndpoint,
  qualifiedName,
  quantity,
  subjectAltName,
} from './syntax.ts';
import { validateEtcdSettings } from './etcd-settings.ts';

const FIELD = 'spec.components.etcd';
const RETENTIONS: ReadonlySet<string> = new Set(['Retain', 'Delete']);

/** Validates local or external etcd settings. @param owner name and namespace of the Karmada */
export function validateEtcd(owner: Owner, etcd: Etcd | undefined): readonly FieldError[] {
  const { local, external } = etcd ?? {};
  if (local && external) {
    const message = 'Forbidden: local and external are mutually exclusive; remove one of them';
    return [{ field: FIELD, message }];
  }
  return [
    ...(external ? validateExternal(owner, external) : []),
    ...validateVolume(`${FIELD}.local.volumeData`, local?.volumeData),
    ...validateRetention(local?.persistentVolumeClaimRetentionPolicy),
    ...checkSyntax(
      `${FIELD}.local.replacementGracePeriod`,
      local?.replacementGracePeriod,
      duration,
    ),
    ...validateEtcdSettings(local),
    ...checkEach(`${FIELD}.local.serverCertSANs`, local?.serverCertSANs, subjectAltName),
    ...checkEach(`${FIELD}.local.peerCertSANs`, local?.peerCertSANs, subjectAltName),
  ];
}

interface Owner {
  readonly name: string;
  readonly namespace?: string;
}

function validateExternal(owner: Owner, external: ExternalEtcd): readonly FieldError[] {
  const field = `${FIELD}.external`;
  const endpoints = external.endpoints ?? [];
  return [
    ...validateSecret(owner, `${field}.secretRef`, external.secretRef ?? {}),
    ...(endpoints.length === 0
      ? [{ field: `${field}.endpoints`, message: 'Required value: set at least one etcd member' }]
      : []),
    ...checkEach(`${field}.endpoints`, endpoints, etcdEndpoint),
    ...validateSchemes(`${field}.endpoints`, endpoints),
  ];
}

function validateSecret(
  owner: Owner,
  field: string,
  { name = '', namespace }: SecretReference,
): readonly FieldError[] {
  if (name === '')
    return [
      {
        field: `${field}.name`,
        message: 'Required value: set the Secret with the etcd client certificate',
      },
    ];
  const copy = instanceName(owner.name, SECRET_SUFFIX.etcdClient);
  const sameNamespace = !namespace || namespace === owner.namespace;
  return [
    ...checkSyntax(`${field}.name`, name, objectName),
    ...checkSyntax(`${field}.namespace`, namespace, dnsLabel),
    ...(sameNamespace && name === copy
      ? [
          invalid(
            `${field}.name`,
            name,
            'reserved for the copy that the operator creates; reference another Secret',
          ),
        ]
      : []),
  ];
}

/** Validates that all endpoints use one scheme. Why: the etcd client uses TLS for all endpoints or for none. */
function validateSchemes(field: string, endpoints: readonly string[]): readonly FieldError[] {
  const plain = endpoints.filter((endpoint) => endpoint.startsWith('http://'));
  const mixed = plain.length > 0 && plain.length < endpoints.length;
  return mixed ? [invalid(field, endpoints.join(), 'must be either all https or all http')] : [];
}

function validateVolume(field: string, volume: VolumeData | undefined): readonly FieldError[] {
  const { volumeClaim: claim, hostPath, emptyDir } = volume ?? {};
  return [
    ...(emptyDir && hostPath
      ? [{ field, message: 'Forbidden: emptyDir and hostPath are mutually exclusive; remove one' }]
      : []),
    ...(hostPath ? validateHostPath(`${field}.hostPath.path`, hostPath.path ?? '') : []),
    ...checkSyntax(`${field}.emptyDir.sizeLimit`, emptyDir?.sizeLimit, quantity),
    ...(claim ? validateClaim(`${field}.volumeClaim`, claim) : []),
  ];
}

function validateRetention(
  policy: LocalEtcd['persistentVolumeClaimRetentionPolicy'] = {},
): readonly FieldError[] {
  return Object.entries(policy).flatMap(([name, value]) => {
    if (RETENTIONS.has(value)) return [];
    const field = `${FIELD}.local.persistentVolumeClaimRetentionPolicy.${name}`;
    return [invalid(field, value, 'must be Retain or Delete')];
  });
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
            message: 'Required value: set an access mode (etcd needs ReadWriteOnce)',
          },
        ]
      : []),
    ...(storage === undefined
      ? [
          {
            field: `${field}.spec.resources.requests.storage`,
            message: 'Required value: set the storage per etcd member, such as 8Gi',
          },
        ]
      : checkSyntax(`${field}.spec.resources.requests.storage`, storage, quantity)),
    ...checkKeys(`${field}.metadata.labels`, claim.metadata?.labels, qualifiedName),
    ...checkKeys(`${field}.metadata.annotations`, claim.metadata?.annotations, annotationKey),
  ];
}
