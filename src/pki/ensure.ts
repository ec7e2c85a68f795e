/** Entry point of the PKI: derives the desired Secrets of a control plane from its existing Secrets. */
import { decideCAs } from './ca-recovery.ts';
import type { AuthorityDecision, ExistingData } from './ca-recovery.ts';
import { instanceName } from '../api/naming.ts';
import { optionalField } from '../kubernetes/objects/records.ts';
import { chainOf, constraintFault } from './ca-constraints.ts';
import { customDifference, type CustomCA } from './custom-ca.ts';
import { issueCertificates } from './issue.ts';
import type { Issuance } from './keys.ts';
import type { AuthorityPlans } from './authority-plan.ts';
import type { KeyPlan } from './key-plan.ts';
import { rotated } from './rotated-set.ts';
import { offeredCA } from './offered-ca.ts';
import { newSet, type Hold, type StartingSet } from './new-set.ts';
import { planCertificates, trialLeaves } from './plan.ts';
import type { CertificatePlan, PlanContext } from './plan.ts';
import { decideReissues, reissuesText, storedReissues, type ReissueContext } from './reissues.ts';
import { buildSecrets } from './secrets.ts';
import type { SecretContent } from './secrets.ts';
import { excessIn } from './secret-bounds.ts';
import {
  authorityEvidence,
  parseSecrets,
  readCertificateSet,
  secretRoles,
} from './secrets-read.ts';
import type { ParsedSecrets, ReadSet, ServiceAccountSource } from './secrets-read.ts';
import { describeCertificateSet } from './set-info.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { CertificateSet, PkiInputs, SecretReads, SecretRole } from './types.ts';

export interface EnsureRequest {
  readonly inputs: PkiInputs;
  /** live reads of all Secrets, not cached */
  readonly reads: SecretReads;
  readonly lifeSigns: ExistingData;
  /** custom CA of the user; used only if no CA exists yet, or in a rotation, and compared with the CA in use otherwise */
  readonly customAuthority?: CustomCA;
  readonly blocked?: PlanContext['blocked'];
  readonly keepsTrust?: boolean;
  /** Whether the control plane has never been installed completely. */
  readonly isInstalling?: boolean;
  /** why the record of requested reissues cannot be written */
  readonly recordBlock?: string;
  /** whether new requests to reissue certificates are executed at once, without a stored record */
  readonly isPreview?: boolean;
  /** ServiceAccount keys of a rotation; those of the Secrets by default */
  readonly keyPlan?: KeyPlan;
  /** CAs of a rotation; those of the Secrets by default */
  readonly authorityPlans?: AuthorityPlans;
  /** whether the record of the rotations is not valid: no CA is published or given up then */
  readonly isRecordUnknown?: boolean;
}

/** Secret with its write mode. */
export interface SecretWrite extends SecretContent {
  /** `create`: the Secret was absent; a conflict must fail, so that the operator overwrites no other Secret */
  readonly mode: 'create' | 'apply';
}

export type EnsureResult =
  | Hold
  | {
      readonly outcome: 'ready';
      readonly decision: AuthorityDecision;
      readonly serviceAccountSource: ServiceAccountSource | 'new';
      readonly plan: CertificatePlan;
      /** how the Secret of the custom CA differs from the CA in use */
      readonly customDifference?: string;
      /** SHA-256 of the CA that the Secret of the custom CA offers in place of the one in use */
      readonly customOffer?: string;
      /** why requested reissues are not executed */
      readonly reissueRemarks: readonly string[];
      /** whether further certificates are due as soon as the Secrets are stored */
      readonly isReissuePending: boolean;
      /** public information about the result */
      readonly info: CertificateSetInfo;
      readonly secrets: readonly SecretWrite[];
    };

/**
 * Decides about CAs and ServiceAccount keys, plans and issues certificates, and builds the Secrets. Writes
 * nothing. If no certificate is due, the Secrets are byte-identical to those read.
 * @returns `blocked` with the reason if the operator must not issue certificates
 */
export async function ensureCertificates(
  request: EnsureRequest,
  issuance: Issuance,
): Promise<EnsureResult> {
  const { inputs, reads } = request;
  const unread = secretRoles(inputs).find((role) => (reads[role] ?? 'unknown') === 'unknown');
  if (unread !== undefined) return unreadable(inputs, unread);
  const excess = excessIn(inputs, reads);
  if (excess !== undefined) return { outcome: 'blocked', ...excess };
  const parsed = await parseSecrets(inputs, reads);
  const evidence = { ...authorityEvidence(inputs, reads, parsed), lifeSigns: request.lifeSigns };
  const decision = decideCAs(evidence, {
    cert: instanceName(inputs.name, 'cert'),
    backup: instanceName(inputs.name, 'ca-backup'),
    serviceAccountKey: instanceName(inputs.name, 'service-account-key'),
  });
  if (decision.decision === 'block')
    return { outcome: 'blocked', reason: decision.reason, message: decision.message };
  const start = await startingSet(request, decision, parsed, issuance);
  if ('outcome' in start) return start;
  return {
    outcome: 'ready',
    decision,
    serviceAccountSource: start.serviceAccountSource,
    ...(await issueDue(request, { ...start, decision }, issuance)),
  };
}

type Issued = Omit<
  Extract<EnsureResult, { readonly outcome: 'ready' }>,
  'outcome' | 'decision' | 'serviceAccountSource'
>;

/** Plans and issues certificates, and builds the Secrets. */
async function issueDue(
  request: EnsureRequest,
  { set: start, decision }: Pick<StartingSet, 'set'> & { readonly decision: AuthorityDecision },
  issuance: Issuance,
): Promise<Issued> {
  const { inputs, reads } = request;
  const info = await describeCertificateSet(start);
  const fault = authorityFaultOf(start, inputs);
  const reissues = decideReissues(inputs, info, reissueContext(request, issuance));
  const plan = planCertificates(inputs, info, {
    ...planContext(request, issuance, decision),
    requested: reissues.due,
    ...(fault !== undefined && { authorityFault: fault }),
  });
  const set = await issueCertificates(inputs, { set: start, info, plan }, issuance);
  const issued = await describeCertificateSet(set, { set: start, info });
  return {
    plan,
    ...differenceIn(request, start, issuance.now),
    reissueRemarks: reissues.remarks,
    isReissuePending: reissues.isPending,
    info: issued,
    secrets: secretsOf(request, {
      ...set,
      ...optionalField('reissues', reissuesText(reissues, issued, storedReissues(reads))),
    }),
  };
}

const secretsOf = ({ inputs, reads }: EnsureRequest, set: CertificateSet): readonly SecretWrite[] =>
  buildSecrets(inputs, set).map((secret) => ({
    ...secret,
    mode: reads[secret.role] === 'absent' ? 'create' : 'apply',
  }));

const reissueContext = (
  { reads, recordBlock, isPreview }: EnsureRequest,
  { now }: Issuance,
): ReissueContext => ({
  now,
  ...optionalField('stored', storedReissues(reads)),
  ...optionalField('blocked', recordBlock),
  ...optionalField('isPreview', isPreview),
});

function differenceIn(
  { inputs, customAuthority, authorityPlans }: EnsureRequest,
  { authorities: { ca } }: CertificateSet,
  now: Date,
): Pick<Issued, 'customDifference' | 'customOffer'> {
  // A rotation of it says how far it is.
  if (ca === undefined || customAuthority === undefined || authorityPlans?.has('ca')) return {};
  const difference = customDifference(customAuthority, ca.info);
  if (difference === undefined) return {};
  const used = { pem: ca.active.certificate, info: ca.info.active };
  const { offered } = offeredCA(customAuthority, used, { now, leaves: trialLeaves(inputs) });
  return { customDifference: difference, ...optionalField('customOffer', offered?.sha256) };
}

const planContext = (
  { blocked, keepsTrust, isInstalling }: EnsureRequest,
  { now }: Issuance,
  { decision }: AuthorityDecision,
): PlanContext => ({
  now,
  isNew: decision === 'create' || isInstalling === true,
  ...(blocked === undefined ? {} : { blocked }),
  ...(keepsTrust !== undefined && { keepsTrust }),
});

/** Returns why clients would not accept certificates of a custom CA. Those of the operator have no constraints. */
function authorityFaultOf({ authorities }: CertificateSet, inputs: PkiInputs): string | undefined {
  const authority = inputs.customAuthority ? authorities.ca : undefined;
  if (authority === undefined) return undefined;
  const chain = chainOf(authority.active.certificate, authority.trusted);
  return constraintFault(chain, trialLeaves(inputs));
}

/** Blocks issuing after a failed read, because reissuing would replace certificates in use. */
const unreadable = (inputs: PkiInputs, role: SecretRole): Hold => ({
  outcome: 'blocked',
  reason: 'ReadFailed',
  message: `Secret ${instanceName(inputs.name, role)}: could not be read; the operator issues no certificates until the read succeeds`,
});

/** Returns the certificate set with CAs and ServiceAccount keys, before leaf certificates are planned. */
async function startingSet(
  request: EnsureRequest,
  { decision }: AuthorityDecision,
  parsed: ParsedSecrets,
  issuance: Issuance,
): Promise<StartingSet | Hold> {
  if (decision === 'create') return newSet(request, issuance);
  const read: ReadSet = readCertificateSet(request.reads, parsed);
  if (read.set.serviceAccount !== undefined) return rotated(read, { ...request, parsed }, issuance);
  const secret = instanceName(request.inputs.name, 'service-account-key');
  return {
    outcome: 'blocked',
    reason: 'ServiceAccountKeyLost',
    message: `Secret ${secret}: neither it nor the CA backup Secret contains a readable ServiceAccount signing key; restore the Secret from a backup, because a new key would invalidate all tokens`,
  };
}
