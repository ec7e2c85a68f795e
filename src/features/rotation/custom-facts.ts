/** What the Secret of a custom CA has for a rotation of `ca`: pure. */
import { optionalField } from '../../kubernetes/objects/records.ts';
import type { AuthorityFacts as Stored } from '../../pki/authority-facts.ts';
import type { CustomCA } from '../../pki/custom-ca.ts';
import { offeredCA, providedAuthority } from '../../pki/offered-ca.ts';
import { trialLeaves } from '../../pki/plan.ts';
import type { CertificateInfo } from '../../pki/public-info.ts';
import type { PkiInputs } from '../../pki/types.ts';
import type { CustomFacts, RootFacts } from './facts.ts';

const FIELD = 'spec.customCertificate.apiServerCACert';

export const rootOf = ({ sha256, notBefore, notAfter }: CertificateInfo): RootFacts => ({
  sha256,
  notBefore: notBefore.getTime(),
  notAfter: notAfter.getTime(),
});

/**
 * Returns the facts.
 * @param custom the Secret that was read just now; undefined if the spec references none
 */
export function customFacts(
  custom: CustomCA | undefined,
  { active, pairs }: Pick<Stored, 'active' | 'pairs'>,
  { inputs, now }: { readonly inputs: PkiInputs; readonly now: Date },
): CustomFacts {
  if (custom === undefined)
    return { fault: `${FIELD} references no Secret with name and namespace`, keys: [] };
  const { secret } = custom;
  const trial = { now, leaves: trialLeaves(inputs) };
  const pem = pairs.get(active.sha256)?.certificate;
  // The CA backup Secret lacks the active CA only between two writes of the operator.
  const { fault, offered, provided } =
    pem === undefined
      ? { provided: providedAuthority(custom, trial)?.info.active }
      : offeredCA(custom, { pem, info: active }, trial);
  return {
    secret,
    keys: provided === undefined ? [] : [provided.sha256],
    ...optionalField('fault', fault),
    ...optionalField('offer', offered && rootOf(offered)),
  };
}
