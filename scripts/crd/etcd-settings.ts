/** Schema of the settings of a local etcd that become flags of its members. */
import { ETCD_FLAG_FIELDS, RESERVED_ETCD_FLAGS } from '../../src/api/etcd-settings.ts';
import { lay } from './kubernetes/overlay.ts';
import type { Rule, Schema } from './schema.ts';
import { flag, integer, stringMap, text } from './schema.ts';
import { FLAGS } from './syntax.ts';

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

export const etcdSettings: Readonly<Record<string, Schema>> = {
  quotaBackendBytes: integer(
    'Database size in bytes at which etcd rejects writes. Defaults to 2Gi.',
    'int64',
    { minimum: 16_777_216 },
  ),
  autoCompactionMode: text(
    'Compaction by etcd, besides that by the API servers. Defaults to none.',
    { enum: ['periodic', 'revision'] },
  ),
  autoCompactionRetention: text(
    'History to keep: a duration such as 30m, or a number of revisions.',
    { pattern: '^(\\d+|(\\d+[hms])+)$', maxLength: 32 },
  ),
  snapshotCount: integer('Transactions between two snapshots. Defaults to 10000.', 'int64', {
    minimum: 1,
  }),
  heartbeatIntervalMilliseconds: integer('Defaults to 100, or 50 with one member.', 'int32', {
    minimum: 1,
    maximum: 50_000,
  }),
  electionTimeoutMilliseconds: integer(
    'At least 5 heartbeat intervals. Defaults to 1000, or 250 with one member.',
    'int32',
    { minimum: 1, maximum: 50_000 },
  ),
  logLevel: text('Log level. Defaults to info.', {
    enum: ['debug', 'info', 'warn', 'error', 'panic', 'fatal'],
  }),
  autoDefragmentation: flag(
    'If false, the operator neither defragments etcd nor disarms NOSPACE. Defaults to true.',
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
    message: `set both, ${ELECTION} at least 5 times ${HEARTBEAT}, or neither`,
  },
];
