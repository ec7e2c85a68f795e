/** Two stub clusters: the management cluster, and one that the operator reaches through host clusters that can fail. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import { memoryLog } from '../../../src/kubernetes/time/clock.fixture.ts';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { WatchTimes } from '../../../src/kubernetes/informers/freshness.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { crdFile } from '../../../scripts/crd/render.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { startApiServer, type ApiServer } from '../servers/apiserver.ts';
import { newPair, type Pair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import {
  hostClusterOf,
  hostSecret,
  karmadaOf,
  layArchive,
  namespaceOf,
  numbered,
} from './fleet.ts';
import { grant, OPERATOR, RIGHTS } from './rights.ts';
import { startFollowedOperator, type FollowedOperator } from './operator.ts';
import { startStandIn, type HostStandIn, type Mode } from './stand-in.ts';

export interface Environment {
  /** Management cluster, with a client other than that of the operator. */
  readonly management: KubernetesClient;
  /** Cluster behind all host clusters, accessed directly. */
  readonly away: KubernetesClient;
  /** Names of the Karmadas without a remote host cluster. */
  readonly near: readonly string[];
  /** Host clusters by the name of their Karmada. */
  readonly hosts: ReadonlyMap<string, HostStandIn>;
  /** The running operator. */
  readonly operator: () => FollowedOperator;
  /** Starts another operator after the previous one has been stopped. */
  readonly startOperator: () => void;
  readonly log: ReturnType<typeof memoryLog>;
  /** Stored condition of a Karmada. */
  readonly condition: (name: string, type: string) => Promise<Condition | undefined>;
  stop(): Promise<void>;
}

export interface EnvironmentOptions {
  readonly near: number;
  readonly far: number;
  /** Initial mode of a host cluster; `well` if undefined. */
  readonly begin?: (name: string) => Mode | undefined;
  /** Flags of the operator. */
  readonly flags?: readonly string[];
  /** Timeouts of the operator's caches. */
  readonly watchTimes?: WatchTimes;
  /** If true, the operator has only the permissions of its files (`RIGHTS`) in both clusters. */
  readonly restricted?: true;
}

function clientOf(api: ApiServer, user = api.admin): KubernetesClient {
  const { url: server, caData } = api;
  const access = { server, caData, certData: user.cert, keyData: user.key };
  return createClient(explicitEndpoint(access), { resources: [karmadas] });
}

async function installCrd(client: KubernetesClient): Promise<void> {
  for (const crd of loadAll(await readFile(crdFile, 'utf8')) as KubernetesObject[])
    await client.create(crd);
  await poll('the CRD is served', (seen) =>
    client.list(karmadas).catch((error: unknown) => void seen(String(error))),
  );
}

async function startHosts(
  names: readonly string[],
  api: ApiServer,
  user: Pair,
): Promise<ReadonlyMap<string, HostStandIn>> {
  const tls = await newPair({ commonName: 'host', hosts: ['127.0.0.1'] }, api.ca);
  const upstream = { host: '127.0.0.1', port: api.port, ca: api.caData, ...user };
  const started = names.map(async (name) => [name, await startStandIn(tls, upstream)] as const);
  return new Map(await Promise.all(started));
}

/** Starts both clusters and the operator, and creates the Karmadas; does not wait for their control planes. */
export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { near, far, begin, flags = [], watchTimes, restricted } = options;
  const [own, other] = await Promise.all([startApiServer(), startApiServer()]);
  const directory = await mkdtemp(join(tmpdir(), 'operator-hosts-'));
  const [management, away] = [clientOf(own), clientOf(other)];
  const userOf = (api: ApiServer): Promise<Pair> =>
    restricted ? api.clientPair(OPERATOR, 'operators') : Promise.resolve(api.admin);
  const [user, remoteUser] = await Promise.all([userOf(own), userOf(other)]);
  const hosts = await startHosts(numbered('far', far), other, remoteUser);
  for (const [name, host] of hosts) await host.turn(begin?.(name) ?? 'well');
  await Promise.all([layArchive(directory), installCrd(management)]);
  if (restricted)
    await Promise.all([grant(management, RIGHTS.management), grant(away, RIGHTS.away)]);
  const log = memoryLog();
  const common = { log, directory, flags, ...(watchTimes && { watchTimes }) };
  const start = () => startFollowedOperator({ client: clientOf(own, user), ...common });
  let operator = start();
  const names = numbered('near', near);
  for (const name of names) {
    await management.create(namespaceOf(name));
    await management.create(karmadaOf(name));
  }
  for (const [name, { url }] of hosts) {
    await management.create(namespaceOf(name));
    await management.create(hostSecret(name, { token: 'none', ca: other.caData }));
    await management.create(karmadaOf(name, hostClusterOf(name, url)));
  }
  return {
    management,
    away,
    near: names,
    hosts,
    log,
    operator: () => operator,
    startOperator: () => void (operator = start()),
    async condition(name, type) {
      const found = await management.find(karmadas, { namespace: name, name });
      const { conditions = [] } = (found as unknown as Karmada | undefined)?.status ?? {};
      return conditions.find((condition) => condition.type === type);
    },
    async stop() {
      await operator.stop();
      await Promise.all([...hosts.values()].map((host) => host.close()));
      await Promise.all([management.close(), away.close(), own.stop(), other.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
