/** CAs that are rotated without a request of a user: pure. */
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import type { RotationAuthority } from './authority.ts';
import { rotationPolicy } from './policy.ts';
import type { RotationRecord } from './record.ts';
import { isExecuted, shortHash, type RotateRequest } from './requests.ts';

/** Request for one CA. The ID names the CA, or the custom CA that replaces it, so that an aborted rotation does not start again. */
export const automaticRequest = (
  authority: RotationAuthority,
  { sha256 }: { readonly sha256: string },
): RotateRequest => ({
  authorities: [authority],
  recorded: `rotate=${authority}/auto-${shortHash(sha256)}`,
});

/** What the settings and certificates of a control plane say. */
export interface DueInput {
  readonly snapshot: Pick<Snapshot, 'spec'>;
  /** Undefined while there are no certificates. */
  readonly view?: Pick<CertificatesView, 'authorities' | 'customOffer'> | undefined;
}

/** Whether the operator rotates a CA by itself when two thirds of its validity period have passed. */
export const rotatesByAge = (spec: Snapshot['spec'], authority: RotationAuthority): boolean =>
  rotationPolicy(spec).authorities === 'Automatic' && !(authority === 'ca' && hasCustomCA(spec));

const hasCustomCA = ({ customCertificate }: Snapshot['spec']): boolean =>
  customCertificate?.apiServerCACert !== undefined;

/** CAs that the operator may rotate by itself. */
function candidates({ snapshot, view }: DueInput): CertificatesView['authorities'] {
  const { spec } = snapshot;
  if (rotationPolicy(spec).authorities === 'OnRequest') return [];
  const { authorities = [], customOffer } = view ?? {};
  const aging = authorities.filter(({ name }) => rotatesByAge(spec, name));
  if (!hasCustomCA(spec) || customOffer === undefined) return aging;
  // Its user decides when it is replaced: as soon as the Secret has another one, however old the present one is.
  return [{ name: 'ca', sha256: customOffer, rotateAt: -Infinity }, ...aging];
}

/** Returns the CAs whose rotation is due and was not executed. @param now wall clock in milliseconds */
export const dueAuthorities = (
  input: DueInput,
  record: Pick<RotationRecord, 'executed'>,
  now: number,
): readonly RotationAuthority[] =>
  candidates(input)
    .filter(({ rotateAt }) => now >= rotateAt)
    .filter((one) => !isExecuted(record, automaticRequest(one.name, one)))
    .map(({ name }) => name);

/** Returns when the next CA becomes due; Infinity if none will. @param now wall clock in milliseconds */
export const nextDueAt = (input: DueInput, now: number): number =>
  Math.min(
    Infinity,
    ...candidates(input)
      .map(({ rotateAt }) => rotateAt)
      .filter((time) => time > now),
  );
