/**
 * Flags of the Go operator that have no effect here. They are accepted, so that a command line of the Go operator, such
 * as `extraArgs` of its chart, also starts this operator. A value that asks for other behavior is an error.
 */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseDuration } from './duration.ts';

/** A flag that was set although it has no effect. */
export interface FlagWithoutEffect {
  /** Name with dashes. */
  readonly flag: string;
  readonly reason: string;
}

const CONTROLLER = 'karmada';

/**
 * Parses `--controllers`: `*` and names, each disabled by a leading `-`. The first entry of a name applies, then `*`.
 * @throws InvalidArgumentError if the list disables the only controller
 */
export function parseControllers(text: string): string {
  const names = text.split(',').map((name) => name.trim());
  const named = names.find((name) => name === CONTROLLER || name === `-${CONTROLLER}`);
  if (named === CONTROLLER || (named === undefined && names.includes('*'))) return text;
  throw new InvalidArgumentError(
    'must enable karmada, the only controller; to stop the operator, scale its Deployment to 0 replicas.',
  );
}

/** Parses `--leader-elect-resource-lock`. @throws InvalidArgumentError */
function leases(text: string): string {
  if (text === 'leases') return text;
  throw new InvalidArgumentError('must be leases, the only lock that Kubernetes still supports.');
}

/** Parses a duration that may be zero. @throws InvalidArgumentError */
const duration = (text: string): number => (/^0[a-z\u00b5]*$/.test(text) ? 0 : parseDuration(text));

const REASON = {
  controllers: 'there is one controller, which always runs',
  resync: 'informers list again after each error, and every reconcile reads the whole state',
  lock: 'leader election always uses a Lease',
  levels: 'the log level is the same for all modules; use --v',
  output: 'logs are written to standard output',
} as const;

/** klog flags that have no value, or true or false. */
const LOG_SWITCHES = [
  'logtostderr',
  'alsologtostderr',
  'legacy-stderr-threshold-behavior',
  'one-output',
  'add-dir-header',
  'skip-headers',
  'skip-log-headers',
  'log-text-split-stream',
  'log-json-split-stream',
];
/** klog flags with a value. */
const LOG_VALUES = [
  'log-dir',
  'log-file',
  'log-file-max-size',
  'log-flush-frequency',
  'log-backtrace-at',
  'stderrthreshold',
  'alsologtostderrthreshold',
  'log-text-info-buffer-size',
  'log-json-info-buffer-size',
];

const described = (flags: string, reason: string): Option =>
  new Option(flags, `no effect: ${reason}`);

function optionsWithoutEffect(): readonly Option[] {
  return [
    described('--controllers <names>', REASON.controllers).argParser(parseControllers),
    described('--resync-period <time>', REASON.resync).argParser(duration),
    described('--leader-elect-resource-lock <lock>', REASON.lock).argParser(leases),
    described('--vmodule <levels>', REASON.levels),
    ...LOG_SWITCHES.map((name) => described(`--${name} [bool]`, REASON.output).hideHelp()),
    ...LOG_VALUES.map((name) => described(`--${name} <value>`, REASON.output).hideHelp()),
  ];
}

/** Adds the flags to a command. */
export function addGoOperatorFlags(command: Command): Command {
  for (const option of optionsWithoutEffect()) command.addOption(option);
  return command;
}

/** Returns the flags of the command line that have no effect. */
export function flagsWithoutEffect(command: Command): readonly FlagWithoutEffect[] {
  return optionsWithoutEffect()
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long = '', description }) => ({
      flag: long,
      reason: description.replace('no effect: ', ''),
    }));
}

/** Writes dashes for underscores in the names of flags, as in `--add_dir_header`; values stay. */
export const withDashes = (args: readonly string[]): readonly string[] =>
  args.map((arg) =>
    arg.startsWith('--') ? arg.replace(/^[^=]+/, (name) => name.replaceAll('_', '-')) : arg,
  );
