/** Schema of the settings of a local etcd that become flags of its members. */
import { ETCD_FLAG_FIELDS, RESERVED_ETCD_FLAGS } from '../../src/api/etcd-settings.ts';
import { lay } from './kubernetes/overlay.ts';
import type { Rule, Schema } from './schema.ts';
import { flag, integer, stringMap, text } from './schema.ts';
import { FLAGS } from './syntax.ts';

const FIELD_FLAGS = Object.keys(ETCD_FLAG_FIELDS);

const EXTRA_ARGS_RULES: readonly Rule[] = [
  {
    rule: `self.all(k, !k.matches('${RESERVED_ETCD_FLAGS}'))`,
    message:
      'flags of membership, data, addresses and TLS of the members are reserved for the operator; remove them',
  },
  {
    rule: `self.all(k, !(k in ['${FIELD_FLAGS.join("','")}']))`,
    message: `${FIELD_FLAGS.join(', ')}: set the field of etcd.local instead`,
  },
];

export const etcdSettings: Readonly<Record<string, Schema>> = {
  quotaBackendBytes: integer(
    'Size of the database of each etcd member in bytes at which etcd rejects writes. Defaults to 2147483648 (2Gi).',
    'int64',
    { minimum: 16_777_216 },
  ),
  autoCompactionMode: text(
    'Compaction by etcd, in addition to that by the API servers every 5 minutes. Requires autoCompactionRetention. Defaults to none.',
    { enum: ['periodic', 'revision'] },
  ),
  autoCompactionRetention: text(
    'History that this compaction keeps: a duration such as 30m, or a number of revisions.',
    { pattern: '^(\\d+|(\\d+[hms])+)$', maxLength: 32 },
  ),
  snapshotCount: integer(
    'Number of committed transactions between two snapshots. Defaults to 10000.',
    'int64',
    { minimum: 1 },
  ),
  heartbeatIntervalMilliseconds: integer(
    'Heartbeat interval of the leader. Requires electionTimeoutMilliseconds. Defaults to 100, or 50 with one member.',
    'int32',
    { minimum: 1, maximum: 50_000 },
  ),
  electionTimeoutMilliseconds: integer(
    'Time without a heartbeat before an election; at least 5 heartbeat intervals. Defaults to 1000, or 250 with one member.',
    'int32',
    { minimum: 1, maximum: 50_000 },
  ),
  logLevel: text('Log level. Defaults to info.', {
    enum: ['debug', 'info', 'warn', 'error', 'panic', 'fatal'],
  }),
  autoDefragmentation: flag(
    'If false, the operator neither defragments the members nor disarms the alarm NOSPACE. Defaults to true.',
  ),
  extraArgs: lay(lay(stringMap('Additional flags without leading dashes.'), FLAGS), {
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
    message: `set ${HEARTBEAT} and ${ELECTION}, which must be at least 5 times as long, or neither of them`,
  },
];
