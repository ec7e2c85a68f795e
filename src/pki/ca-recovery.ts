/**
 * Decides whether the operator may create new CAs. New CAs would make the data of an existing control plane
 * inaccessible. The operator therefore creates CAs only if live reads prove that no CA and no existing data exist.
 */

/** Result of a live read. A failed or missing read is `unknown`, never `absent`. */
export type Presence = 'present' | 'absent' | 'unknown';

export interface ExistingData {
  /** StatefulSet or Pods of etcd */
  readonly etcdWorkload: Presence;
  /** PersistentVolumeClaims of etcd */
  readonly etcdClaims: Presence;
  /** Deployment or Pods of the API server */
  readonly apiserver: Presence;
  /** whether `status` reports that the control plane was Ready once */
  readonly statusReady: Presence;
}

export interface AuthorityEvidence {
  /** `incomplete`: the Secret exists, but a CA is missing or unreadable */
  readonly certSecret: Presence | 'incomplete';
  /** `different`: it contains another CA than the one in use */
  readonly backup: Presence | 'incomplete' | 'different';
  /** any other Secret with certificates of these CAs */
  readonly otherSecrets: Presence;
  /** `different`: the Secret in use and the CA backup Secret contain different ServiceAccount signing keys */
  readonly serviceAccountKeys: 'agree' | 'different';
  readonly lifeSigns: ExistingData;
}

export type AuthorityDecision =
  | {
      readonly decision: 'create' | 'restore' | 'keep';
      readonly reason: 'NothingThere' | 'InUse' | 'FoundInBackup';
      readonly message: string;
    }
  | {
      readonly decision: 'block';
      readonly reason: 'ReadFailed' | 'BackupDiffers' | 'AuthorityLost' | 'ExistingDataFound';
      /** cause and action for the user */
      readonly message: string;
    };

/** Names of the Secrets, for messages. */
export interface AuthoritySecrets {
  readonly cert: string;
  readonly backup: string;
  readonly serviceAccountKey: string;
}

/**
 * Decides about the CAs: keep those in use, restore those in the backup, or create new ones if nothing exists.
 * In all other cases `block` stops the issuance of certificates.
 * @param names names of the Secrets, for messages
 */
export function decideCAs(evidence: AuthorityEvidence, names: AuthoritySecrets): AuthorityDecision {
  const { certSecret, backup } = evidence;
  if (certSecret === 'unknown') return readFailed(`Secret ${names.cert}`);
  if (backup === 'unknown') return readFailed(`Secret ${names.backup}`);
  if (evidence.serviceAccountKeys === 'different') return serviceAccountKeysDiffer(names);
  if (backup === 'different') return authoritiesDiffer(names);
  if (certSecret === 'present') return { decision: 'keep', reason: 'InUse', message: '' };
  if (backup === 'present')
    return {
      decision: 'restore',
      reason: 'FoundInBackup',
      message: `Secret ${names.cert} is ${certSecret}; the operator restores the CAs from Secret ${names.backup}`,
    };
  if (certSecret === 'incomplete' || backup !== 'absent') return lost(names);
  return createOrHold(evidence, names);
}

/** Keeping one CA would overwrite the only copy of the other. */
const authoritiesDiffer = (names: AuthoritySecrets): AuthorityDecision => ({
  decision: 'block',
  reason: 'BackupDiffers',
  message: `Secrets ${names.cert} and ${names.backup}: they contain different CAs, so the operator issues no certificates; copy the CAs that signed the certificates in use into the other Secret`,
});

/** Keeping one key would overwrite the only copy of the other and invalidate all tokens that it signed. */
const serviceAccountKeysDiffer = (names: AuthoritySecrets): AuthorityDecision => ({
  decision: 'block',
  reason: 'BackupDiffers',
  message: `Secrets ${names.serviceAccountKey} and ${names.backup}: they contain different ServiceAccount signing keys (service-account.key), so the operator issues no certificates; copy service-account.key and service-account.pub from the Secret whose key signed the tokens in use into the other Secret`,
});

const lost = (names: AuthoritySecrets): AuthorityDecision => ({
  decision: 'block',
  reason: 'AuthorityLost',
  message: `Secrets ${names.cert} and ${names.backup}: neither contains a complete set of readable CAs; restore one of them from a backup`,
});

const readFailed = (what: string): AuthorityDecision => ({
  decision: 'block',
  reason: 'ReadFailed',
  message: `${what}: could not be read; the operator issues no certificates until the read succeeds`,
});

function createOrHold(evidence: AuthorityEvidence, names: AuthoritySecrets): AuthorityDecision {
  const signs: readonly (readonly [string, Presence])[] = [
    ['etcd workload', evidence.lifeSigns.etcdWorkload],
    ['PersistentVolumeClaims of etcd', evidence.lifeSigns.etcdClaims],
    ['API server workload', evidence.lifeSigns.apiserver],
    ['status of a Ready control plane', evidence.lifeSigns.statusReady],
    ['other Secrets of the control plane', evidence.otherSecrets],
  ];
  const present = signs.filter(([, presence]) => presence === 'present').map(([what]) => what);
  if (present.length > 0)
    return {
      decision: 'block',
      reason: 'ExistingDataFound',
      message: `Secrets ${names.cert} and ${names.backup}: not found, but existing data found (${present.join(', ')}), which a new CA would make inaccessible; restore one of the Secrets from a backup. For a control plane without that data use another name`,
    };
  const unknown = signs.find(([, presence]) => presence === 'unknown');
  if (unknown !== undefined) return readFailed(unknown[0]);
  return { decision: 'create', reason: 'NothingThere', message: '' };
}
