/** Executes a certificate plan: creates keys and signs certificates. */
import { createSuccessor } from './bundle.ts';
import type { PairInfo } from './certificate-info.ts';
import { AUTHORITIES, LEAVES } from './inventory.ts';
import type { KeyGenerator } from './keys.ts';
import { sansToIssue } from './plan.ts';
import type { CertificatePlan } from './plan.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { LeafSpec } from './specs.ts';
import type { Authority, CertificateSet, KeyPair, LeafName, PkiInputs } from './types.ts';
import { signedBy } from './x509.ts';
import type { IssueContext } from './x509.ts';

/** Clock, randomness and key generator for issuing certificates. */
export interface Issuance extends IssueContext {
  readonly keys: KeyGenerator;
}

/** Plan with the certificate set that it is based on. */
export interface Planned {
  readonly set: CertificateSet;
  readonly info: CertificateSetInfo;
  readonly plan: CertificatePlan;
}

/**
 * Issues the certificates of a plan.
 * @returns new certificate set; contains kept and blocked certificates unchanged
 * @throws Error when a CA that must sign is missing or cannot sign
 */
export async function issueCertificates(
  inputs: PkiInputs,
  { set, info, plan }: Planned,
  issuance: Issuance,
): Promise<CertificateSet> {
  const due = new Set(
    plan.leaves.filter(({ action }) => action === 'issue').map(({ name }) => name),
  );
  const leaves: Partial<Record<LeafName, KeyPair>> = { ...set.leaves };
  // One after the other: a signature of a custom CA with a long RSA key occupies one of four threads of Node.js for 200 ms.
  for (const spec of LEAVES.filter(({ name }) => due.has(name))) {
    const from = { authority: set.authorities[spec.signer], old: info.leaves[spec.name] };
    leaves[spec.name] = await issueLeaf(spec, inputs, from, issuance);
  }
  return { ...set, authorities: await addSuccessors(set, plan, issuance), leaves };
}

async function issueLeaf(
  spec: LeafSpec,
  inputs: PkiInputs,
  from: { readonly authority: Authority | undefined; readonly old: PairInfo | undefined },
  issuance: Issuance,
): Promise<KeyPair> {
  if (from.authority === undefined)
    throw new Error(`certificate ${spec.name} cannot be issued: its CA ${spec.signer} is missing`);
  const { dns, ips } = sansToIssue(spec, inputs, from.old);
  const key = await issuance.keys.generate('ec-p256');
  return signedBy(
    from.authority.active,
    {
      subject: spec.subject,
      validityDays: inputs.leafValidityDays,
      leaf: { usages: spec.usages, dns, ips },
    },
    key,
    issuance,
  );
}

async function addSuccessors(
  set: CertificateSet,
  plan: CertificatePlan,
  issuance: Issuance,
): Promise<CertificateSet['authorities']> {
  const specs = AUTHORITIES.filter(({ name }) => plan.successors.includes(name));
  const added = await Promise.all(
    specs.map(async (spec) => {
      const authority = set.authorities[spec.name];
      const successor = await createSuccessor(spec, issuance.keys, issuance);
      return [
        spec.name,
        authority === undefined ? undefined : { ...authority, successor },
      ] as const;
    }),
  );
  return { ...set.authorities, ...Object.fromEntries(added) };
}
