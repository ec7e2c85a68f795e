/** Serves host clusters in memory without controllers, one port per cluster, in a separate process started by `fleet.ts`. */
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { servePlainly } from '../../stubs/api/serve.ts';
import { StubApi } from '../../stubs/api/stub-api.ts';

interface Given {
  readonly count: number;
  readonly cert: string;
  readonly key: string;
}

async function start({ cert, key }: Given): Promise<number> {
  let services = 0;
  const serviceAddress = (): string => `10.96.0.${String((services += 1))}`;
  const api = new StubApi({ allocations: { serviceAddress, nodePort: () => 30_000 } });
  const server = createSecureServer({ cert, key, allowHTTP1: true });
  servePlainly(server, () => api);
  server.on('session', (session) => session.on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

process.once('message', (message) => {
  const given = message as Given;
  void Promise.all(Array.from({ length: given.count }, () => start(given))).then((ports) =>
    process.send?.(ports),
  );
});
