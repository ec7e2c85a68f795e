/** Inputs for the tests of this folder. All keys are EC keys, because RSA keys are slow to generate. */
import { createHash } from 'node:crypto';
import { OPTIONAL_COMPONENTS } from '../api/component-catalog.ts';
import { recordOf } from '../kubernetes/objects/records.ts';
import type { ExistingData } from './ca-recovery.ts';
import type { EnsureRequest, EnsureResult } from './ensure.ts';
import { makeKey } from './keys.ts';
import type { Issuance, KeyGenerator } from './keys.ts';
import { secretRoles } from './secrets-read.ts';
import type { PkiInputs, RandomBytes, SecretData, SecretReads } from './types.ts';

/** All optional components are installed, or none. */
export const allOptional = (isInstalled: boolean): PkiInputs['addons'] =>
  recordOf(OPTIONAL_COMPONENTS.map(({ suffix }) => [suffix, isInstalled] as const));

export const INPUTS: PkiInputs = {
  name: 'demo',
  namespace: 'team-a',
  dnsDomain: 'cluster.test',
  serviceSubnet: '10.96.0.0/12',
  etcd: 'local',
  addons: allOptional(true),
  metricsClient: true,
  leafValidityDays: 365,
  customAuthority: false,
  extraSans: { apiServer: [], aggregatedAPIServer: [], etcdServer: [], etcdPeer: [] },
  exposedAddresses: [],
  clusterAddresses: [],
  inClusterServer: 'https://demo-karmada-apiserver.team-a.svc.cluster.test:5443',
  externalServer: 'https://demo-karmada-apiserver.team-a.svc.cluster.test:5443',
};

export const NOW = new Date('2026-11-21T12:00:00Z');
export const inDays = (days: number): Date => new Date(NOW.getTime() + days * 86_400_000);

/** Returns distinct but repeatable bytes. */
export function countingRandom(): RandomBytes {
  let count = 0;
  return (bytes) => {
    count += 1;
    return createHash('sha256').update(String(count)).digest().subarray(0, bytes);
  };
}

const EC_KEYS: KeyGenerator = { generate: () => makeKey('ec-p256') };

export const issuance = (now: Date = NOW, keys: KeyGenerator = EC_KEYS): Issuance => ({
  now,
  random: countingRandom(),
  keys,
});

export const NO_LIFE: ExistingData = {
  etcdWorkload: 'absent',
  etcdClaims: 'absent',
  apiserver: 'absent',
  statusReady: 'absent',
};

/** Reads of a new control plane: all Secrets are absent. */
export const allAbsent = (inputs: PkiInputs): SecretReads =>
  Object.fromEntries(secretRoles(inputs).map((role) => [role, 'absent']));

export const request = (change: Partial<EnsureRequest> = {}): EnsureRequest => {
  const inputs = change.inputs ?? INPUTS;
  return { inputs, reads: allAbsent(inputs), lifeSigns: NO_LIFE, ...change };
};

export type Ready = Extract<EnsureResult, { outcome: 'ready' }>;

export function ready(result: EnsureResult): Ready {
  if (result.outcome !== 'ready') throw new Error(`blocked: ${result.reason}: ${result.message}`);
  return result;
}

/** Returns the reads of the written Secrets. */
export const readsOf = (result: Ready): SecretReads => ({
  ...allAbsent(INPUTS),
  ...Object.fromEntries(result.secrets.map(({ role, data }) => [role, data])),
});

export const decode = (data: SecretData | 'absent' | 'unknown' | undefined, key: string): string =>
  Buffer.from(typeof data === 'object' ? (data[key] ?? '') : '', 'base64').toString('utf8');
