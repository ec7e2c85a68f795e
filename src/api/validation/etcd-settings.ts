/** Validates the settings of a local etcd that become flags of its members. The CRD has the same rules. */
import {
  ELECTION_HEARTBEATS,
  ETCD_FLAG_FIELDS,
  RESERVED_ETCD_FLAGS,
  type EtcdSettings,
} from '../etcd-settings.ts';
import { keysOf } from '../../kubernetes/objects/records.ts';
import type { FieldError } from './field-error.ts';
import { checkKeys, checkSyntax, invalid } from './field-error.ts';
import { flagName, revisionCount, retention } from './syntax.ts';

const FIELD = 'spec.components.etcd.local';
const MODES = ['periodic', 'revision'];
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'panic', 'fatal'];
/** Smallest quota: a new control plane has a database of about 10 MiB. */
const SMALLEST_QUOTA = 16_777_216;
/** Longest election timeout that etcd accepts, in milliseconds. */
const MAX_ELECTION_LENGTH = 50_000;

/** Validates the settings of the members. */
export function validateEtcdSettings(settings: EtcdSettings = {}): readonly FieldError[] {
  const { quotaBackendBytes, snapshotCount, logLevel } = settings;
  return [
    ...checkRange('quotaBackendBytes', quotaBackendBytes, [SMALLEST_QUOTA, Infinity]),
    ...checkRange('snapshotCount', snapshotCount, [1, Infinity]),
    ...checkChoice('logLevel', logLevel, LOG_LEVELS),
    ...validateCompaction(settings),
    ...validateTiming(settings),
    ...checkKeys(`${FIELD}.extraArgs`, settings.extraArgs, flagName),
    ...validateFlags(Object.keys(settings.extraArgs ?? {})),
  ];
}

function checkRange(
  field: keyof EtcdSettings,
  value: number | undefined,
  [least, most]: readonly [number, number],
): readonly FieldError[] {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most))
    return [];
  const message = value > most ? `must be at most ${most}` : `must be ${least} or more`;
  return [invalid(`${FIELD}.${field}`, value, message)];
}

const checkChoice = (
  field: keyof EtcdSettings,
  value: string | undefined,
  choices: readonly string[],
): readonly FieldError[] =>
  value === undefined || choices.includes(value)
    ? []
    : [invalid(`${FIELD}.${field}`, value, `must be ${choices.join(' or ')}`)];

function validateCompaction({
  autoCompactionMode: mode,
  autoCompactionRetention: kept,
}: EtcdSettings): readonly FieldError[] {
  const field = `${FIELD}.autoCompactionRetention`;
  if ((mode === undefined) !== (kept === undefined))
    return [
      {
        field: mode === undefined ? `${FIELD}.autoCompactionMode` : field,
        message:
          'Required value: set autoCompactionMode and autoCompactionRetention, or neither of them',
      },
    ];
  return [
    ...checkChoice('autoCompactionMode', mode, MODES),
    ...checkSyntax(field, kept, mode === 'revision' ? revisionCount : retention),
  ];
}

function validateTiming({
  heartbeatIntervalMilliseconds: heartbeat,
  electionTimeoutMilliseconds: election,
}: EtcdSettings): readonly FieldError[] {
  if (heartbeat === undefined && election === undefined) return [];
  if (heartbeat === undefined || election === undefined)
    return [
      {
        field: `${FIELD}.${heartbeat === undefined ? 'heartbeatInterval' : 'electionTimeout'}Milliseconds`,
        message:
          'Required value: set heartbeatIntervalMilliseconds and electionTimeoutMilliseconds, or neither of them',
      },
    ];
  const least = ELECTION_HEARTBEATS * heartbeat;
  return [
    ...checkRange('heartbeatIntervalMilliseconds', heartbeat, [1, MAX_ELECTION_LENGTH]),
    ...checkRange('electionTimeoutMilliseconds', election, [1, MAX_ELECTION_LENGTH]),
    ...(election >= least
      ? []
      : [
          invalid(
            `${FIELD}.electionTimeoutMilliseconds`,
            election,
            `must be at least ${ELECTION_HEARTBEATS} times heartbeatIntervalMilliseconds (${least})`,
          ),
        ]),
  ];
}

const RESERVED = new RegExp(RESERVED_ETCD_FLAGS);

function validateFlags(flags: readonly string[]): readonly FieldError[] {
  const field = `${FIELD}.extraArgs`;
  return flags.flatMap((flag) => {
    if (RESERVED.test(flag))
      return [invalid(field, flag, 'this flag is reserved for the operator; remove it')];
    const own = keysOf(ETCD_FLAG_FIELDS).find((name) => name === flag);
    if (own === undefined) return [];
    return [invalid(field, flag, `set ${FIELD}.${ETCD_FLAG_FIELDS[own]} instead`)];
  });
}
