/** CAs and ServiceAccount key of a new control plane. */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import { createAuthority, readAuthority } from './bundle.ts';
import { faultOf, type CustomCA } from './custom-ca.ts';
import { wantedAuthorities } from './inventory.ts';
import type { Issuance } from './keys.ts';
import { privateKeyPem, publicKeyPem } from './pem.ts';
import { trialLeaves } from './plan.ts';
import type { ServiceAccountSource } from './secrets-read.ts';
import type { Authority, CertificateSet, PkiInputs } from './types.ts';

/** Why the operator must not issue certificates. */
export interface Hold {
  readonly outcome: 'blocked';
  readonly reason: Reason;
  readonly message: string;
}

/** The certificate set before leaf certificates are planned. */
export interface StartingSet {
  readonly set: CertificateSet;
  readonly serviceAccountSource: ServiceAccountSource | 'new';
}

interface NewSetRequest {
  readonly inputs: PkiInputs;
  readonly customAuthority?: CustomCA;
}

/** Creates the CAs and the ServiceAccount key of a new control plane, or takes the custom CA. */
export async function newSet(
  { inputs, customAuthority }: NewSetRequest,
  issuance: Issuance,
): Promise<StartingSet | Hold> {
  if (customAuthority?.refusal !== undefined)
    return { outcome: 'blocked', ...customAuthority.refusal };
  const fault = customAuthority && faultOf(customAuthority, issuance.now, trialLeaves(inputs));
  if (customAuthority !== undefined && fault !== undefined)
    return {
      outcome: 'blocked',
      reason: 'CustomAuthorityUnusable',
      message: `spec.customCertificate.apiServerCACert: Secret ${customAuthority.secret}: ${fault}; store a CA certificate that can sign the certificates of the control plane in tls.crt, and its private key in tls.key`,
    };
  const custom = customAuthority?.files && readAuthority(customAuthority.files);
  // The operator never replaces a missing custom CA with its own CA.
  if (inputs.customAuthority && custom === undefined)
    return {
      outcome: 'blocked',
      reason: 'CustomAuthorityUnusable',
      message:
        'spec.customCertificate.apiServerCACert: incomplete reference; set name and namespace of a Secret with a CA certificate in tls.crt and its private key in tls.key',
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
