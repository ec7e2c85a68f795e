import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { reasonsIn } from '../../../scripts/docs/reason-literals.ts';
import { ROTATION_PHASES } from '../../features/rotation/authority.ts';
import { CONDITION_REASONS, CONDITION_TYPES } from './condition-reasons.ts';
import { FAULTS, type Fault } from './fault.ts';
import type { UnknownArguments } from '../flags/unknown-arguments.ts';
import type { SkewProblem } from '../versions/versions.ts';

const folder = join(import.meta.dirname, '../..');

const sources = globSync('**/*.ts', { cwd: folder })
  .filter((file) => !/\.test\.ts$|\.fixture\.ts$|__fixtures__|api\/reasons\//.test(file))
  .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));

/** Problems of a version change: conditions have them with a suffix. */
const VERSION_PROBLEMS: readonly (SkewProblem['reason'] | UnknownArguments['reason'])[] = [
  'Downgrade',
  'SkippedMinor',
  'UnknownVersion',
  'UnsupportedPair',
  'UnknownFlag',
  'UnknownFeatureGate',
];

/** Reasons that no condition and no Event has. */
const INTERNAL: ReadonlySet<string> = new Set([
  ...VERSION_PROBLEMS,
  // Why the operator approves its own certificate request.
  'Rotation',
  // Decisions about the CAs that change nothing, or that the operator carries out.
  'FoundInBackup',
  'InUse',
  'NothingThere',
  // Why a certificate is reissued: only the output of `npm run plan` has the message.
  'AuthorityExpired',
  'Expiring',
  'KeyMismatch',
  'Missing',
  'Requested',
  'SANsDiffer',
  'SubjectDiffers',
  'Unreadable',
  'UsagesDiffer',
  'ValidityDiffers',
  'WrongIssuer',
  // Errors of API calls, as `reason` of a Kubernetes Status.
  'Forbidden',
  'Terminating',
  'UndeclaredField',
  // Events of the kubelet and of the controllers for volumes, which causes are derived from.
  'FailedMount',
  'FailedAttachVolume',
  'FailedCreatePodSandBox',
]);

describe('condition reasons', () => {
  const { literals, suffixes } = reasonsIn(sources);
  const documented: readonly string[] = CONDITION_REASONS.map(({ reason }) => reason);
  const suffixed = [...suffixes].flatMap((suffix) => VERSION_PROBLEMS.map((it) => it + suffix));

  it('have a row for each reason in the sources', () => {
    const missing = [...literals].filter(
      ([reason]) => !documented.includes(reason) && !INTERNAL.has(reason),
    );
    expect(missing.map(([reason, place]) => `${place}: ${reason}`)).toEqual([]);
    expect(suffixed.filter((reason) => !documented.includes(reason))).toEqual([]);
  });

  it('are all used in the sources', () => {
    // A phase of a rotation is the reason of its condition.
    const used = new Set<string>([...literals.keys(), ...suffixed, ...ROTATION_PHASES]);
    expect(documented.filter((reason) => !used.has(reason))).toEqual([]);
  });

  it('have one row each, with sentences as meaning and action', () => {
    expect(documented).toHaveLength(new Set(documented).size);
    const texts = CONDITION_REASONS.flatMap(({ meaning, action }) => [meaning, action]);
    expect(texts.filter((text) => !/^[A-Z].*\.$/.test(text))).toEqual([]);
  });

  it('name only documented condition types', () => {
    const backups = [
      'KarmadaBackup',
      'KarmadaBackupSchedule',
      'KarmadaBackupStore',
      'KarmadaRestore',
    ];
    const kinds = ['components', 'Event', 'plan', 'Pod', ...backups];
    const types = [...CONDITION_TYPES.map(({ type }) => type), ...kinds];
    const named = CONDITION_REASONS.flatMap((row) => row.types);
    expect(named.filter((type) => !types.includes(type))).toEqual([]);
    expect(CONDITION_REASONS.filter((row) => row.types.length === 0)).toEqual([]);
  });
});

describe('faults of condition reasons', () => {
  it('are none for reasons that need no action, and otherwise name who can act', () => {
    const blamed = CONDITION_REASONS.filter(
      ({ fault, action }) => fault !== 'none' && /^No action/.test(action),
    );
    expect(blamed.map(({ reason }) => reason)).toEqual([]);
  });

  it('are known for each reason that sets Degraded', () => {
    const summaries = ['AsExpected'];
    const unknown = CONDITION_REASONS.filter(
      ({ types, fault, reason }) =>
        types.includes('Degraded') && fault === 'none' && !summaries.includes(reason),
    );
    expect(unknown.map(({ reason }) => reason)).toEqual([]);
  });

  it('are each used by a reason', () => {
    const used = new Set(CONDITION_REASONS.map(({ fault }) => fault));
    expect(Object.keys(FAULTS).filter((fault) => !used.has(fault as Fault))).toEqual([]);
  });
});
