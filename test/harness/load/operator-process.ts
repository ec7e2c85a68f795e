/** Runs an operator of this checkout with default flags in a separate process, started by `fleet.ts`. */
import { createClient } from '../../../src/kubernetes/client.ts';
import { explicitEndpoint, type ExplicitAccess } from '../../../src/kubernetes/connection.ts';
import { createLogger } from '../../../src/logging.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { startFollowedOperator } from '../hosts/operator.ts';

interface Given {
  readonly access: ExplicitAccess;
  readonly directory: string;
}

process.once('message', (message) => {
  const { access, directory } = message as Given;
  const endpoint = explicitEndpoint(access);
  const rateLimit = { qps: 50, burst: 100 };
  const operator = startFollowedOperator({
    client: createClient(endpoint, { resources: [karmadas], rateLimit }),
    leaseClient: createClient(endpoint),
    log: createLogger({ format: 'json', verbosity: 2 }),
    directory,
    flags: ['--leader-elect=true', '--leader-elect-resource-namespace=default'],
  });
  process.on('SIGTERM', () => void operator.stop());
  void operator.run.then((outcome) => {
    process.exitCode = outcome === 'stopped' ? 0 : 1;
    process.disconnect();
  });
});
