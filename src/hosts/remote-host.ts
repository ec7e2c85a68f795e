/** A host other than the operator's own cluster, as long as one way into it is good. */
import type { LookupFunction } from 'node:net';
import type { AddressPolicy } from '../kubernetes/addresses.ts';
import { createClient } from '../kubernetes/client.ts';
import type { Clock, Log, Random } from '../kubernetes/clock.ts';
import {
  explicitCredentials,
  explicitEndpoint,
  type ExplicitAccess,
} from '../kubernetes/connection.ts';
import { newDispatcher } from '../kubernetes/dispatcher.ts';
import type { WatchTimes } from '../kubernetes/freshness.ts';
import { Gate, gated } from '../kubernetes/gate.ts';
import { HOST_KEPT, HOST_LIMITS } from '../kubernetes/limits.ts';
import type { RateLimit } from '../kubernetes/limiter.ts';
import { forwardPort } from '../kubernetes/port-forward.ts';
import { rightsOf } from '../rights/needed.ts';
import { createHost, type Host, type Remote } from './host.ts';

export interface RemoteHost extends Host {
  readonly remote: Remote;
  /** Shut until the host is known to answer: its caches wait. */
  readonly gate: Gate;
  close(): Promise<void>;
}

export interface RemoteHostTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly userAgent: string;
  readonly rateLimit?: RateLimit;
  /** Of the caches, other than usual in tests. */
  readonly watchTimes?: WatchTimes;
  /** See `ClientOptions`. */
  readonly term?: AbortSignal;
  /** Finds the addresses of hosts. */
  readonly lookup?: LookupFunction;
  /** Which addresses of hosts may be connected to. */
  readonly addresses: AddressPolicy;
}

const RIGHTS = {
  needed: rightsOf('remote'),
  neededInNamespaces: rightsOf('remote-port-forward'),
};
const CALL_TIMEOUT_MS = 10_000;
const FORWARD_TIMEOUT_MS = 5_000;

/** Opens a host; its caches begin to fill when they are started. */
export function openRemoteHost(given: ExplicitAccess, tools: RemoteHostTools): RemoteHost {
  const { clock, userAgent, rateLimit, lookup, term, addresses } = tools;
  const access = { ...given, addresses, ...(lookup && { lookup }) };
  const client = createClient(explicitEndpoint(access), {
    ...{ clock, userAgent, timeoutMs: CALL_TIMEOUT_MS, limits: HOST_LIMITS },
    ...(rateLimit && { rateLimit }),
    ...(term && { term }),
  });
  const gate = new Gate(clock);
  gate.shut();
  const reader = gated(client, gate);
  const host = createHost({ ...tools, keptBytes: HOST_KEPT, client, reader, rights: RIGHTS });
  const credentials = explicitCredentials(access);
  const dispatcher = newDispatcher(access, credentials, { allowH2: false });
  const { headers } = credentials;
  const means = { dispatcher, headers, timeoutMs: FORWARD_TIMEOUT_MS };
  const { server } = access;
  const forward: Remote['forward'] = (target) => forwardPort({ server, ...target }, means);
  return {
    ...host,
    gate,
    remote: { server, addresses, forward },
    async close() {
      await Promise.all(host.informers.map((informer) => informer.stop()));
      await Promise.all([client.close(), dispatcher.destroy()]);
    },
  };
}
