/** Builds the data of all Secrets with certificates of one control plane. */
import { instanceName } from '../api/naming.ts';
import { bundleOf } from './bundle.ts';
import { CROSS_KEY, withChain } from './cross-certificates.ts';
import { CLIENT_COMPONENTS, wantedAuthorities, wantedLeaves } from './inventory.ts';
import { REISSUE_KEY } from './reissue-record.ts';
import { adminKubeconfig, componentKubeconfig } from './kubeconfig.ts';
import { FORMER_KEY, SPARE_KEYS } from './service-account-keys.ts';
import { probeLocation, retiredLocation, successorLocation } from './spare-locations.ts';
import type { PairLocation } from './specs.ts';
import type {
  Authority,
  AuthorityName,
  CertificateSet,
  KeyPair,
  PkiInputs,
  SecretData,
  SecretRole,
} from './types.ts';

export interface SecretContent {
  readonly role: SecretRole;
  /** `metadata.name` */
  readonly name: string;
  readonly data: SecretData;
}

/**
 * Write order of the Secrets. The CA backup comes first, so a later failure never loses the CAs. The result
 * omits `admin-config` while the external address is unknown. With an external etcd it never contains
 * `etcd-cert`, because the user owns that Secret.
 */
const ORDER: readonly SecretRole[] = ['ca-backup', 'service-account-key', 'cert', 'etcd-cert'];

/**
 * Key with only the active CA certificate, because `kube-controller-manager` rejects a signing certificate
 * file with several certificates.
 */
const SIGNING_CERTIFICATE = 'signing-ca.crt';

type Files = Map<SecretRole, Map<string, string>>;

/** Returns the Secrets of a control plane in write order. */
export function buildSecrets(inputs: PkiInputs, set: CertificateSet): readonly SecretContent[] {
  const files: Files = new Map(ORDER.map((role) => [role, new Map()]));
  addAuthorities(files, inputs, set);
  addLeaves(files, inputs, set);
  addServiceAccount(files, set);
  if (set.reissues !== undefined) put(files, 'ca-backup', { [REISSUE_KEY]: set.reissues });
  addKubeconfigs(files, inputs, set);
  return [...files]
    .filter(([, contents]) => contents.size > 0)
    .map(([role, contents]) => ({
      role,
      name: instanceName(inputs.name, role),
      data: Object.fromEntries([...contents].map(([key, value]) => [key, base64(value)])),
    }));
}

const base64 = (value: string): string => Buffer.from(value, 'utf8').toString('base64');

function put(files: Files, role: SecretRole, contents: Readonly<Record<string, string>>): void {
  const target = files.get(role) ?? new Map<string, string>();
  for (const [key, value] of Object.entries(contents)) target.set(key, value);
  files.set(role, target);
}

const putPair = (files: Files, place: PairLocation, pair: KeyPair): void =>
  put(files, place.secret, { [place.certificate]: pair.certificate, [place.key]: pair.key });

const filesOf = (authority: Authority): KeyPair => ({
  certificate: bundleOf(authority).join(''),
  key: authority.active.key,
});

function addAuthorities(files: Files, inputs: PkiInputs, set: CertificateSet): void {
  for (const { name, stored } of wantedAuthorities(inputs)) {
    const authority = set.authorities[name];
    if (authority === undefined) continue;
    for (const place of stored) putPair(files, place, filesOf(authority));
    putSpares(files, name, authority);
    if (name === 'ca') put(files, 'cert', { [SIGNING_CERTIFICATE]: authority.active.certificate });
  }
}

/** Pairs of the CA backup Secret that no Pod uses. */
function putSpares(files: Files, name: AuthorityName, authority: Authority): void {
  const { successor, unpublished = successor, retired, probe } = authority;
  if (unpublished !== undefined) putPair(files, successorLocation(name), unpublished);
  if (retired !== undefined) putPair(files, retiredLocation(name), retired);
  if (probe !== undefined) putPair(files, probeLocation(name), probe);
}

function addLeaves(files: Files, inputs: PkiInputs, set: CertificateSet): void {
  const { authorities, cross = [], leaves } = set;
  for (const { name, signer, stored, isChained } of wantedLeaves(inputs)) {
    const pair = leaves[name];
    if (pair === undefined) continue;
    const authority = isChained && authorities[signer];
    const chained = authority ? withChain(pair, authority, cross) : pair;
    for (const place of stored) putPair(files, place, chained);
  }
  if (cross.length > 0) put(files, 'ca-backup', { [CROSS_KEY]: cross.join('') });
}

function addServiceAccount(files: Files, set: CertificateSet): void {
  const keys = set.serviceAccount;
  if (keys === undefined) return;
  const contents = {
    'service-account.key': keys.signing,
    'service-account.pub': keys.verifying.join(''),
  };
  put(files, 'ca-backup', {
    ...contents,
    ...(keys.successor !== undefined && { [SPARE_KEYS.successor]: keys.successor }),
    ...(keys.retired !== undefined && { [SPARE_KEYS.retired]: keys.retired }),
    ...(keys.former !== undefined && { [FORMER_KEY]: keys.former }),
  });
  put(files, 'service-account-key', contents);
}

function addKubeconfigs(files: Files, inputs: PkiInputs, set: CertificateSet): void {
  const authority = set.authorities.ca;
  if (authority === undefined) return;
  const bundle = bundleOf(authority);
  const wanted = new Set(wantedLeaves(inputs).map(({ name }) => name));
  for (const component of CLIENT_COMPONENTS.filter((item) => wanted.has(`${item}-client`)))
    put(files, `${component}-config`, {
      'ca.crt': bundle.join(''),
      'karmada.config': componentKubeconfig(inputs.inClusterServer, component),
    });
  put(files, 'estimator-client', { 'ca.crt': bundle.join('') });
  if (wanted.has('metrics-client')) put(files, 'metrics-client', { 'ca.crt': bundle.join('') });
  const admin = set.leaves['admin-client'];
  if (admin === undefined || inputs.externalServer === 'unknown') return;
  const kubeconfig = adminKubeconfig(inputs.externalServer, bundle, admin);
  put(files, 'admin-config', { 'karmada.config': kubeconfig, kubeconfig });
}
