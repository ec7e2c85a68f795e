import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { CrossNamespaceSecrets } from './api/secret-grant.ts';
import type { AddressPolicy } from './kubernetes/addresses.ts';
import type { RolloutLimit } from './reconcile/operator-rollout/turn.ts';
import { parseRolloutLimit } from './rollout-limit.ts';
import { addTenantLimits } from './tenant-options.ts';
import { operatorVersion } from './version.ts';

/** Address to listen on; the host is empty for all addresses. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/** The operator's settings, from flags. Times are in milliseconds. */
export interface Options {
  readonly kubeconfig?: string;
  readonly concurrentSyncs: number;
  /** Control planes whose Pods a new version of the operator may change at once. */
  readonly rolloutLimit: RolloutLimit;
  /** Undefined: metrics are off. */
  readonly metrics: BindAddress | undefined;
  readonly health: BindAddress | undefined;
  /** Whether a Secret that a Karmada names in another namespace needs its owner's annotation. */
  readonly crossNamespaceSecrets: CrossNamespaceSecrets;
  /** Addresses that a Karmada may name although they are loopback, link-local or of a metadata service. */
  readonly addresses: AddressPolicy;
  readonly clientRate: { readonly qps: number; readonly burst: number };
  readonly leaderElection: {
    readonly enabled: boolean;
    readonly namespace: string;
    readonly name: string;
    readonly leaseMs: number;
    readonly renewDeadlineMs: number;
    readonly retryMs: number;
  };
  /** Only print the control planes that run without a Karmada. */
  readonly printOrphans: boolean;
  readonly log: { readonly format: 'json' | 'text'; readonly verbosity: number };
}

/** The command line asks for help or the version, or it is wrong; `message` is what to print. */
export class OptionsError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.name = 'OptionsError';
    this.exitCode = exitCode;
  }
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `15s`, `1m30s`, `500ms` as Go writes durations, in milliseconds. */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) {
    throw new InvalidArgumentError('give a time such as 15s or 1m30s.');
  }
  return parts.reduce((sum, [, value, unit = 's']) => sum + Number(value) * (units[unit] ?? 0), 0);
}

/** `:8080`, `127.0.0.1:8080`, `[::1]:8080`; `0` switches off. */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === '0') return undefined;
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new InvalidArgumentError('give HOST:PORT or :PORT, or 0 for none.');
  }
  return { host: match[1] ?? match[2] ?? '', port };
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('give a whole number above 0.');
}

function verbosity(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text)) return value;
  throw new InvalidArgumentError('give a whole number, 0 or more.');
}

/** Go's flags know `--name=true` and `--name=false`. */
function boolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('give true or false.');
}

function addBounds(command: Command): Command {
  return command
    .option(
      '--concurrent-karmada-syncs <n>',
      'Karmada objects of one host cluster reconciled at once',
      positive,
      5,
    )
    .option(
      '--operator-rollout-limit <n>',
      'control planes whose Pods a new version of the operator changes at once: a number, or a share such as 10%',
      parseRolloutLimit,
      { percent: 10 },
    );
}

function addLeaderElection(command: Command): Command {
  return command
    .option('--leader-elect [bool]', 'only one of several operators works', boolean, true)
    .option(
      '--leader-elect-resource-namespace <namespace>',
      'namespace of the lease',
      'karmada-system',
    )
    .option('--leader-elect-resource-name <name>', 'name of the lease', 'karmada-operator')
    .option(
      '--leader-elect-lease-duration <time>',
      'others take over when a lease is that old',
      parseDuration,
      15_000,
    )
    .option(
      '--leader-elect-renew-deadline <time>',
      'a leader that cannot renew gives up after that',
      parseDuration,
      10_000,
    )
    .option('--leader-elect-retry-period <time>', 'pause between two tries', parseDuration, 2_000);
}

function addPrintOrphans(command: Command): Command {
  return command.option('--print-orphans', 'only print control planes without a Karmada', false);
}

function defineCommand(): Command {
  return new Command('karmada-operator')
    .description('Installs, repairs, upgrades and deletes Karmada control planes.')
    .version(operatorVersion)
    .option(
      '--kubeconfig <file>',
      'kubeconfig of the cluster; without it the pod’s own account is used',
    )
    .option('--metrics-bind-address <address>', 'where /metrics is served; 0 for none', ':8080')
    .option(
      '--health-probe-bind-address <address>',
      'where /healthz and /readyz are served; 0 for none',
      ':8443',
    )
    .option('--kube-api-qps <n>', 'requests a second to the API server, on average', positive, 50)
    .option(
      '--kube-api-burst <n>',
      'requests to the API server that may come at once',
      positive,
      100,
    )
    .addOption(
      new Option('--logging-format <format>', 'form of the log')
        .choices(['json', 'text'])
        .default('json'),
    )
    .option('-v, --v <level>', 'verbosity of the log; 4 and above adds details', verbosity, 2)
    .allowExcessArguments(false)
    .exitOverride();
}

interface Flags {
  kubeconfig?: string;
  concurrentKarmadaSyncs: number;
  operatorRolloutLimit: RolloutLimit;
  metricsBindAddress: string;
  healthProbeBindAddress: string;
  kubeApiQps: number;
  kubeApiBurst: number;
  allowAddresses: AddressPolicy;
  crossNamespaceSecrets: CrossNamespaceSecrets;
  leaderElect: boolean;
  leaderElectResourceNamespace: string;
  leaderElectResourceName: string;
  leaderElectLeaseDuration: number;
  leaderElectRenewDeadline: number;
  leaderElectRetryPeriod: number;
  printOrphans: boolean;
  loggingFormat: 'json' | 'text';
  v: number;
}

/** Address of a flag, with the flag's name in the error. */
function address(flag: string, text: string): BindAddress | undefined {
  try {
    return parseBindAddress(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OptionsError(`error: ${flag}: ${JSON.stringify(text)} is no address: ${reason}\n`, 2);
  }
}

function toOptions(flags: Flags): Options {
  if (flags.leaderElectRenewDeadline >= flags.leaderElectLeaseDuration) {
    const names =
      '--leader-elect-renew-deadline must be shorter than --leader-elect-lease-duration';
    throw new OptionsError(`error: ${names}\n`, 2);
  }
  return Object.freeze({
    ...(flags.kubeconfig === undefined ? {} : { kubeconfig: flags.kubeconfig }),
    concurrentSyncs: flags.concurrentKarmadaSyncs,
    rolloutLimit: flags.operatorRolloutLimit,
    metrics: address('--metrics-bind-address', flags.metricsBindAddress),
    health: address('--health-probe-bind-address', flags.healthProbeBindAddress),
    crossNamespaceSecrets: flags.crossNamespaceSecrets,
    addresses: flags.allowAddresses,
    clientRate: { qps: flags.kubeApiQps, burst: flags.kubeApiBurst },
    leaderElection: {
      enabled: flags.leaderElect,
      namespace: flags.leaderElectResourceNamespace,
      name: flags.leaderElectResourceName,
      leaseMs: flags.leaderElectLeaseDuration,
      renewDeadlineMs: flags.leaderElectRenewDeadline,
      retryMs: flags.leaderElectRetryPeriod,
    },
    printOrphans: flags.printOrphans,
    log: { format: flags.loggingFormat, verbosity: flags.v },
  });
}

/**
 * Reads the command line (without the program's own name). Names and defaults are those of upstream's operator.
 * @throws OptionsError with the text to print and the exit code
 */
export function parseOptions(args: readonly string[]): Options {
  let output = '';
  const write = (text: string): void => void (output += text);
  const bounded = addTenantLimits(addBounds(defineCommand()));
  const command = addPrintOrphans(addLeaderElection(bounded)).configureOutput({
    writeOut: write,
    writeErr: write,
  });
  try {
    command.parse([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      throw new OptionsError(output, error.exitCode === 0 ? 0 : 2);
    }
    throw error;
  }
  return toOptions(command.opts<Flags>());
}
