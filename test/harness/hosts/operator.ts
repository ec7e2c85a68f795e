/** Runs an operator in this process as in a cluster, and records each reconcile. */
import { join } from 'node:path';
import { NO_PROXIES } from '../../../src/crd-archives/proxies.ts';
import { loadTemplates } from '../../../src/components/templates.ts';
import type { CacheMemory } from '../../../src/kubernetes/informers/cache-quota/cache-memory.ts';
import { systemClock, type Log } from '../../../src/kubernetes/time/clock.ts';
import type { WatchTimes } from '../../../src/kubernetes/informers/freshness.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { Origins } from '../../../src/kubernetes/fairness/origin.ts';
import { LeaderTerm } from '../../../src/kubernetes/time/term.ts';
import { createMetrics } from '../../../src/metrics/metrics.ts';
import { Operator, type Outcome } from '../../../src/operator/operator.ts';
import { parseOptions } from '../../../src/options/options.ts';
import { PLATFORM_KEYS } from '../../../src/pki/keys.ts';
import { createReconciler } from '../../../src/controllers/karmada/reconciler.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';

/** One reconcile of one Karmada; times in milliseconds of a monotonic clock. */
export interface Pass {
  /** `namespace/name` */
  readonly key: string;
  readonly began: number;
  /** Undefined while the reconcile runs. */
  ended?: number;
}

export interface FollowedOperator {
  /** Oldest first. */
  readonly passes: readonly Pass[];
  /** Resolves when the operator has stopped. */
  readonly run: Promise<Outcome>;
  /** Stops the operator, and resolves when it has stopped. */
  stop(): Promise<void>;
}

export interface FollowedOptions {
  /** Client for the management cluster; closed with the operator. */
  readonly client: KubernetesClient;
  readonly log: Log;
  /** Absolute path of a writable directory with CRD archives. */
  readonly directory: string;
  /** Client for the lease; defaults to `client`. */
  readonly leaseClient?: KubernetesClient;
  /** Term of the clients; not shared with them by default. */
  readonly term?: LeaderTerm;
  /** Memory of all caches. */
  readonly memory?: CacheMemory;
  /** Origins of the calls of the client. */
  readonly origins?: Origins;
  /** Timeouts of the caches. */
  readonly watchTimes?: WatchTimes;
  /** Additional flags, for example `--kube-api-qps=50`. */
  readonly flags?: readonly string[];
}

/** Starts the operator and returns immediately. */
export function startFollowedOperator(given: FollowedOptions): FollowedOperator {
  const { client, log, directory, flags = [] } = given;
  const options = parseOptions([
    '--leader-elect=false',
    '--metrics-bind-address=0',
    '--health-probe-bind-address=0',
    // The host clusters of these tests use the loopback interface.
    '--allow-addresses=127.0.0.0/8',
    ...flags,
  ]);
  const common = { client, log, clock: systemClock, random: Math.random };
  const passes: Pass[] = [];
  const { origins = new Origins() } = given;
  const reconciler = createReconciler({
    ...common,
    crossNamespaceSecrets: options.crossNamespaceSecrets,
    addresses: options.addresses,
    events: { record: () => undefined },
    rateLimit: { ...options.clientRate, origins },
    ...(given.term && { term: given.term }),
    ...(given.memory && { memory: given.memory }),
    keys: PLATFORM_KEYS,
    templates: loadTemplates(join(checkout, 'src/components')),
    dataDirectories: [directory],
    cacheDirectory: directory,
    proxies: NO_PROXIES,
    userAgent: 'karmada-operator/test',
    ...(given.watchTimes && { watchTimes: given.watchTimes }),
  });
  const operator = new Operator({
    checks: [],
    ...common,
    leaseClient: given.leaseClient ?? client,
    term: given.term ?? new LeaderTerm(systemClock),
    origins,
    flushEvents: () => Promise.resolve(),
    options,
    reconciler: followed(reconciler, passes),
    metrics: createMetrics('1', { aheadMs: () => 0 }),
    identity: 'test',
    onQuiet: () => undefined,
  });
  const run = operator.run();
  return {
    passes,
    run,
    async stop() {
      operator.stop();
      await run;
    },
  };
}

function followed(reconciler: Reconciler, passes: Pass[]): Reconciler {
  return {
    ...reconciler,
    async reconcile(key, signal) {
      const pass: Pass = { key, began: performance.now() };
      passes.push(pass);
      try {
        return await reconciler.reconcile(key, signal);
      } finally {
        pass.ended = performance.now();
      }
    },
  };
}
