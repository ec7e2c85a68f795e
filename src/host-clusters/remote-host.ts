/** Opens a remote host cluster. A `RemoteHost` exists as long as its credentials do not change. */
import { CacheTotal } from '../kubernetes/informers/cache-total.ts';
import type { LongResponses } from '../kubernetes/client/long-responses.ts';
import type { TenantAddresses } from '../kubernetes/connection/addresses.ts';
import type { CacheMemory } from '../kubernetes/informers/cache-quota/cache-memory.ts';
import { createClient } from '../kubernetes/client/client.ts';
import type { Clock, Log, Random } from '../kubernetes/time/clock.ts';
import {
  explicitCredentials,
  explicitEndpoint,
  type ExplicitAccess,
} from '../kubernetes/connection/connection.ts';
import { webSocketDispatcher } from '../kubernetes/connection/dispatcher.ts';
import type { OnCalls } from '../kubernetes/client/finished-call.ts';
import type { WatchTimes } from '../kubernetes/informers/freshness.ts';
import { CallGate, gated } from '../kubernetes/client/call-gate.ts';
import { HOST_CLUSTER_SCOPED, HOST_LIMITS, HOST_WRITTEN } from '../kubernetes/client/limits.ts';
import type { RateLimit } from '../kubernetes/fairness/limiter.ts';
import { forwardPort } from '../kubernetes/client/port-forward.ts';
import type { SharedValues } from '../kubernetes/informers/shared-values.ts';
import type { Term } from '../kubernetes/time/term.ts';
import { UnreadBytes } from '../kubernetes/connection/unread-bytes.ts';
import { permissionsOf } from '../permissions/needed.ts';
import { createHost, type Host, type Remote } from './host.ts';
import { stopCaches } from './start-caches.ts';

export interface RemoteHost extends Host {
  readonly remote: Remote;
  /** Closed until the host cluster is reachable. The caches send no requests before. */
  readonly gate: CallGate;
  close(): Promise<void>;
}

export interface RemoteHostTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly userAgent: string;
  readonly rateLimit?: RateLimit;
  /** Watch timing of the caches. Shorter in tests. */
  readonly watchTimes?: WatchTimes;
  /** See `ClientOptions`. */
  readonly term?: Term;
  /** Receives the calls to host clusters. */
  readonly onCalls?: OnCalls;
  /** Namespace of the Secret of the host cluster, which has its share of the memory. */
  readonly tenant?: string;
  /** Addresses of host clusters to which the operator may connect. */
  readonly addresses: TenantAddresses;
  /** Memory of all caches of the process. */
  readonly memory?: CacheMemory;
  /** See `CacheOptions`. */
  readonly shared?: Pick<SharedValues, 'share'>;
  /** See `ClientOptions`. */
  readonly responses?: Pick<LongResponses, 'of' | 'keep'>;
}

const RIGHTS = {
  needed: permissionsOf('remote'),
  neededInNamespaces: permissionsOf('remote-port-forward'),
};
const CALL_TIMEOUT_MS = 10_000;
const FORWARD_TIMEOUT_MS = 5_000;

/**
 * Creates client and caches of a remote host cluster without starting the caches.
 * @param given credentials from the Secret
 */
export function openRemoteHost(given: ExplicitAccess, tools: RemoteHostTools): RemoteHost {
  const { clock, userAgent, rateLimit, term, addresses, onCalls, responses } = tools;
  const access = { ...given, addresses };
  const client = createClient(explicitEndpoint(access), {
    clock,
    userAgent,
    timeoutMs: CALL_TIMEOUT_MS,
    limits: HOST_LIMITS,
    ...(rateLimit && { rateLimit }),
    ...(term && { term }),
    ...(responses && { responses }),
    ...(onCalls?.remote && { onCall: onCalls.remote }),
  });
  const gate = new CallGate(clock);
  gate.shut();
  const reader = gated(client, gate);
  const clusterScoped = new CacheTotal(HOST_CLUSTER_SCOPED, tools.memory, tools.tenant);
  const limits = { clusterScoped, maxWritten: HOST_WRITTEN };
  const host = createHost({ ...tools, client, reader, rights: RIGHTS, ...limits });
  const credentials = explicitCredentials(access);
  const dispatcher = webSocketDispatcher(access, credentials);
  const { headers } = credentials;
  const means = { dispatcher, headers, timeoutMs: FORWARD_TIMEOUT_MS, unread: new UnreadBytes() };
  const { server } = access;
  const forward: Remote['forward'] = (target) => forwardPort({ server, ...target }, means);
  return {
    ...host,
    gate,
    remote: { server, addresses, forward },
    async close() {
      await stopCaches(host);
      clusterScoped.close();
      await Promise.all([client.close(), dispatcher.destroy()]);
    },
  };
}
