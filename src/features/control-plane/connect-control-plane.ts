/** Connects to the API server of a control plane. */
import type { Change } from '../../kubernetes/informers/informer-options.ts';
import type { LongResponses } from '../../kubernetes/client/long-responses.ts';
import type { CacheMemory } from '../../kubernetes/informers/cache-quota/cache-memory.ts';
import type { SharedValues } from '../../kubernetes/informers/shared-values.ts';
import { ControlPlaneClient } from '../../control-plane-access/control-plane-client.ts';
import { fingerprintOf, type Credentials } from '../../control-plane-access/credentials.ts';
import { priorityOf } from '../../kubernetes/informers/ownership.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { namespaceOf } from '../../kubernetes/objects/resources.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { MemberTools } from '../member-access/members.ts';
import { controlPlaneDialer, nameLookup } from '../reachability/api-server-dialer.ts';

export interface ConnectTools extends MemberTools {
  /** User agent of requests to control planes. */
  readonly userAgent: string;
  /** Memory of all caches of the process. */
  readonly memory?: CacheMemory;
  /** See `CacheOptions`. */
  readonly shared?: Pick<SharedValues, 'share'>;
  /** See `ClientOptions`. */
  readonly responses?: Pick<LongResponses, 'of' | 'keep'>;
}

/** Creates the client of the control plane, or keeps the current one if its credentials are the same. */
export async function connectControlPlane(
  tools: ConnectTools,
  instance: InstanceCache,
  credentials: Credentials,
): Promise<void> {
  const before = instance.controlPlane;
  if (before?.fingerprint === fingerprintOf(credentials)) return;
  const { clock, random, log, userAgent, enqueue, term, onCalls, addresses, memory, responses } =
    tools;
  const { shared } = tools;
  const onChange = (change?: Pick<Change, 'isInitial'>): void =>
    enqueue(instance.key, change && priorityOf(change, true));
  const exposed = (): string | undefined => instance.certificates?.view.externalServer;
  const namespace = namespaceOf(instance.key);
  const own = addresses(namespace);
  const route = controlPlaneDialer(tools.host, instance.key, { exposed, addresses: own });
  const dialing = {
    route,
    addresses: own,
    findName: nameLookup(tools.host, credentials.server, own.lookup),
  };
  const options = {
    clock,
    random,
    log,
    ...{ userAgent, namespace },
    onChange,
    ...dialing,
    ...(term && { term }),
    ...optionalField('memory', memory),
    ...optionalField('shared', shared),
    ...(responses && { responses }),
    ...(onCalls?.['control-plane'] && { onCall: onCalls['control-plane'] }),
  };
  instance.controlPlane = new ControlPlaneClient(credentials, options);
  instance.readingSince = clock.monotonic();
  instance.hasRead = false;
  await before?.close();
}
