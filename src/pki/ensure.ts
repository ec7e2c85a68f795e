/** From what was read of an instance's Secrets to what they must hold: the one way in. */
import { decideAuthorities } from './authority-decision.ts';
import type { AuthorityDecision, LifeSigns } from './authority-decision.ts';
import { instanceName } from '../api/naming.ts';
import { createAuthority, readAuthority } from './bundle.ts';
import { faultOf, type CustomAuthority } from './custom-authority.ts';
import { wantedAuthorities } from './inventory.ts';
import { issueCertificates } from './issue.ts';
import type { Issuance } from './issue.ts';
import { privateKeyPem, publicKeyPem } from './pem.ts';
import { planCertificates } from './plan.ts';
import type { CertificatePlan, PlanContext } from './plan.ts';
import { buildSecrets } from './secrets.ts';
import type { SecretContent } from './secrets.ts';
import { authorityEvidence, readCertificateSet, secretRoles } from './secrets-read.ts';
import type { ReadSet, ServiceAccountSource } from './secrets-read.ts';
import { describeCertificateSet } from './set-info.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { Authority, CertificateSet, PkiInputs, SecretReads, SecretRole } from './types.ts';

export interface EnsureRequest {
  readonly inputs: PkiInputs;
  /** live reads of every Secret, not a cache */
  readonly reads: SecretReads;
  readonly lifeSigns: LifeSigns;
  /** the user's authority, PEM: used when there is none yet */
  readonly customAuthority?: CustomAuthority;
  readonly requested?: PlanContext['requested'];
  readonly held?: PlanContext['held'];
}

/** A Secret and how to write it. */
export interface SecretWrite extends SecretContent {
  /** `create`: it was absent; create it and let a conflict fail, so that nobody's is overwritten */
  readonly mode: 'create' | 'apply';
}

export type EnsureResult =
  | { readonly outcome: 'hold'; readonly reason: string; readonly message: string }
  | {
      readonly outcome: 'ready';
      readonly decision: AuthorityDecision;
      readonly serviceAccountSource: ServiceAccountSource | 'new';
      readonly plan: CertificatePlan;
      /** public part of the result */
      readonly info: CertificateSetInfo;
      readonly secrets: readonly SecretWrite[];
    };

/**
 * Decides about authorities and ServiceAccount keys, plans, issues and builds the Secrets. Nothing is
 * written here. With nothing due, the Secrets come out byte by byte as they were read.
 */
export async function ensureCertificates(
  request: EnsureRequest,
  issuance: Issuance,
): Promise<EnsureResult> {
  const { inputs, reads } = request;
  const unread = secretRoles(inputs).find((role) => (reads[role] ?? 'unknown') === 'unknown');
  if (unread !== undefined) return unreadable(inputs, unread);
  const decision = decideAuthorities(authorityEvidence(inputs, reads, request.lifeSigns), {
    cert: instanceName(inputs.name, 'cert'),
    backup: instanceName(inputs.name, 'ca-backup'),
    serviceAccountKey: instanceName(inputs.name, 'service-account-key'),
  });
  if (decision.decision === 'hold') return { outcome: 'hold', ...withoutDecision(decision) };
  const start = await startingSet(request, decision, issuance);
  if ('outcome' in start) return start;
  const info = describeCertificateSet(start.set);
  const plan = planCertificates(inputs, info, planContext(request, issuance));
  const set = await issueCertificates(inputs, { set: start.set, info, plan }, issuance);
  return {
    outcome: 'ready',
    decision,
    serviceAccountSource: start.serviceAccountSource,
    plan,
    info: describeCertificateSet(set),
    secrets: buildSecrets(inputs, set).map((secret) => ({
      ...secret,
      mode: reads[secret.role] === 'absent' ? 'create' : 'apply',
    })),
  };
}

const withoutDecision = ({
  reason,
  message,
}: AuthorityDecision): Omit<AuthorityDecision, 'decision'> => ({
  reason,
  message,
});

const planContext = ({ requested, held }: EnsureRequest, { now }: Issuance): PlanContext => ({
  now,
  ...(requested === undefined ? {} : { requested }),
  ...(held === undefined ? {} : { held }),
});

/** What could not be read is not missing: issuing it anew would replace what is in use. */
const unreadable = (inputs: PkiInputs, role: SecretRole): Hold => ({
  outcome: 'hold',
  reason: 'ReadFailed',
  message: `Secret ${instanceName(inputs.name, role)} could not be read; certificates wait until it can`,
});

interface StartingSet {
  readonly set: CertificateSet;
  readonly serviceAccountSource: ServiceAccountSource | 'new';
}

type Hold = Extract<EnsureResult, { readonly outcome: 'hold' }>;

/** The set with its authorities and ServiceAccount keys, before leaves are looked at. */
async function startingSet(
  request: EnsureRequest,
  { decision }: AuthorityDecision,
  issuance: Issuance,
): Promise<StartingSet | Hold> {
  if (decision === 'create') return newSet(request, issuance);
  const read: ReadSet = readCertificateSet(request.reads);
  if (read.set.serviceAccount !== undefined) return read;
  const secret = instanceName(request.inputs.name, 'service-account-key');
  return {
    outcome: 'hold',
    reason: 'ServiceAccountKeyLost',
    message: `the key that signs ServiceAccount tokens cannot be read from Secret ${secret} nor from the backup: restore the Secret from a copy, a new key would void every token`,
  };
}

async function newSet(request: EnsureRequest, issuance: Issuance): Promise<StartingSet | Hold> {
  const { inputs, customAuthority } = request;
  if (customAuthority?.refusal !== undefined)
    return { outcome: 'hold', ...customAuthority.refusal };
  const fault = customAuthority && faultOf(customAuthority, issuance.now);
  if (customAuthority !== undefined && fault !== undefined)
    return {
      outcome: 'hold',
      reason: 'CustomAuthorityUnusable',
      message: `spec.customCertificate.apiServerCACert: Secret ${customAuthority.secret} ${fault}; put the certificate of a CA there as tls.crt and its private key as tls.key`,
    };
  const custom = customAuthority?.files && readAuthority(customAuthority.files);
  // One that is wanted and not there is never replaced by one of ours.
  if (inputs.customAuthority && custom === undefined)
    return {
      outcome: 'hold',
      reason: 'CustomAuthorityUnusable',
      message:
        'spec.customCertificate.apiServerCACert: give the name and the namespace of a Secret with the certificate of a CA in tls.crt and its private key in tls.key',
    };
  const [key, ...authorities] = await Promise.all([
    issuance.keys.generate('rsa-2048'),
    ...wantedAuthorities(inputs).map(async (spec): Promise<readonly [string, Authority]> => [
      spec.name,
      spec.name === 'ca' && custom !== undefined
        ? custom
        : await createAuthority(spec, issuance.keys, issuance),
    ]),
  ]);
  const serviceAccount = { signing: privateKeyPem(key), verifying: [publicKeyPem(key)] };
  return {
    set: { authorities: Object.fromEntries(authorities), leaves: {}, serviceAccount },
    serviceAccountSource: 'new',
  };
}
