/** Settings of a local etcd that become flags of its members, and the flags that users cannot set. */
import type { LocalEtcd } from './karmada.generated.ts';
import type { CommonSettings, StringMap } from './settings.ts';

/** Settings of a local etcd that are no flags of its members. */
type OtherSettings =
  | keyof CommonSettings
  | 'volumeData'
  | 'persistentVolumeClaimRetentionPolicy'
  | 'replacementGracePeriod'
  | 'serverCertSANs'
  | 'peerCertSANs';

/** Settings of the members of a local etcd. Absent settings keep the flags of the operator. */
export type EtcdSettings = Omit<LocalEtcd, OtherSettings>;

/** Flags that have a field, by flag name. */
export const ETCD_FLAG_FIELDS = {
  'quota-backend-bytes': 'quotaBackendBytes',
  'auto-compaction-mode': 'autoCompactionMode',
  'auto-compaction-retention': 'autoCompactionRetention',
  'snapshot-count': 'snapshotCount',
  'heartbeat-interval': 'heartbeatIntervalMilliseconds',
  'election-timeout': 'electionTimeoutMilliseconds',
  'log-level': 'logLevel',
} as const satisfies Readonly<Record<string, keyof EtcdSettings>>;

/**
 * Flags that belong to the operator, as a regular expression of Go and JavaScript: membership, data, addresses, TLS of
 * the members, flags that must be equal on all members, and flags that end etcd or give up its data.
 */
export const RESERVED_ETCD_FLAGS =
  '^(name|data-dir|wal-dir|config-file|(initial|discovery|listen|advertise|client|peer|experimental-peer|proxy|unsafe|force-new-cluster)(-.*)?|cert-file|key-file|trusted-ca-file|auto-tls|(experimental-)?max-learners|strict-reconfig-check|h|help|version)$';

/** Shortest election timeout in heartbeat intervals that etcd accepts. */
export const ELECTION_HEARTBEATS = 5;

/** Whether the user sets the timing, which otherwise depends on the number of members. */
export const hasOwnTiming = ({ heartbeatIntervalMilliseconds }: EtcdSettings): boolean =>
  heartbeatIntervalMilliseconds !== undefined;

/** Returns the flags that the settings ask for, without leading dashes. */
export function etcdFlags(settings: EtcdSettings): StringMap {
  const given = Object.entries(ETCD_FLAG_FIELDS).flatMap(([flag, field]) => {
    const value = settings[field];
    return value === undefined ? [] : [[flag, String(value)] as const];
  });
  return { ...settings.extraArgs, ...Object.fromEntries(given) };
}
