/** Executes a certificate plan: creates keys and signs certificates. */
import type { PairInfo } from './public-info.ts';
import { createSuccessor, withSuccessor } from './bundle.ts';
import { AUTHORITIES, LEAVES } from './inventory.ts';
import { sansToIssue } from './plan.ts';
import type { CertificatePlan } from './plan.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { LeafSpec } from './specs.ts';
import type {
  Authority,
  AuthorityName,
  CertificateSet,
  KeyPair,
  LeafName,
  PkiInputs,
} from './types.ts';
import { readIssuer, signedWith } from './x509.ts';
import type { Issuance } from './keys.ts';
import type { Issuer } from './x509.ts';

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
  const due = new Map(
    plan.leaves
      .filter(({ action }) => action === 'issue')
      .map(({ name, subject }) => [name, subject] as const),
  );
  const leaves: Partial<Record<LeafName, KeyPair>> = { ...set.leaves };
  // One after the other: a signature of a custom CA with a long RSA key occupies one of four threads of Node.js for 200 ms.
  const issuers = new Map<AuthorityName, Issuer>();
  for (const { subject, ...row } of LEAVES.filter(({ name }) => due.has(name))) {
    const spec = { ...row, subject: due.get(row.name) ?? subject };
    const issuer = issuers.get(spec.signer) ?? issuerOf(spec, set.authorities[spec.signer]);
    issuers.set(spec.signer, issuer);
    const from = { issuer, old: info.leaves[spec.name] };
    leaves[spec.name] = await issueLeaf(spec, inputs, from, issuance);
  }
  return { ...set, authorities: await addSuccessors(set, plan, issuance), leaves };
}

function issuerOf({ name, signer }: LeafSpec, authority: Authority | undefined): Issuer {
  if (authority === undefined)
    throw new Error(`certificate ${name} cannot be issued: its CA ${signer} is missing`);
  return readIssuer(authority.active);
}

async function issueLeaf(
  spec: LeafSpec,
  inputs: PkiInputs,
  from: { readonly issuer: Issuer; readonly old: PairInfo | undefined },
  issuance: Issuance,
): Promise<KeyPair> {
  const { dns, ips } = sansToIssue(spec, inputs, from.old);
  const key = await issuance.keys.generate('ec-p256');
  return signedWith(
    from.issuer,
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
        authority === undefined ? undefined : withSuccessor(authority, successor),
      ] as const;
    }),
  );
  return { ...set.authorities, ...Object.fromEntries(added) };
}
