/** A host other than the operator's own cluster, as long as one way into it is good. */
import type { LookupFunction } from 'node:net';
import { createClient } from '../kubernetes/client.ts';
import type { Clock, Log, Random } from '../kubernetes/clock.ts';
import {
  explicitCredentials,
  explicitEndpoint,
  type ExplicitAccess,
} from '../kubernetes/connection.ts';
import { newDispatcher } from '../kubernetes/dispatcher.ts';
import type { RateLimit } from '../kubernetes/limiter.ts';
import { forwardPort } from '../kubernetes/port-forward.ts';
import { createHost, type Host, type Remote } from '../reconcile/host.ts';

export interface RemoteHost extends Host {
  readonly remote: Remote;
  close(): Promise<void>;
}

export interface RemoteHostTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly userAgent: string;
  readonly rateLimit?: RateLimit;
  /** Finds the addresses of hosts. */
  readonly lookup?: LookupFunction;
}

const CALL_TIMEOUT_MS = 10_000;
const FORWARD_TIMEOUT_MS = 5_000;

/** Opens a host; its caches begin to fill when they are started. */
export function openRemoteHost(given: ExplicitAccess, tools: RemoteHostTools): RemoteHost {
  const { clock, userAgent, rateLimit, lookup } = tools;
  const access = { ...given, ...(lookup && { lookup }) };
  const client = createClient(explicitEndpoint(access), {
    ...{ clock, userAgent, timeoutMs: CALL_TIMEOUT_MS },
    ...(rateLimit && { rateLimit }),
  });
  const host = createHost({ ...tools, client });
  const credentials = explicitCredentials(access);
  const dispatcher = newDispatcher(access, credentials, { allowH2: false });
  const { headers } = credentials;
  const means = { dispatcher, headers, timeoutMs: FORWARD_TIMEOUT_MS };
  const { server } = access;
  const forward: Remote['forward'] = (target) => forwardPort({ server, ...target }, means);
  return {
    ...host,
    remote: { server, forward },
    async close() {
      await Promise.all(host.informers.map((informer) => informer.stop()));
      await Promise.all([client.close(), dispatcher.destroy()]);
    },
  };
}
