/**
 * A real operator process, two real API servers and a real Prometheus with the alerts of config/monitoring. There is no
 * kubelet, so no Pod of a control plane runs. The test takes the place of Pods, where a cause needs one.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { backupCrds } from '../../../scripts/crd/backups.ts';
import { alerts, crd as crdFile } from '../../../scripts/deploy/generate.ts';
import {
  karmadaBackups,
  karmadaBackupSchedules,
  karmadaBackupStores,
} from '../../../src/api/backup/kinds.ts';
import { releaseArchive } from '../../../src/controlplane/__fixtures__/tar.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { hostClusterOf, hostSecret, karmadaOf, namespaceOf } from '../../harness/hosts/fleet.ts';
import { startStandIn, type HostStandIn } from '../../harness/hosts/stand-in.ts';
import { Prometheus, type Alert } from '../../harness/prometheus/prometheus.ts';
import { scaledGroups, type RuleGroup } from '../../harness/prometheus/rules.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient } from '../../harness/servers/apiserver-client.ts';
import { freePorts } from '../../harness/servers/process.ts';
import { startOperator, type OperatorProcess } from './operator-process.ts';
import type { ResourceType } from '../../../src/kubernetes/objects/resources.ts';

/** One minute of the rules takes half a second. */
const DIVISOR = 120;
/** As a scrape every minute. A shorter interval is too short for a scrape on a busy machine. */
const INTERVAL_MS = 60_000 / DIVISOR;
/** A watch is silent after 150 seconds, which no flag changes. */
const DEADLINE_MS = 240_000;

const KINDS = [karmadas, karmadaBackups, karmadaBackupSchedules, karmadaBackupStores];

/** Alert groups of config/monitoring with their real times. */
export async function alertGroups(): Promise<readonly RuleGroup[]> {
  const text = await readFile(join(checkout, alerts.source), 'utf8');
  return (load(text) as { spec: { groups: readonly RuleGroup[] } }).spec.groups;
}

export class AlertScene {
  readonly client: KubernetesClient;
  readonly prometheus: Prometheus;
  /** The host cluster of the Karmada `far`. */
  readonly host: HostStandIn;
  readonly #servers: readonly [ApiServer, ApiServer];
  readonly #port: number;
  /** Serves the CRD archive of all Karmadas. */
  readonly #archive: Server;
  readonly #ends: (() => Promise<void>)[] = [];
  #operator: OperatorProcess | undefined;

  private constructor(given: {
    client: KubernetesClient;
    prometheus: Prometheus;
    host: HostStandIn;
    servers: readonly [ApiServer, ApiServer];
    port: number;
    archive: Server;
  }) {
    this.client = given.client;
    this.prometheus = given.prometheus;
    this.host = given.host;
    this.#servers = given.servers;
    this.#port = given.port;
    this.#archive = given.archive;
  }

  /** Starts everything but the operator. */
  static async start(): Promise<AlertScene> {
    const [port = 0] = await freePorts(1);
    const rules = scaledGroups(await alertGroups(), DIVISOR);
    const servers = await Promise.all([startApiServer(), startApiServer()]);
    const [own, other] = servers;
    const client = adminClient(own, { resources: KINDS });
    await installCrds(client);
    const tls = await newPair({ commonName: 'host', hosts: ['127.0.0.1'] }, other.ca);
    const upstream = { host: '127.0.0.1', port: other.port, ca: other.caData, ...other.admin };
    return new AlertScene({
      client,
      servers,
      port,
      prometheus: await Prometheus.start({ rules, port, intervalMs: INTERVAL_MS }),
      host: await startStandIn(tls, upstream),
      archive: await serveArchive(),
    });
  }

  /** Starts the operator; Prometheus scrapes each one at the same address. */
  async startOperator(...flags: readonly string[]): Promise<void> {
    this.#operator = await startOperator(this.#servers[0], [
      `--metrics-bind-address=127.0.0.1:${String(this.#port)}`,
      // The host cluster is on the loopback interface.
      '--allow-addresses=127.0.0.0/8',
      '--backup-image=localhost/operator:1',
      ...flags,
    ]);
  }

  async stopOperator(): Promise<void> {
    await this.#operator?.end('SIGTERM');
  }

  /** Creates a Karmada with this name in a namespace with the same name. */
  async createKarmada(name: string, spec: object = {}): Promise<void> {
    await this.client.create(namespaceOf(name));
    await this.client.create(this.#karmada(karmadaOf(name), spec));
  }

  /** Creates the Karmada of the host cluster. */
  async createFarKarmada(name: string): Promise<void> {
    await this.client.create(namespaceOf(name));
    const { caData: ca } = this.#servers[1];
    await this.client.create(hostSecret(name, { token: 'none', ca }));
    const karmada = karmadaOf(name, hostClusterOf(name, this.host.url));
    await this.client.create(this.#karmada(karmada));
  }

  #karmada(karmada: KubernetesObject, spec: object = {}): KubernetesObject {
    const { port } = this.#archive.address() as AddressInfo;
    const url = `http://127.0.0.1:${String(port)}/crds.tar.gz`;
    const crdTarball = { httpSource: { url } };
    return { ...karmada, spec: { ...(karmada['spec'] as object), crdTarball, ...spec } };
  }

  /** Writes the status of a Karmada. */
  async report(name: string, status: object): Promise<void> {
    const key = { namespace: name, name };
    await this.client.patch(karmadas, key, { status }, { subresource: 'status' });
  }

  /** Waits until the alert fires with these labels. */
  async untilFiring(alert: string, labels: Alert['labels'] = {}): Promise<void> {
    await this.#until(`${alert} fires`, (found) => found.some(({ state }) => state === 'firing'), {
      ...labels,
      alertname: alert,
    });
  }

  /** Waits until the alert neither fires nor is pending. */
  async untilSilent(alert: string, labels: Alert['labels'] = {}): Promise<void> {
    await this.#until(`${alert} is silent`, (found) => found.length === 0, {
      ...labels,
      alertname: alert,
    });
  }

  /** Waits until an expression has a result. */
  async untilTrue(expression: string): Promise<void> {
    await poll(
      expression,
      async () => ((await this.prometheus.query(expression)).length > 0 ? true : undefined),
      { deadlineMs: DEADLINE_MS },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.#operator?.tail() ?? ''}`);
    });
  }

  async #until(
    what: string,
    fits: (alerts: readonly Alert[]) => boolean,
    labels: Alert['labels'],
  ): Promise<void> {
    await poll(
      what,
      async (seen) => {
        const all = await this.prometheus.alerts();
        seen(`${JSON.stringify(all)}\n${this.#operator?.tail() ?? ''}`);
        const wanted = Object.entries(labels);
        const found = all.filter((one) => wanted.every(([k, value]) => one.labels[k] === value));
        return fits(found) ? true : undefined;
      },
      { deadlineMs: DEADLINE_MS },
    );
  }

  /** Runs an action at the end of the test. */
  onEnd(action: () => Promise<void>): void {
    this.#ends.push(action);
  }

  async end(): Promise<void> {
    await this.stopOperator();
    for (const action of this.#ends) await action();
    this.#archive.closeAllConnections();
    this.#archive.close();
    await Promise.all([this.prometheus.end(), this.host.close(), this.client.close()]);
    await Promise.all(this.#servers.map((server) => server.stop()));
  }
}

async function serveArchive(): Promise<Server> {
  const archive = await releaseArchive();
  const server = createServer((_, response) => response.end(archive)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function installCrds(client: KubernetesClient): Promise<void> {
  const karmada = load(await readFile(join(checkout, crdFile.source), 'utf8')) as KubernetesObject;
  for (const crd of [karmada, ...Object.values(backupCrds)]) await client.create(crd);
  await poll('the kinds are served', (seen) =>
    Promise.all(KINDS.map((kind: ResourceType) => client.list(kind))).catch(
      (error: unknown) => void seen(String(error)),
    ),
  );
}
