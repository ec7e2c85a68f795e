/** Serves host clusters in memory without controllers, one port per cluster, in a separate process started by `fleet.ts`. */
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { servingAfter } from '../../stubs/api/serve.ts';
import { StubApi } from '../../stubs/api/stub-api.ts';
import { Pace } from './pace.ts';

interface Given {
  readonly count: number;
  readonly cert: string;
  readonly key: string;
}

/** Requests to answer per second from now on; `null` for all. */
interface Slow {
  readonly perSecond: number | null;
}

/** Asks for the load since the last change of the pace. */
interface Ask {
  readonly ask: true;
}

const pace = new Pace();
const servePaced = servingAfter((request, gone) => pace.turn(request, gone));

async function start({ cert, key }: Given): Promise<number> {
  let services = 0;
  const serviceAddress = (): string => `10.96.0.${String((services += 1))}`;
  const api = new StubApi({ allocations: { serviceAddress, nodePort: () => 30_000 } });
  const server = createSecureServer({ cert, key, allowHTTP1: true });
  // A host cluster may be the management cluster as well.
  api.kinds.define(karmadaCrd as unknown as KubernetesObject);
  servePaced(server, () => api);
  server.on('session', (session) => session.on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

process.on('message', (message: Given | Slow | Ask) => {
  if ('ask' in message) process.send?.(pace.load);
  else if ('perSecond' in message) pace.set(message.perSecond ?? Infinity);
  else open(message);
});

// The parent may have failed before it could stop this process.
process.on('disconnect', () => process.kill(process.pid));

function open(given: Given): void {
  void Promise.all(Array.from({ length: given.count }, () => start(given))).then((ports) =>
    process.send?.(ports),
  );
}
