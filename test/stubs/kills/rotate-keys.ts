/** Keys of ServiceAccount tokens in a control plane of stubs. */
import { createHash, createPublicKey } from 'node:crypto';
import type { StubCluster } from '../stub-cluster.ts';
import { findSecret, rotationsIn, textOf, type Watched } from './rotation-steps.ts';

const hashOf = (pem: string): string =>
  createHash('sha256')
    .update(createPublicKey(pem).export({ type: 'spki', format: 'der' }))
    .digest('hex');

/** What the Secrets have of the keys, as SHA-256 of the public halves. */
interface StoredKeys {
  readonly signs: string;
  readonly verifies: readonly string[];
  /** Keys whose private half the CA backup Secret has. */
  readonly saved: readonly string[];
  /** Rotations under way. */
  readonly rotations: number;
}

export async function storedKeys(cluster: StubCluster): Promise<StoredKeys> {
  const [used, saved] = await Promise.all([
    findSecret(cluster, 'service-account-key'),
    findSecret(cluster, 'ca-backup'),
  ]);
  const verifying = textOf(used, 'service-account.pub');
  const privates = ['', '-successor', '-retired']
    .map((one) => textOf(saved, `service-account${one}.key`))
    .filter((pem) => pem !== '');
  return {
    signs: hashOf(textOf(used, 'service-account.key')),
    verifies: (verifying.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []).map(hashOf),
    saved: [...new Set(privates.map(hashOf))].sort(),
    rotations: rotationsIn(saved),
  };
}

/** What is wrong with the keys at the moment. */
async function faultsOf(cluster: StubCluster): Promise<readonly string[]> {
  const { signs, verifies, saved } = await storedKeys(cluster);
  const { tokenKeys } = cluster;
  const refused = tokenKeys.filter((one) =>
    tokenKeys.some(({ published }) => !published.includes(one.signs)),
  );
  return [
    ...(verifies.includes(signs) ? [] : ['the key that signs does not verify']),
    ...(saved.includes(signs) ? [] : ['the private key that signs is not in the CA backup Secret']),
    ...(refused.length === 0 ? [] : ['an API server refuses the tokens of another one']),
  ];
}

/** Watches the keys. @param faults receives what is wrong */
export const watchKeys = (faults: Set<string>): Watched => ({ faults, faultsOf });
