import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { proxiesFrom } from './archives/proxies.ts';
import { createClient } from './kubernetes/client.ts';
import { systemClock, type Log } from './kubernetes/clock.ts';
import { ServerClock } from './kubernetes/server-clock.ts';
import type { Endpoint } from './kubernetes/connection.ts';
import type { KubernetesClient } from './kubernetes/contract.ts';
import { inClusterEndpoint } from './kubernetes/in-cluster.ts';
import { createLogger } from './logging.ts';
import { createMetrics } from './metrics.ts';
import { EventRecorder } from './kubernetes/events.ts';
import { checkTemplates, loadTemplates } from './components/templates.ts';
import { PLATFORM_KEYS } from './pki/keys.ts';
import { karmadas } from './reconcile/host.ts';
import { createReconciler } from './reconcile/reconciler.ts';
import { Operator } from './operator.ts';
import type { Reconciler } from './reconciler.ts';
import { OptionsError, parseOptions, type Options } from './options.ts';
import { isBundled, operatorVersion } from './version.ts';

async function endpointOf(kubeconfig: string | undefined): Promise<Endpoint> {
  if (kubeconfig === undefined) return inClusterEndpoint(process.env);
  const { kubeConfigFileEndpoint } = await import('./kubernetes/kubeconfig.ts');
  return kubeConfigFileEndpoint(kubeconfig);
}

/** Where CRD archives lie: the image's own, which cannot be written, and those that are downloaded. */
const DIRECTORIES = {
  dataDirectories: ['/var/lib/karmada'],
  cacheDirectory: '/var/cache/karmada',
} as const;

/** Where Node.js was told to offer it (`--expose-gc`), as in the image: a collection that shrinks the heap, too. */
function giveBackMemory(reconciler: Reconciler): void {
  reconciler.rest();
  void globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
}

function serverClock(log: Log): ServerClock {
  return new ServerClock(systemClock, (aheadMs) => {
    const aheadSeconds = Math.round(aheadMs / 1000);
    log.warn({ aheadSeconds }, "the clock of this node is wrong; the API server's is used instead");
  });
}

const userAgent = `karmada-operator/${operatorVersion}`;

async function hostClient(options: Options, clock: ServerClock): Promise<KubernetesClient> {
  return createClient(await endpointOf(options.kubeconfig), {
    rateLimit: options.clientRate,
    resources: [karmadas],
    userAgent,
    clock,
    hearDate: (date, sentAt) => clock.hear(date, sentAt),
  });
}

async function start(options: Options): Promise<number> {
  const log = createLogger(options.log);
  const random = Math.random;
  const clock = serverClock(log);
  const client = await hostClient(options, clock);
  const common = { client, clock, random, log };
  const identity = `${hostname()}_${randomUUID()}`;
  const events = new EventRecorder({
    ...common,
    reportingController: 'karmada-operator-controller',
    reportingInstance: identity,
  });
  const templates = loadTemplates(
    join(import.meta.dirname, isBundled ? 'templates' : 'components'),
  );
  checkTemplates(templates);
  const reconciler = createReconciler({
    ...common,
    events,
    rateLimit: options.clientRate,
    keys: PLATFORM_KEYS,
    templates,
    ...DIRECTORIES,
    proxies: proxiesFrom(process.env),
    userAgent,
  });
  const metrics = createMetrics(operatorVersion, clock);
  const parts = { reconciler, metrics, onQuiet: () => giveBackMemory(reconciler) };
  const operator = new Operator({ ...common, ...parts, options, identity });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => operator.stop());
  log.info({ version: operatorVersion }, 'karmada-operator starts');
  const outcome = await operator.run();
  await events.flush();
  log.info({ outcome }, 'karmada-operator ends');
  return outcome === 'stopped' ? 0 : 1;
}

try {
  process.exit(await start(parseOptions(process.argv.slice(2))));
} catch (error) {
  const wanted = error instanceof OptionsError;
  const text = error instanceof Error ? error.message : String(error);
  const output = wanted && error.exitCode === 0 ? process.stdout : process.stderr;
  output.write(wanted ? text : `error: ${text}\n`);
  process.exit(wanted ? error.exitCode : 1);
}
