import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { proxiesFrom } from '../crd-archives/proxies.ts';
import { BackgroundSlots } from '../kubernetes/fairness/background-slots.ts';
import { CacheMemory } from '../kubernetes/informers/cache-quota/cache-memory.ts';
import { createClient } from '../kubernetes/client/client.ts';
import { every, systemClock, type Clock, type Log } from '../kubernetes/time/clock.ts';
import { ServerClock } from '../kubernetes/time/server-clock.ts';
import { explicitEndpoint, type ExplicitAccess } from '../kubernetes/connection/connection.ts';
import type { OnCalls } from '../kubernetes/client/finished-call.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { useSmallBufferPools } from './buffer-pools.ts';
import { createLogger } from './logging.ts';
import { mallocTrim } from './malloc-trim.ts';
import { createMetrics } from '../metrics/metrics.ts';
import type { Metrics } from '../metrics/metrics-interface.ts';
import { EventRecorder } from '../kubernetes/client/events.ts';
import type { Templates } from '../components/render.ts';
import { checkTemplates, loadTemplates } from '../components/templates.ts';
import { oneAtATime, PLATFORM_KEYS } from '../pki/keys.ts';
import { karmadas } from '../host-clusters/host.ts';
import { listOrphans, orphanLines } from '../orphans/find-orphans.ts';
import type { Orphan } from '../orphans/orphans.ts';
import { orphanCheck } from '../orphans/orphan-check.ts';
import { withBackups } from '../controllers/backups/backup-reconciler.ts';
import { createReconciler, type OrphanFinder } from '../controllers/karmada/reconciler.ts';
import { LimiterWaits } from '../kubernetes/fairness/limiter-waits.ts';
import type { RateLimit } from '../kubernetes/fairness/limiter.ts';
import { Origins } from '../kubernetes/fairness/origin.ts';
import { LeaderTerm } from '../kubernetes/time/term.ts';
import { Operator, type Outcome } from './operator.ts';
import { clientsOf, endpointOf, namespaceOf, userAgent } from './operator-clients.ts';
import type { Reconciler } from '../kubernetes/workqueue/reconciler.ts';
import { fieldsOf } from '../kubernetes/objects/records.ts';
import { OptionsError, parseOptions, type Options } from '../options/options.ts';
import { reads, type WatchScope } from '../permissions/watch-scope.ts';
import { servedCrdCheck } from '../served-crd/served-crd.ts';
import { isBundled, operatorVersion } from '../options/version.ts';

/** Directories of CRD archives: read-only archives in the image, and a cache for downloaded archives. */
const DIRECTORIES = {
  dataDirectories: ['/var/lib/karmada'],
  cacheDirectory: '/var/cache/karmada',
} as const;

/** Part of the heap for the text of all cached objects, which need about twice as much memory as objects. */
const CACHE_SHARE = 0.25;

/** Interval in milliseconds in which free memory of malloc is returned. With many control planes the operator is never idle. */
const TRIM_MS = 60_000;

/** Frees idle memory. With `--expose-gc`, as in the image, it also runs a garbage collection that shrinks the heap. */
function giveBackMemory(reconciler: Reconciler, trim: () => void): void {
  reconciler.rest();
  void globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' }).then(trim);
}

/** Runs the operator, and returns free memory of malloc meanwhile. */
async function runTrimming(operator: Operator, trim: () => void): Promise<Outcome> {
  const end = every(TRIM_MS, trim, systemClock);
  try {
    return await operator.run();
  } finally {
    end();
  }
}

function serverClock(log: Log): ServerClock {
  return new ServerClock(systemClock, (aheadMs) => {
    const aheadSeconds = Math.round(aheadMs / 1000);
    log.warn({ aheadSeconds }, 'node clock is skewed, using API server time');
  });
}

/** Reports the calls to other clusters than the management cluster. */
const onCallsOf = ({ called }: Metrics): OnCalls => ({
  remote: (call) => called('remote', call),
  'control-plane': (call) => called('control-plane', call),
  member: (call) => called('member', call),
});

/** All settings of reconciles. The logger is another one than the setting of the same name. */
const reconcilerFlags = ({ log: _log, leaderElection, ...flags }: Options, rate: RateLimit) => ({
  ...flags,
  rateLimit: rate,
  ownLease: leaderElection,
});

const backupOptions = ({ backupImage, scope }: Options) =>
  ({ image: backupImage, operatorVersion, namespaces: scope?.namespaces }) as const;

/** Reads the CRD of this build: next to the bundled program, or from the source tree. */
async function expectedCrd(): Promise<object> {
  const at = (path: string): Promise<string> => readFile(join(import.meta.dirname, path), 'utf8');
  if (isBundled) return fieldsOf(JSON.parse(await at('crd.json')));
  const { load } = await import('js-yaml');
  return fieldsOf(load(await at('../../crds/operator.karmada.io_karmadas.yaml')));
}

async function printOrphans(options: Options): Promise<number> {
  const common = { userAgent, resources: [karmadas] };
  const client = createClient(await endpointOf(options.kubeconfig), common);
  const connect = (access: ExplicitAccess): KubernetesClient =>
    createClient(explicitEndpoint(access), common);
  const found = await listOrphans(client, connect, options.scope?.namespaces);
  await client.close();
  for (const line of orphanLines(found)) process.stdout.write(`${line}\n`);
  return 0;
}

function checkedTemplates(): Templates {
  const folder = isBundled ? 'templates' : '../components';
  const templates = loadTemplates(join(import.meta.dirname, folder));
  checkTemplates(templates);
  return templates;
}

interface Checked {
  readonly client: KubernetesClient;
  readonly events: EventRecorder;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly reconciler: OrphanFinder;
  readonly scope: WatchScope | undefined;
}

/** Checks that the leader runs every hour: the served CRD, and orphaned control planes. */
function checksOf({
  metrics,
  reconciler,
  scope,
  ...common
}: Checked): readonly (() => Promise<void>)[] {
  const onLacks = (count: number): void => metrics.crdLacks(count);
  const onOrphans = (count: number): void => metrics.orphans(count);
  const find = (): Promise<readonly Orphan[]> => reconciler.findOrphans();
  // An Event about a cluster-scoped object is in the namespace default.
  const events = scope ? { record: () => undefined } : common.events;
  const crd = servedCrdCheck({ ...common, events, expected: expectedCrd, onLacks });
  return [
    ...(reads(scope, 'customresourcedefinitions') ? [crd] : []),
    orphanCheck({ ...common, find, onOrphans }),
  ];
}

/** What a reconciler takes from the process and its files. */
function processOptions(shared: { readonly clock: Clock; readonly origins: Origins }) {
  const memory = new CacheMemory(getHeapStatistics().heap_size_limit * CACHE_SHARE);
  const turns = new BackgroundSlots({ ...shared, count: 1 });
  const keys = oneAtATime(PLATFORM_KEYS, turns);
  const proxies = proxiesFrom(process.env);
  return { memory, keys, templates: checkedTemplates(), ...DIRECTORIES, proxies, userAgent };
}

async function start(options: Options): Promise<number> {
  const log = createLogger(options.log);
  const clock = serverClock(log);
  const term = new LeaderTerm(clock);
  const metrics = createMetrics(operatorVersion, clock);
  const [origins, waits, trim] = [new Origins(), new LimiterWaits(), mallocTrim()];
  const rate = { ...options.clientRate, origins, waits, onWait: metrics.limited };
  const { client, leaseClient } = await clientsOf(options, { clock, metrics, term, rate });
  const common = { client, clock, random: Math.random, log };
  const identity = `${hostname()}_${randomUUID()}`;
  const reportedBy = { reportingController: 'karmada-operator-controller' };
  const events = new EventRecorder({ ...common, ...reportedBy, reportingInstance: identity });
  const shared = { ...common, events, term, record: metrics, onCalls: onCallsOf(metrics) };
  const reconciler = createReconciler({
    ...shared,
    ...reconcilerFlags(options, rate),
    ...processOptions({ clock, origins }),
    operatorNamespace: await namespaceOf(options),
  });
  const kinds = withBackups(reconciler, { ...common, record: metrics, ...backupOptions(options) });
  metrics.read({ ...reconciler, backups: kinds.backups });
  const operator = new Operator({
    ...common,
    reconciler: kinds,
    leaseClient,
    metrics,
    options,
    identity,
    term,
    ...{ origins, limiterWaits: waits },
    checks: checksOf({ ...common, events, metrics, reconciler, scope: options.scope }),
    flushEvents: () => events.flush(),
    onQuiet: () => giveBackMemory(reconciler, trim),
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => operator.stop());
  logStart(log, options);
  const outcome = await runTrimming(operator, trim);
  log.info({ outcome }, 'karmada-operator stopped');
  return outcome === 'stopped' ? 0 : 1;
}

function logStart(log: Log, { withoutEffect }: Options): void {
  log.info({ version: operatorVersion }, 'starting karmada-operator');
  for (const { flag, reason } of withoutEffect)
    log.info({ flag, reason }, 'a flag of the Go operator has no effect');
}

/**
 * Runs the operator until it is stopped, or prints what its flags ask for.
 * @param args command line, without the program
 * @returns exit code of the process
 */
export async function runOperator(args: readonly string[]): Promise<number> {
  useSmallBufferPools();
  try {
    const options = parseOptions(args);
    return await (options.printOrphans ? printOrphans : start)(options);
  } catch (error) {
    const wanted = error instanceof OptionsError;
    const text = error instanceof Error ? error.message : String(error);
    const output = wanted && error.exitCode === 0 ? process.stdout : process.stderr;
    output.write(wanted ? text : `error: ${text}\n`);
    return wanted ? error.exitCode : 1;
  }
}
