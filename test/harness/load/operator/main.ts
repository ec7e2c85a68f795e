/** Runs an operator of this checkout with default flags in a separate process, started by `fleet.ts`. */
import { getHeapStatistics } from 'node:v8';
import { CacheMemory } from '../../../../src/kubernetes/informers/cache-quota/cache-memory.ts';
import { createClient } from '../../../../src/kubernetes/client/client.ts';
import { systemClock } from '../../../../src/kubernetes/time/clock.ts';
import {
  explicitEndpoint,
  type ExplicitAccess,
} from '../../../../src/kubernetes/connection/connection.ts';
import { Origins } from '../../../../src/kubernetes/fairness/origin.ts';
import { LeaderTerm } from '../../../../src/kubernetes/time/term.ts';
import { createLogger } from '../../../../src/operator/logging.ts';
import { karmadas } from '../../../../src/host-clusters/host.ts';
import { parseOptions } from '../../../../src/options/options.ts';
import { startFollowedOperator } from '../../hosts/operator.ts';

interface Given {
  readonly access: ExplicitAccess;
  readonly directory: string;
  /** Additional flags. */
  readonly flags: readonly string[];
}

/** Makes the event loop busy from now on. */
interface Busy {
  /** Time of each turn of the event loop, in milliseconds. */
  readonly blockMs: number;
}

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
  setImmediate(() => block(ms));
}

function start({ access, directory, flags }: Given): void {
  const endpoint = explicitEndpoint(access);
  const term = new LeaderTerm(systemClock);
  const origins = new Origins();
  const rateLimit = { ...parseOptions([...flags]).clientRate, origins };
  const operator = startFollowedOperator({
    client: createClient(endpoint, { resources: [karmadas], rateLimit, term }),
    leaseClient: createClient(endpoint),
    term,
    origins,
    // As in operator-process.ts.
    memory: new CacheMemory(getHeapStatistics().heap_size_limit / 4),
    log: createLogger({ format: 'json', verbosity: 2 }),
    directory,
    flags: ['--leader-elect=true', '--leader-elect-resource-namespace=default', ...flags],
  });
  process.on('SIGTERM', () => void operator.stop());
  // As main.ts does: open handles must not keep the process from ending.
  void operator.run.then((outcome) => process.exit(outcome === 'stopped' ? 0 : 1));
}

// The parent may have failed before it could stop this process.
process.on('disconnect', () => process.exit());
process.on('message', (message: Given | Busy) => {
  if ('blockMs' in message) block(message.blockMs);
  else start(message);
});
