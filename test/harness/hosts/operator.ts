/** An operator in this process, as it runs in a cluster, that tells of each pass. */
import { join } from 'node:path';
import { NO_PROXIES } from '../../../src/archives/proxies.ts';
import { loadTemplates } from '../../../src/components/templates.ts';
import { systemClock, type Log } from '../../../src/kubernetes/clock.ts';
import type { WatchTimes } from '../../../src/kubernetes/freshness.ts';
import type { KubernetesClient } from '../../../src/kubernetes/contract.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { Operator, type Outcome } from '../../../src/operator.ts';
import { parseOptions } from '../../../src/options.ts';
import { PLATFORM_KEYS } from '../../../src/pki/keys.ts';
import { createReconciler } from '../../../src/reconcile/reconciler.ts';
import type { Reconciler } from '../../../src/kubernetes/reconciler.ts';
import { checkout } from '../../cluster/paths.ts';

/** One pass over one Karmada; times in milliseconds, by a clock that never jumps. */
export interface Pass {
  /** `namespace/name` */
  readonly key: string;
  readonly began: number;
  /** Undefined while it is under way. */
  ended?: number;
}

export interface FollowedOperator {
  /** Oldest first. */
  readonly passes: readonly Pass[];
  /** Resolves when it has ended. */
  readonly run: Promise<Outcome>;
  /** Ends it, and resolves when it has ended. */
  stop(): Promise<void>;
}

export interface FollowedOptions {
  /** Of the operator's own cluster; closed with the operator. */
  readonly client: KubernetesClient;
  readonly log: Log;
  /** Absolute path of a directory with archives, which it may write to. */
  readonly directory: string;
  /** For the lease; the client when absent. */
  readonly leaseClient?: KubernetesClient;
  /** Of its caches. */
  readonly watchTimes?: WatchTimes;
  /** More flags, such as `--kube-api-qps=50`. */
  readonly flags?: readonly string[];
}

/** Starts it; nothing is waited for. */
export function startFollowedOperator(given: FollowedOptions): FollowedOperator {
  const { client, log, directory, flags = [] } = given;
  const options = parseOptions([
    '--leader-elect=false',
    '--metrics-bind-address=0',
    '--health-probe-bind-address=0',
    // The hosts of these tests are on this machine.
    '--allow-addresses=127.0.0.0/8',
    ...flags,
  ]);
  const common = { client, log, clock: systemClock, random: Math.random };
  const passes: Pass[] = [];
  const reconciler = createReconciler({
    ...common,
    crossNamespaceSecrets: options.crossNamespaceSecrets,
    addresses: options.addresses,
    events: { record: () => undefined },
    rateLimit: options.clientRate,
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
    term: new AbortController(),
    flushEvents: () => Promise.resolve(),
    options,
    reconciler: followed(reconciler, passes),
    metrics: createMetrics('1', { aheadMs: () => 0 }, () => []),
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
