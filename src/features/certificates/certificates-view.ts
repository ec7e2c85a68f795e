/** Public view of the certificates of a control plane: pure. */
import { instanceName } from '../../api/naming.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { CATALOG, type ComponentName } from '../../api/component-catalog.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import type { EnsureResult, SecretWrite } from '../../pki/ensure.ts';
import { agingAuthorities, authoritiesInUse, expiries, nextRenewal } from '../../pki/expiry.ts';
import { certificateHashes } from '../../pki/hashes.ts';
import { secretRoles } from '../../pki/secrets-read.ts';
import { identitiesIn } from '../../pki/subjects.ts';
import { lostSuccessors } from '../../pki/successors.ts';
import type { PkiInputs, SecretData } from '../../pki/types.ts';
import type { CertificatesView } from '../../instance/snapshot.ts';

type Ready = Extract<EnsureResult, { outcome: 'ready' }>;

/** Creates the public view. @param result current certificates, or those to be written */
export function viewOf(inputs: PkiInputs, result: Ready, clock: Clock): CertificatesView {
  const { info, secrets } = result;
  const now = clock.wall();
  const all = expiries(inputs, info);
  const [first] = all;
  const renewal = nextRenewal(inputs, info, new Date(now));
  return {
    caBundle: decoded(certData(secrets)['ca.crt']),
    ...(inputs.externalServer !== 'unknown' && { externalServer: inputs.externalServer }),
    ...(sharesKey(secrets) && { sharesKey: true }),
    addressAwaited: inputs.exposedAddresses === 'unknown',
    restartHashes: restartHashes(inputs, result, false),
    formerRestartHashes: restartHashes(inputs, result, true),
    identities: identitiesIn(info),
    expiries: all.map(({ name, notAfter }) => ({ name, notAfter: notAfter.getTime() })),
    authorities: authoritiesInUse(inputs, info),
    expiresAt: first?.notAfter.getTime() ?? now,
    checkAt: result.isReissuePending ? now : checkTime(inputs, renewal, now),
    ...optionalField('customOffer', result.customOffer),
    etcdAuthorities: etcdAuthorities(result),
    secretNames: secretRoles(inputs).map((role) => instanceName(inputs.name, role)),
    ...(result.plan.authorityFault !== undefined && {
      authorityFault: `spec.customCertificate.apiServerCACert: ${result.plan.authorityFault}; clients reject the certificates, so use a CA without this constraint`,
    }),
    remarks: [
      ...remarksOf(result),
      ...lostSuccessors(inputs, info),
      ...agingAuthorities(inputs, info, new Date(now)),
    ],
  };
}

/** SHA-256 of the active, next and additionally trusted etcd CAs. */
function etcdAuthorities({ info }: Ready): readonly string[] {
  const authority = info.authorities['etcd-ca'];
  if (authority === undefined) return [];
  const { active, successor, bundle } = authority;
  const all = [active, ...(successor ? [successor] : []), ...bundle];
  return [...new Set(all.map(({ sha256 }) => sha256))];
}

/** Whether the key of the pair `karmada` also signs ServiceAccount tokens, as in the Go operator. */
function sharesKey(secrets: readonly SecretWrite[]): boolean {
  const own = secrets.find(({ role }) => role === 'service-account-key');
  return own?.data['service-account.key'] === certData(secrets)['karmada.key'];
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Nothing signals that the Secret of a custom CA has changed, which may be in any namespace. */
function checkTime(
  { customAuthority }: Pick<PkiInputs, 'customAuthority'>,
  renewal: Date | undefined,
  now: number,
): number {
  const next = renewal?.getTime() ?? now + DAY_MS;
  return customAuthority ? Math.min(next, now + HOUR_MS) : next;
}

function remarksOf({ plan, customDifference, reissueRemarks }: Ready): readonly string[] {
  return [
    ...reissueRemarks,
    ...(customDifference === undefined ? [] : [customDifference]),
    ...plan.leaves.filter(({ action }) => action === 'block').map(({ message }) => message),
    ...plan.rejected.map(
      ({ value, reason }) =>
        `${JSON.stringify(value)}: not added to the certificate SANs (${reason})`,
    ),
  ];
}

function restartHashes(
  inputs: PkiInputs,
  { info }: Ready,
  isFormer: boolean,
): CertificatesView['restartHashes'] {
  const all = certificateHashes(inputs, info, isFormer);
  const hashes: Readonly<Partial<Record<string, string>>> = all;
  const entries = CATALOG.flatMap(({ name, suffix }): [ComponentName, string][] => {
    const hash = hashes[suffix];
    return hash === undefined ? [] : [[name, hash]];
  });
  return Object.fromEntries(entries);
}

/** Data of the Secret with certificates and keys of all components. */
export function certData(secrets: readonly SecretWrite[]): SecretData {
  return secrets.find(({ role }) => role === 'cert')?.data ?? {};
}

/** Decodes a Secret value. */
export const decoded = (value: string | undefined): string =>
  Buffer.from(value ?? '', 'base64').toString('utf8');
