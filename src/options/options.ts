import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { addArchiveUrl } from './archive-url-option.ts';
import { parseDuration } from './duration.ts';
import type { BindAddress } from '../http/endpoints.ts';
import { withReadableDefaults } from './flag-defaults.ts';
import {
  addGoOperatorFlags,
  flagsWithoutEffect,
  withDashes,
  type FlagWithoutEffect,
} from './go-operator-flags.ts';
import { boolean, positive, positiveNumber, verbosity } from './flag-values.ts';
import {
  addMetricsFlags,
  secureMetrics,
  type MetricsFlags,
  type SecureMetrics,
} from './metrics-options.ts';
import { addBounds, bounds, type Bounds, type BoundsFlags } from './bounds-options.ts';
import {
  addTenantLimits,
  tenantLimits,
  type TenantFlags,
  type TenantLimits,
} from './tenant-options.ts';
import { operatorVersion } from './version.ts';
import { DEFAULT_NAMESPACE } from '../permissions/one-operator-lease.ts';
import type { WatchScope } from '../permissions/watch-scope.ts';
import { addWatchFlags, watchScope, type WatchFlags } from '../permissions/watch-options.ts';

/** Settings of the operator from its flags. Durations are in milliseconds. */
export interface Options extends Bounds, TenantLimits {
  readonly kubeconfig?: string;
  /** Undefined disables the metrics endpoint. */
  readonly metrics: BindAddress | undefined;
  /** Undefined serves metrics over HTTP to all clients. */
  readonly secureMetrics: SecureMetrics | undefined;
  readonly health: BindAddress | undefined;
  readonly clientRate: { readonly qps: number; readonly burst: number };
  readonly leaderElection: {
    readonly enabled: boolean;
    readonly namespace: string;
    readonly name: string;
    readonly leaseMs: number;
    readonly renewDeadlineMs: number;
    readonly retryMs: number;
  };
  /** URL template of CRD archives that the image does not contain, with `{release}`; empty to download none. */
  readonly archiveUrl: string;
  /** Image of the operator, for the Pods of backups. Without it there are no backups. */
  readonly backupImage?: string;
  /** Limits the operator to single namespaces; it watches all if undefined. */
  readonly scope: WatchScope | undefined;
  /** If true, the process prints control planes without a Karmada object and exits. */
  readonly printOrphans: boolean;
  /** Flags of the Go operator on the command line that have no effect. */
  readonly withoutEffect: readonly FlagWithoutEffect[];
  readonly log: { readonly format: 'json' | 'text'; readonly verbosity: number };
}

/** Ends the process early: help, version or an invalid command line. `message` is the text to print. */
export class OptionsError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.name = 'OptionsError';
    this.exitCode = exitCode;
  }
}

/** Parses an address such as `:8080` or `[::1]:8080`; undefined for `0` and empty text. @throws InvalidArgumentError */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === '0' || text === '') return undefined;
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new InvalidArgumentError('must be HOST:PORT, :PORT, or 0 to disable.');
  }
  return { host: match[1] ?? match[2] ?? '', port };
}

function addLeaderElection(command: Command): Command {
  return command
    .option('--leader-elect [bool]', 'elect a leader; only the leader reconciles', boolean, true)
    .option(
      '--leader-elect-resource-namespace <namespace>',
      'namespace of the leader election Lease',
      DEFAULT_NAMESPACE,
    )
    .option('--leader-elect-resource-name <name>', 'name of the Lease', 'karmada-operator')
    .option(
      '--leader-elect-lease-duration <time>',
      'duration after which a standby may acquire a Lease that was not renewed',
      parseDuration,
      15_000,
    )
    .option(
      '--leader-elect-renew-deadline <time>',
      'duration after which a leader that cannot renew the Lease stops leading',
      parseDuration,
      10_000,
    )
    .option('--leader-elect-retry-period <time>', 'Lease retry interval', parseDuration, 2_000);
}

function defineCommand(): Command {
  return new Command('karmada-operator')
    .description('Installs, repairs, upgrades and deletes Karmada control planes.')
    .version(operatorVersion)
    .option(
      '--kubeconfig <file>',
      'path to a kubeconfig file; defaults to the ServiceAccount of the Pod',
    )
    .option('--metrics-bind-address <address>', 'address of /metrics; 0 disables it', ':8080')
    .option(
      '--health-probe-bind-address <address>',
      'address of /healthz and /readyz; 0 disables them',
      ':8443',
    )
    .option(
      '--kube-api-qps <n>',
      'average requests per second to each host cluster; namespaces take turns',
      positiveNumber,
      150,
    )
    .option('--kube-api-burst <n>', 'maximum burst of requests to each host cluster', positive, 300)
    .addOption(
      new Option('--logging-format <format>', 'log format')
        .choices(['json', 'text'])
        .default('json'),
    )
    .option('-v, --v <level>', 'log verbosity; 4 or higher enables debug lines', verbosity, 2)
    .allowExcessArguments(false)
    .exitOverride();
}

interface Flags extends MetricsFlags, WatchFlags, BoundsFlags, TenantFlags {
  kubeconfig?: string;
  metricsBindAddress: string;
  healthProbeBindAddress: string;
  kubeApiQps: number;
  kubeApiBurst: number;
  leaderElect: boolean;
  leaderElectResourceNamespace: string;
  leaderElectResourceName: string;
  leaderElectLeaseDuration: number;
  leaderElectRenewDeadline: number;
  leaderElectRetryPeriod: number;
  crdArchiveUrl: string;
  backupImage?: string;
  printOrphans: boolean;
  loggingFormat: 'json' | 'text';
  v: number;
}

/** Parses the address of a flag. The error names the flag. @throws OptionsError */
function address(flag: string, text: string): BindAddress | undefined {
  try {
    return parseBindAddress(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OptionsError(
      `error: ${flag}: invalid address ${JSON.stringify(text)}: ${reason}\n`,
      2,
    );
  }
}

function toOptions(flags: Flags, withoutEffect: Options['withoutEffect']): Options {
  if (flags.leaderElectRenewDeadline >= flags.leaderElectLeaseDuration) {
    const names =
      '--leader-elect-renew-deadline must be shorter than --leader-elect-lease-duration';
    throw new OptionsError(`error: ${names}\n`, 2);
  }
  return Object.freeze({
    ...(flags.kubeconfig === undefined ? {} : { kubeconfig: flags.kubeconfig }),
    ...bounds(flags),
    ...tenantLimits(flags),
    metrics: address('--metrics-bind-address', flags.metricsBindAddress),
    secureMetrics: secureMetrics(flags),
    health: address('--health-probe-bind-address', flags.healthProbeBindAddress),
    clientRate: { qps: flags.kubeApiQps, burst: flags.kubeApiBurst },
    leaderElection: {
      enabled: flags.leaderElect,
      namespace: flags.leaderElectResourceNamespace,
      name: flags.leaderElectResourceName,
      leaseMs: flags.leaderElectLeaseDuration,
      renewDeadlineMs: flags.leaderElectRenewDeadline,
      retryMs: flags.leaderElectRetryPeriod,
    },
    archiveUrl: flags.crdArchiveUrl,
    ...(flags.backupImage === undefined ? {} : { backupImage: flags.backupImage }),
    scope: watchScope(flags),
    printOrphans: flags.printOrphans,
    withoutEffect,
    log: { format: flags.loggingFormat, verbosity: flags.v },
  });
}

/** Returns the command with all flags of the operator. */
export function operatorCommand(): Command {
  const command = addWatchFlags(
    addLeaderElection(addArchiveUrl(addTenantLimits(addBounds(defineCommand())))),
  );
  addMetricsFlags(command, boolean);
  command.option('--backup-image <image>', 'image of the operator, for the Pods of backups');
  command.option('--print-orphans', 'print orphaned control planes and exit', false);
  return withReadableDefaults(addGoOperatorFlags(command));
}

/**
 * Parses the command line without the program name. Names and defaults are those of the upstream Karmada operator.
 * @throws OptionsError with the text to print and the exit code
 */
export function parseOptions(args: readonly string[]): Options {
  let output = '';
  const write = (text: string): void => void (output += text);
  const command = operatorCommand().configureOutput({ writeOut: write, writeErr: write });
  try {
    command.parse([...withDashes(args)], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      throw new OptionsError(output, error.exitCode === 0 ? 0 : 2);
    }
    throw error;
  }
  return toOptions(command.opts<Flags>(), flagsWithoutEffect(command));
}
