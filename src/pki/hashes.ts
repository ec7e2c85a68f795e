/**
 * One hash per consumer over just what it reads only once. A pod template that carries it restarts when,
 * and only when, a restart is what it takes. Public parts only.
 */
import { createHash } from 'node:crypto';
import {
  CLIENT_COMPONENTS,
  SERVICE_ACCOUNT_USES,
  wantedAuthorities,
  wantedLeaves,
} from './inventory.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { Consumer, Use } from './specs.ts';
import type { ClientComponent, PkiInputs } from './types.ts';

/** Etcd is left out on purpose: only the plan restarts etcd, one member at a time. */
export type HashedConsumer = Exclude<Consumer, 'etcd' | 'users'>;

const HASHED: readonly HashedConsumer[] = [
  'apiserver',
  'scheduler-estimator',
  ...CLIENT_COMPONENTS,
];

/** @returns 64 hex characters per consumer */
export function certificateHashes(
  inputs: PkiInputs,
  info: CertificateSetInfo,
): Readonly<Record<HashedConsumer, string>> {
  const hash = (consumer: HashedConsumer): string =>
    createHash('sha256')
      .update(JSON.stringify(readOnce(consumer, inputs, info)))
      .digest('hex');
  const entries = HASHED.map((consumer) => [consumer, hash(consumer)] as const);
  return Object.fromEntries(entries) as Record<HashedConsumer, string>;
}

const restarts = (uses: readonly Use[], consumer: Consumer): boolean =>
  uses.some(({ component, reload }) => component === consumer && reload === 'restart');

/** Fingerprints of what the consumer reads at its start only. */
function readOnce(
  consumer: HashedConsumer,
  inputs: PkiInputs,
  info: CertificateSetInfo,
): readonly (readonly string[])[] {
  const leaves = wantedLeaves(inputs)
    .filter(({ uses }) => restarts(uses, consumer))
    .map(({ name }) => [name, info.leaves[name]?.certificate?.sha256 ?? '']);
  // Sorted: which of the trusted authorities signs does not matter to who trusts them all.
  const bundles = wantedAuthorities(inputs)
    .filter(({ uses }) => restarts(uses, consumer))
    .map(({ name }) => [name, ...bundleHashes(info, name)]);
  return [...leaves, ...bundles, ...serviceAccount(consumer, info), ...server(consumer, inputs)];
}

const bundleHashes = (
  info: CertificateSetInfo,
  name: keyof CertificateSetInfo['authorities'],
): readonly string[] => (info.authorities[name]?.bundle ?? []).map(({ sha256 }) => sha256).sort();

/** The controller manager has the signing key alone, the API server also those that verify. */
function serviceAccount(
  consumer: HashedConsumer,
  info: CertificateSetInfo,
): readonly (readonly string[])[] {
  if (!restarts(SERVICE_ACCOUNT_USES, consumer)) return [];
  const { signing = '', verifying = [] } = info.serviceAccount ?? {};
  const others = consumer === 'apiserver' ? [...verifying].sort() : [];
  return [['service-account', signing, ...others]];
}

/** A kubeconfig is read once, so the address in it counts too. */
const server = (consumer: HashedConsumer, inputs: PkiInputs): readonly (readonly string[])[] =>
  isClient(consumer) ? [['server', inputs.inClusterServer]] : [];

const isClient = (consumer: HashedConsumer): consumer is ClientComponent =>
  (CLIENT_COMPONENTS as readonly HashedConsumer[]).includes(consumer);
