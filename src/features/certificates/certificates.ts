/**
 * Reads, decides (`src/pki`), issues and writes the certificates of a control plane. All Secrets are read live.
 * Private keys stay in memory only for one call and in the connections opened with them.
 */
import { randomBytes } from 'node:crypto';
import type { SecretPolicy } from '../../api/secrets/secret-grant.ts';
import type { ClientPair } from '../../etcd/dial.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import { hashSecretValues } from '../../kubernetes/objects/cache-transform.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import type { ExistingData } from '../../pki/ca-recovery.ts';
import {
  ensureCertificates,
  type EnsureRequest,
  type EnsureResult,
  type SecretWrite,
} from '../../pki/ensure.ts';
import type { KeyGenerator } from '../../pki/keys.ts';
import type { LeafName, PkiInputs, SecretRole } from '../../pki/types.ts';
import { certData, decoded, viewOf } from './certificates-view.ts';
import { readCustomAuthority } from '../../host-clusters/read-custom-authority.ts';
import { adminCredentials } from '../../control-plane-access/credentials.ts';
import type { Host } from '../../host-clusters/host.ts';
import { readExistingData } from './existing-data.ts';
import type { CertificatesMemo } from '../../instance/instance-cache.ts';
import { secretOf } from '../../api/labels.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { foreignProblem, type RecognizeSecrets } from '../../instance/own-objects.ts';
import type { PresentSecrets } from '../../instance/present-secrets.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { ROTATION_ANNOTATION } from '../rotation/record.ts';
import { blockedByPause, pausedRoles, pauseReason } from './paused-secrets.ts';
import { inOrder, rotatedBy } from './planned-by-rotation.ts';
import { readSecrets } from './read-secrets.ts';
import {
  versionsOf,
  writeSecrets,
  type FoundSecrets,
  type SecretVersions,
} from './write-secrets.ts';
import type { CertificatesOutcome } from '../../actions/certificates-outcome.ts';

export interface CertificateTools {
  readonly host: Host;
  readonly clock: Clock;
  readonly keys: KeyGenerator;
  readonly secretPolicy: SecretPolicy;
  /** Recognizes further Secrets, for a preview. */
  readonly recognize?: RecognizeSecrets;
  /** Whether nothing is written, so that a request to reissue certificates is foreseen without its record. */
  readonly isPreview?: boolean;
}

type Ready = Extract<EnsureResult, { outcome: 'ready' }>;

/**
 * Issues certificates that are due and writes their Secrets.
 * @throws ApiError, NetworkError if a read or a write fails; a failed read never causes an issuance
 */
export async function ensureInstanceCertificates(
  tools: CertificateTools,
  inputs: PkiInputs,
  snapshot: Subject,
): Promise<CertificatesOutcome> {
  const { host, clock } = tools;
  const { result, paused, ...found } = await decideCertificates(tools, inputs, snapshot);
  if (result.outcome === 'blocked')
    return { outcome: 'blocked', problem: { reason: result.reason, message: result.message } };
  const secrets = result.secrets.filter(({ role }) => !paused.has(role));
  const written = await writeSecrets(host, inputs, inOrder(secrets, found.rotation), found);
  if ('problem' in written) return { outcome: 'blocked', problem: written.problem };
  const etcdClient = etcdClientOf(inputs, result.secrets);
  return {
    outcome: 'ready',
    memo: memoOf(inputs, result, {
      clock,
      read: versionsOf(found.live.values()),
      written: versionsOf(written.objects),
      paused,
      rotation: found.rotation,
    }),
    // The certificate of the operator exists even while the external address is unknown.
    ...optionalField(
      'credentials',
      adminCredentials(certSecret(inputs, result.secrets), inputs.inClusterServer),
    ),
    ...(etcdClient && { etcdClient }),
    ...optionalField('newBackup', newBackupIn(inputs, found, written.objects)),
  };
}

/** @returns undefined unless this reconcile created the CAs, and found neither a StatefulSet nor PVCs of etcd */
const newBackupIn = (
  { name }: PkiInputs,
  { hasNoEtcd }: Pick<CertificatesDecision, 'hasNoEtcd'>,
  written: readonly KubernetesObject[],
): KubernetesObject | undefined =>
  hasNoEtcd
    ? written.find(({ metadata }) => metadata.name === instanceName(name, SECRET_SUFFIX.caBackup))
    : undefined;

export interface CertificatesDecision extends FoundSecrets {
  readonly result: EnsureResult;
  /** Whether no Secret has a CA, and live reads found neither a StatefulSet nor PVCs of etcd. */
  readonly hasNoEtcd: boolean;
  /** Secrets that the operator does not write. */
  readonly paused: ReadonlySet<SecretRole>;
  /** Record of the rotations that the certificates follow. */
  readonly rotation?: string | undefined;
}

/** What the certificates are for. */
type Subject = Pick<Snapshot, 'karmada' | 'spec' | 'host'> & {
  /** See `IssueCertificates`. */
  readonly createsKey?: true;
  readonly present?: PresentSecrets;
};

const NOTHING_FOUND: Omit<CertificatesDecision, 'result'> = {
  hasNoEtcd: false,
  paused: new Set(),
  reads: {},
  unlabelled: new Set(),
  live: new Map(),
};

type DecideTools = Omit<CertificateTools, 'host'> & { readonly host: Reader };

/** Issues due certificates in memory, and writes nothing. @throws as ensureInstanceCertificates */
export async function decideCertificates(
  { host, clock, keys, secretPolicy, recognize, isPreview }: DecideTools,
  inputs: PkiInputs,
  snapshot: Subject,
): Promise<CertificatesDecision> {
  const found = await readSecrets(host, inputs, snapshot, recognize).catch(foreignProblem);
  if ('message' in found) return { result: { outcome: 'blocked', ...found }, ...NOTHING_FOUND };
  const [lifeSigns, customAuthority] = await Promise.all([
    mayCreateAuthorities(found) ? readExistingData(host, inputs, snapshot) : UNREAD,
    readCustomAuthority(host, snapshot, secretPolicy),
  ]);
  const now = new Date(clock.wall());
  const paused = pausedRoles(inputs, found);
  const rotation = recordOf(inputs, found);
  const result = await ensureCertificates(
    {
      inputs,
      reads: found.reads,
      lifeSigns,
      ...optionalField('customAuthority', customAuthority),
      ...blockedBy(inputs, paused),
      ...rotatedBy(rotation, paused, snapshot.createsKey === true),
      isInstalling: isInstalling(inputs, snapshot),
      ...optionalField('isPreview', isPreview),
    },
    { keys, now, random: randomBytes },
  );
  const hasNoEtcd = lifeSigns.etcdWorkload === 'absent' && lifeSigns.etcdClaims === 'absent';
  return { result, hasNoEtcd, paused, rotation, ...found };
}

/** What stays as it is because a user has paused the repair of Secrets, or because the Go operator created the admin pair. */
const blockedBy = (
  inputs: PkiInputs,
  paused: ReadonlySet<SecretRole>,
): Pick<EnsureRequest, 'blocked' | 'keepsTrust' | 'recordBlock'> => ({
  blocked: new Map([
    ...blockedByPause(inputs, paused),
    ...(inputs.holdsAdminPair ? BLOCKED_FOR_GO_OPERATOR : []),
  ]),
  keepsTrust: paused.size > 0,
  ...(paused.has('ca-backup') && { recordBlock: pauseReason(inputs, 'ca-backup') }),
});

/** Whether the control plane has never been Ready, and is none of the Go operator. */
const isInstalling = (
  { holdsAdminPair }: PkiInputs,
  { karmada }: Pick<Snapshot, 'karmada'>,
): boolean => holdsAdminPair !== true && karmada.status?.secretRef === undefined;

/** The record of the rotations, as it was read just now. */
const recordOf = ({ name }: PkiInputs, { live }: Pick<FoundSecrets, 'live'>): string | undefined =>
  live.get(instanceName(name, SECRET_SUFFIX.caBackup))?.metadata.annotations?.[ROTATION_ANNOTATION];

/** Whether no Secret has a CA, so that the decision about new ones needs to know whether data exists. */
const mayCreateAuthorities = ({ reads }: Pick<FoundSecrets, 'reads'>): boolean =>
  reads.cert === 'absent' && reads['ca-backup'] === 'absent';

/** Nothing is known, so that no CA is created. */
const UNREAD: ExistingData = {
  etcdWorkload: 'unknown',
  etcdClaims: 'unknown',
  apiserver: 'unknown',
  statusReady: 'unknown',
};

/** The key of this pair signs ServiceAccount tokens in Pods of the Go operator. */
const BLOCKED_FOR_GO_OPERATOR: ReadonlyMap<LeafName, string> = new Map([
  ['karmada', 'Pods of the Go operator use it; the operator reissues it after their rollout'],
]);

type Reader = Pick<Host, 'client'>;

interface Versions extends Pick<CertificatesDecision, 'rotation'> {
  readonly clock: Clock;
  readonly read: SecretVersions;
  readonly written: SecretVersions;
  readonly paused: ReadonlySet<SecretRole>;
}

function memoOf(
  inputs: PkiInputs,
  result: Ready,
  { clock, read, written, paused, rotation }: Versions,
): CertificatesMemo {
  const hashes = result.secrets.map((secret) => {
    const reduced = hashSecretValues(secretOf(inputs, secret.name, secret.data));
    return [secret.name, reduced['data'] as Readonly<Record<string, string>>] as const;
  });
  return {
    view: viewOf(inputs, result, clock),
    inputs: JSON.stringify(inputs),
    secrets: new Map(hashes),
    writtenAt: clock.monotonic(),
    versions: new Map([...read, ...written]),
    paused: new Set([...paused].map((role) => instanceName(inputs.name, role))),
    awaited: new Set([...written.keys()].filter((name) => !read.has(name))),
    rotation,
  };
}

/** The Secret with the certificates and keys of all components. */
const certSecret = (inputs: PkiInputs, secrets: readonly SecretWrite[]): KubernetesObject =>
  secretOf(inputs, instanceName(inputs.name, SECRET_SUFFIX.cert), certData(secrets));

/** The client certificate that API servers use for etcd. */
function etcdClientOf(inputs: PkiInputs, secrets: readonly SecretWrite[]): ClientPair | undefined {
  if (inputs.etcd !== 'local') return undefined;
  const data = certData(secrets);
  return {
    ca: decoded(data['etcd-ca.crt']),
    certificate: decoded(data['etcd-client.crt']),
    key: decoded(data['etcd-client.key']),
  };
}
