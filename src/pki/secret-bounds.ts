/** Limits of the values in the Secrets of a control plane, which users can change. Checked before anything is parsed. */
import type { Problem } from '../api/reasons/problem.ts';
import { instanceName } from '../api/naming.ts';
import { OWN_BUNDLE, OWN_CERTIFICATE, sizeText } from '../untrusted/limits.ts';
import { pemFault, type PemLimits } from '../untrusted/pem.ts';
import { CROSS_KEY } from './cross-certificates.ts';
import { wantedAuthorities } from './inventory.ts';
import { FORMER_KEY } from './service-account-keys.ts';
import { probeLocation, retiredLocation, successorLocation } from './spare-locations.ts';
import type { PkiInputs, SecretReads, SecretRole } from './types.ts';

interface Bounded {
  readonly secret: SecretRole;
  readonly key: string;
  readonly limits: PemLimits;
  readonly remedy: string;
}

const AUTHORITY_REMEDY =
  'store only the CA certificates of this control plane in it, or restore the Secret from a backup';
const KEYS_REMEDY =
  'store only the public keys of its ServiceAccount signing keys in it, or restore the Secret from a backup';

function boundedValues(inputs: PkiInputs): readonly Bounded[] {
  const bundles = wantedAuthorities(inputs).flatMap(({ name, stored }): readonly Bounded[] => [
    ...stored.map(({ secret, certificate: key }) => ({
      secret,
      key,
      limits: OWN_BUNDLE,
      remedy: AUTHORITY_REMEDY,
    })),
    ...[successorLocation(name), retiredLocation(name), probeLocation(name)].map(
      ({ secret, certificate: key }) => ({
        secret,
        key,
        limits: SINGLE,
        remedy: AUTHORITY_REMEDY,
      }),
    ),
  ]);
  const cross: Bounded = {
    ...{ secret: 'ca-backup', key: CROSS_KEY },
    ...{ limits: OWN_BUNDLE, remedy: AUTHORITY_REMEDY },
  };
  const keys = (['service-account-key', 'ca-backup'] as const).map((secret) => ({
    secret,
    key: 'service-account.pub',
    limits: OWN_BUNDLE,
    remedy: KEYS_REMEDY,
  }));
  const former: Bounded = {
    ...{ secret: 'ca-backup', key: FORMER_KEY },
    ...{ limits: OWN_BUNDLE, remedy: KEYS_REMEDY },
  };
  return [...bundles, cross, ...keys, former];
}

const SINGLE: PemLimits = { size: OWN_CERTIFICATE.authority, blocks: OWN_BUNDLE.blocks };

/**
 * Returns the first value above its limit. The operator then changes no certificate: a CA that it did not read is not a lost one.
 * @returns undefined if all values are within their limits
 */
export function excessIn(inputs: PkiInputs, reads: SecretReads): Problem | undefined {
  for (const { secret, key, limits, remedy } of boundedValues(inputs)) {
    const read = reads[secret];
    const value = typeof read === 'object' ? (read[key] ?? '') : '';
    const fault = faultOf(value, limits);
    if (fault === undefined) continue;
    return {
      reason: 'CertificateSecretTooLarge',
      message: `Secret ${instanceName(inputs.name, secret)}: ${key} ${fault}; ${remedy}`,
    };
  }
  return undefined;
}

/** @param value base64, which is decoded only if it can be within the limits */
function faultOf(value: string, limits: PemLimits): string | undefined {
  if (value.length > Math.ceil(limits.size / 3) * 4)
    return `has more than ${sizeText(limits.size)}`;
  return pemFault(Buffer.from(value, 'base64').toString('utf8'), limits);
}
