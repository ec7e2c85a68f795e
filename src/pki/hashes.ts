/**
 * Computes one hash per consumer over the certificates that it reads only at start. As a Pod template
 * annotation, the hash restarts Pods exactly when a restart is necessary. Uses public data only.
 */
import { recordOf } from '../kubernetes/objects/records.ts';
import { createHash } from 'node:crypto';
import {
  CLIENT_COMPONENTS,
  SERVICE_ACCOUNT_USES,
  wantedAuthorities,
  wantedLeaves,
} from './inventory.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { Consumer, LeafSpec, Use } from './specs.ts';
import type { ClientComponent, PkiInputs } from './types.ts';

/** Excludes users. The Pods of etcd restart one after the other. */
export type HashedConsumer = Exclude<Consumer, 'users'>;

const HASHED: readonly HashedConsumer[] = [
  'apiserver',
  'etcd',
  'scheduler-estimator',
  ...CLIENT_COMPONENTS,
];

/**
 * Returns a SHA-256 per consumer, as 64 hex characters.
 * @param isFormer whether the Pods have a former template revision
 */
export function certificateHashes(
  inputs: PkiInputs,
  info: CertificateSetInfo,
  isFormer = false,
): Readonly<Record<HashedConsumer, string>> {
  const leaves = wantedLeaves(inputs).map((leaf) => ({ ...leaf, uses: usesOf(leaf, isFormer) }));
  const hash = (consumer: HashedConsumer): string =>
    createHash('sha256')
      .update(JSON.stringify(readOnce(consumer, { inputs, leaves }, info)))
      .digest('hex');
  const entries = HASHED.map((consumer) => [consumer, hash(consumer)] as const);
  return recordOf(entries);
}

/** Former Pods use the pair `karmada` where others use `estimator-client`. */
const usesOf = ({ name, uses }: LeafSpec, isFormer: boolean): readonly Use[] => {
  if (name === 'estimator-client') return isFormer ? [] : uses;
  return uses.filter((use) => use.isFormer !== true || isFormer);
};

interface Wanted {
  readonly inputs: PkiInputs;
  readonly leaves: readonly LeafSpec[];
}

const restarts = (uses: readonly Use[], consumer: Consumer): boolean =>
  uses.some(({ component, reload }) => component === consumer && reload === 'restart');

/** Returns the fingerprints of everything that the consumer reads only at start. */
function readOnce(
  consumer: HashedConsumer,
  { inputs, leaves: wanted }: Wanted,
  info: CertificateSetInfo,
): readonly (readonly string[])[] {
  const leaves = wanted
    .filter(({ uses }) => restarts(uses, consumer))
    .map(({ name }) => [name, info.leaves[name]?.certificate?.sha256 ?? '']);
  // Sorted, because a consumer that trusts the bundle does not depend on which of its CAs is active.
  const bundles = wantedAuthorities(inputs)
    .filter(({ uses }) => restarts(uses, consumer))
    .map(({ name }) => [name, ...bundleHashes(info, name)]);
  return [...leaves, ...bundles, ...serviceAccount(consumer, info), ...server(consumer, inputs)];
}

const bundleHashes = (
  info: CertificateSetInfo,
  name: keyof CertificateSetInfo['authorities'],
): readonly string[] => (info.authorities[name]?.bundle ?? []).map(({ sha256 }) => sha256).sort();

/** Returns the ServiceAccount keys: only the signing key, and for the API server also the verification keys. */
function serviceAccount(
  consumer: HashedConsumer,
  info: CertificateSetInfo,
): readonly (readonly string[])[] {
  if (!restarts(SERVICE_ACCOUNT_USES, consumer)) return [];
  const { signing = '', verifying = [] } = info.serviceAccount ?? {};
  const others = consumer === 'apiserver' ? [...verifying].sort() : [];
  return [['service-account', signing, ...others]];
}

/** Returns the API server address, because components read the kubeconfig only at start. */
const server = (consumer: HashedConsumer, inputs: PkiInputs): readonly (readonly string[])[] =>
  isClient(consumer) ? [['server', inputs.inClusterServer]] : [];

const isClient = (consumer: HashedConsumer): consumer is ClientComponent =>
  CLIENT_COMPONENTS.some((component) => component === consumer);
