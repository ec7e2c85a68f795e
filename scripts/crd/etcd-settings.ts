/** Schema of the settings of a local etcd that become flags of its members. */
import { ETCD_FLAG_FIELDS, RESERVED_ETCD_FLAGS } from '../../src/api/etcd-settings.ts';
import { lay } from './kubernetes/overlay.ts';
import type { Rule, Schema } from './schema.ts';
import { flag, integer, SHOWN, stringMap, text } from './schema.ts';
import { FLAGS } from './syntax.ts';
import { RESTARTS_MEMBERS } from './texts.ts';

/** Flags that belong to the operator, and flags that have a field. */
const REJECTED = RESERVED_ETCD_FLAGS.replace(
  /\)\$$/,
  `|${Object.keys(ETCD_FLAG_FIELDS).join('|')})$`,
);

const EXTRA_ARGS_RULES: readonly Rule[] = [
  {
    rule: `self.all(k, !k.matches('${REJECTED}'))`,
    message:
      'flags with a field, and those of membership, data, addresses and TLS, are rejected; remove them',
  },
];

const EXTRA_ARGS = `Flags of etcd by name, without leading dashes, in addition to those with a field. Flags of membership, data, addresses and TLS are rejected. Each line of a value sets the flag once. ${RESTARTS_MEMBERS}`;

export const etcdSettings: Readonly<Record<string, Schema>> = {
  quotaBackendBytes: integer(
    `Size of the database in bytes at which etcd rejects writes. The volume must be larger. etcd recommends at most 8 GiB. Defaults to 2 GiB. ${RESTARTS_MEMBERS}`,
    'int64',
    { minimum: 16_777_216 },
  ),
  autoCompactionMode: text(
    `Compaction by etcd, in addition to that of the API servers every 5 minutes: periodic keeps a time, revision a number of revisions. Requires autoCompactionRetention. Defaults to none. ${RESTARTS_MEMBERS}`,
    { enum: ['periodic', 'revision'] },
  ),
  autoCompactionRetention: text(
    `History to keep: a duration such as 30m for autoCompactionMode periodic, or a number of revisions. ${RESTARTS_MEMBERS}`,
    { pattern: '^(\\d+|(\\d+[hms])+)$', maxLength: 32, ...SHOWN },
  ),
  snapshotCount: integer(
    `Number of committed transactions after which a member writes a snapshot of its state to the disk. Defaults to 10000. ${RESTARTS_MEMBERS}`,
    'int64',
    { minimum: 1 },
  ),
  heartbeatIntervalMilliseconds: integer(
    `Interval between two heartbeats of the leader in milliseconds; about the round-trip time between the members. Requires electionTimeoutMilliseconds. Defaults to 100, or 50 with one member. ${RESTARTS_MEMBERS}`,
    'int32',
    { minimum: 1, maximum: 50_000 },
  ),
  electionTimeoutMilliseconds: integer(
    `Time in milliseconds without a heartbeat after which a member starts an election; at least 5 heartbeat intervals. Requires heartbeatIntervalMilliseconds. Defaults to 1000, or 250 with one member. ${RESTARTS_MEMBERS}`,
    'int32',
    { minimum: 1, maximum: 50_000 },
  ),
  logLevel: text(`Least severe level that etcd logs. Defaults to info. ${RESTARTS_MEMBERS}`, {
    enum: ['debug', 'info', 'warn', 'error', 'panic', 'fatal'],
  }),
  autoDefragmentation: flag(
    'If false, the operator neither defragments the members nor disarms the alarm NOSPACE. Defaults to true. A change restarts nothing.',
  ),
  extraArgs: lay(lay(stringMap(EXTRA_ARGS), FLAGS), {
    rules: EXTRA_ARGS_RULES,
  }),
};

const MODE = 'autoCompactionMode';
const RETENTION = 'autoCompactionRetention';
const HEARTBEAT = 'heartbeatIntervalMilliseconds';
const ELECTION = 'electionTimeoutMilliseconds';

/** Rules between the settings, for the schema of `etcd.local`. */
export const ETCD_SETTINGS_RULES: readonly Rule[] = [
  {
    rule: `has(self.${MODE}) == has(self.${RETENTION})`,
    message: `set ${MODE} and ${RETENTION}, or neither of them`,
  },
  {
    rule: `!has(self.${MODE}) || self.${MODE} != 'revision' || !has(self.${RETENTION}) || self.${RETENTION}.matches('^[0-9]+$')`,
    fieldPath: `.${RETENTION}`,
    message: 'must be a number of revisions',
  },
  {
    rule: `has(self.${HEARTBEAT}) == has(self.${ELECTION}) && (!has(self.${HEARTBEAT}) || self.${ELECTION} >= 5 * self.${HEARTBEAT})`,
    message: `set both, ${ELECTION} at least 5 times ${HEARTBEAT}, or neither`,
  },
];
