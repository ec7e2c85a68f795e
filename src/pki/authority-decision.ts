/**
 * Whether a new authority may be made. An instance that lives would be cut off from its data by one, so
 * it takes proof that there is none: a live read said so, and nothing else shows a sign of life.
 */

/** What a live read found. A failed or missing read is `unknown`, never `absent`. */
export type Presence = 'present' | 'absent' | 'unknown';

export interface LifeSigns {
  /** StatefulSet or pods of etcd */
  readonly etcdWorkload: Presence;
  /** claims of etcd's volumes */
  readonly etcdClaims: Presence;
  /** Deployment or pods of the API server */
  readonly apiserver: Presence;
  /** `status` says that the control plane was ready once */
  readonly statusReady: Presence;
}

export interface AuthorityEvidence {
  /** `incomplete`: it is there, but an authority is missing in it or cannot be read */
  readonly certSecret: Presence | 'incomplete';
  /** `different`: it holds another authority than the one in use */
  readonly backup: Presence | 'incomplete' | 'different';
  /** any other Secret that is made from these authorities */
  readonly otherSecrets: Presence;
  /** `different`: the Secret in use and the backup hold different keys that sign ServiceAccount tokens */
  readonly serviceAccountKeys: 'agree' | 'different';
  readonly lifeSigns: LifeSigns;
}

type AuthorityReason =
  | 'NothingThere'
  | 'InUse'
  | 'FoundInBackup'
  | 'ReadFailed'
  | 'BackupDiffers'
  | 'AuthorityLost'
  | 'SignsOfLife';

export interface AuthorityDecision {
  readonly decision: 'create' | 'restore' | 'keep' | 'hold';
  readonly reason: AuthorityReason;
  /** for `hold`: cause and remedy */
  readonly message: string;
}

/** Names of the Secrets, for messages. */
export interface AuthoritySecrets {
  readonly cert: string;
  readonly backup: string;
  readonly serviceAccountKey: string;
}

/** Keep what is in use, restore what is in the backup, create only from nothing, else hold. */
export function decideAuthorities(
  evidence: AuthorityEvidence,
  names: AuthoritySecrets,
): AuthorityDecision {
  const { certSecret, backup } = evidence;
  if (certSecret === 'unknown') return readFailed(`Secret ${names.cert}`);
  if (backup === 'unknown') return readFailed(`Secret ${names.backup}`);
  if (evidence.serviceAccountKeys === 'different') return serviceAccountKeysDiffer(names);
  if (certSecret === 'present') return keepOrHold(evidence, names);
  if (backup === 'present')
    return {
      decision: 'restore',
      reason: 'FoundInBackup',
      message: `Secret ${names.cert} is ${certSecret}; its authorities come back from Secret ${names.backup}`,
    };
  if (certSecret === 'incomplete' || backup !== 'absent') return lost(names);
  return createOrHold(evidence, names);
}

function keepOrHold(evidence: AuthorityEvidence, names: AuthoritySecrets): AuthorityDecision {
  if (evidence.backup !== 'different') return { decision: 'keep', reason: 'InUse', message: '' };
  return {
    decision: 'hold',
    reason: 'BackupDiffers',
    message: `Secrets ${names.cert} and ${names.backup} hold different authorities: the operator issues nothing until they agree: copy the authorities from the Secret with those that signed the certificates in use into the other one`,
  };
}

/** To keep either would overwrite the only copy of the other, and all tokens that it signed would be void. */
const serviceAccountKeysDiffer = (names: AuthoritySecrets): AuthorityDecision => ({
  decision: 'hold',
  reason: 'BackupDiffers',
  message: `Secrets ${names.serviceAccountKey} and ${names.backup} hold different keys for ServiceAccount tokens (service-account.key); the operator issues nothing until they agree: copy service-account.key and service-account.pub from the Secret with the key that signed the tokens in use into the other one`,
});

const lost = (names: AuthoritySecrets): AuthorityDecision => ({
  decision: 'hold',
  reason: 'AuthorityLost',
  message: `Secret ${names.cert} or ${names.backup} exists, but no complete authority can be read from them: restore one of the two from a copy`,
});

const readFailed = (what: string): AuthorityDecision => ({
  decision: 'hold',
  reason: 'ReadFailed',
  message: `${what} could not be read; certificates wait until it can`,
});

function createOrHold(evidence: AuthorityEvidence, names: AuthoritySecrets): AuthorityDecision {
  const signs: readonly (readonly [string, Presence])[] = [
    ["etcd's workload", evidence.lifeSigns.etcdWorkload],
    ["the claims of etcd's volumes", evidence.lifeSigns.etcdClaims],
    ["the API server's workload", evidence.lifeSigns.apiserver],
    ['a status that says Ready', evidence.lifeSigns.statusReady],
    ['other Secrets of the instance', evidence.otherSecrets],
  ];
  const present = signs.filter(([, presence]) => presence === 'present').map(([what]) => what);
  if (present.length > 0)
    return {
      decision: 'hold',
      reason: 'SignsOfLife',
      message: `Secrets ${names.cert} and ${names.backup} are gone, but there is ${present.join(', ')}: a new authority would cut the instance off from its data; restore one of the Secrets from a copy. For a control plane without that data use another name`,
    };
  const unknown = signs.find(([, presence]) => presence === 'unknown');
  if (unknown !== undefined) return readFailed(unknown[0]);
  return { decision: 'create', reason: 'NothingThere', message: '' };
}
