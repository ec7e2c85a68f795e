/**
 * An operator with default flags and many Karmadas, each in its own host cluster; a third of the host clusters fail.
 * The host clusters are stubs in separate processes. The management cluster is a real API server.
 *
 * @size medium
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import type { Karmada } from '../../../src/api/karmada.ts';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import {
  hostClusterOf,
  hostSecret,
  karmadaOf,
  layArchive,
  namespaceOf,
  numbered,
} from '../../harness/hosts/fleet.ts';
import {
  startOperatorProcess,
  startStubHosts,
  type OperatorProcess,
  type StubHosts,
} from '../../harness/load/fleet.ts';
import { runsAll } from '../../harness/sample.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';

jest.setTimeout(1_800_000);

const COUNT = runsAll ? 300 : 15;
/** Lease renewals to wait for. */
const RENEWALS = runsAll ? 30 : 4;
const MAX_MEBIBYTES = 1_536;
const LONG = { deadlineMs: 1_200_000 };

describe(`operator with ${String(COUNT)} host clusters`, () => {
  const names = numbered('far', COUNT);
  const dead = names.slice(0, COUNT / 3);
  const well = names.slice(COUNT / 3);
  let api: ApiServer;
  let management: KubernetesClient;
  let directory: string;
  let groups: readonly StubHosts[];
  let operator: OperatorProcess;
  let ca: string;

  beforeAll(async () => {
    api = await startApiServer();
    const access = {
      server: api.url,
      caData: api.caData,
      certData: api.admin.cert,
      keyData: api.admin.key,
    };
    management = createClient(explicitEndpoint(access), { resources: [karmadas] });
    directory = await mkdtemp(join(tmpdir(), 'operator-load-'));
    await layArchive(directory);
    await management.create(karmadaCrd as unknown as KubernetesObject);
    await poll('the CRD is served', (seen) =>
      management.list(karmadas).catch((error: unknown) => void seen(String(error))),
    );
    const authority = await newPair({ commonName: 'ca' });
    ca = authority.cert;
    const tls = await newPair({ commonName: 'host', hosts: ['127.0.0.1'] }, authority);
    groups = await Promise.all([dead, well].map((group) => startStubHosts(group.length, tls)));
    const urls = groups.flatMap((group) => group.urls);
    for (const [index, name] of names.entries()) {
      await management.create(namespaceOf(name));
      await management.create(hostSecret(name, { token: 'none', ca }));
      await management.create(karmadaOf(name, hostClusterOf(name, urls[index] ?? '')));
    }
    operator = startOperatorProcess(access, directory);
  });

  afterAll(async () => {
    await operator.stop();
    await Promise.all(groups.map((group) => group.stop()));
    await management.close();
    await api.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const lease = async (): Promise<{ renewTime?: string; leaseTransitions?: number }> => {
    const key = { namespace: 'default', name: 'karmada-operator' };
    return ((await management.find(resources.Lease, key))?.['spec'] ?? {}) as object;
  };

  /** Verifies that the operator holds the lease and never lost it. */
  const expectLed = async (): Promise<void> => {
    const lost = operator.lines.filter((line) => line.includes('leader lease lost'));
    expect(lost).toEqual([]);
    expect(operator.isRunning()).toBe(true);
    expect((await lease()).leaseTransitions).toBe(1);
  };

  const count = async (
    what: string,
    wanted: number,
    fits: (karmada: Karmada) => boolean,
  ): Promise<void> => {
    await poll(
      what,
      async (seen) => {
        const { items } = await management.list(karmadas);
        const found = items.filter((item) => fits(item as unknown as Karmada)).length;
        seen(`${String(found)} of ${String(wanted)}; ${operator.lines.slice(-3).join('\n')}`);
        if (!operator.isRunning()) throw new Error(operator.lines.slice(-5).join('\n'));
        return found === wanted ? true : undefined;
      },
      LONG,
    );
  };

  const reached =
    (among: readonly string[], expected: string) =>
    ({ metadata, status }: Karmada): boolean =>
      among.includes(metadata.name) &&
      status?.conditions?.find(({ type }) => type === 'HostReachable')?.status === expected;

  const renewals = async (wanted: number): Promise<void> => {
    const seenTimes = new Set<string | undefined>();
    await poll(
      `the lease is renewed ${String(wanted)} times`,
      async (seen) => {
        seenTimes.add((await lease()).renewTime);
        seen(String(seenTimes.size));
        return seenTimes.size > wanted ? true : undefined;
      },
      LONG,
    );
  };

  const hostClient = (name: string): KubernetesClient => {
    const server = groups.flatMap(({ urls }) => urls)[names.indexOf(name)] ?? '';
    return createClient(explicitEndpoint({ server, caData: ca }));
  };

  const service = (name: string) => ({ namespace: name, name: `${name}-karmada-webhook` });

  /** Waits for the Service in the host cluster. */
  const made = (client: KubernetesClient, name: string): Promise<KubernetesObject> =>
    poll(`the Service of ${name}`, () => client.find(resources.Service, service(name)), LONG);

  it('keeps the lease while it installs all control planes', async () => {
    await count('all host clusters are reachable', COUNT, reached(names, 'True'));
    for (const name of [names[0] ?? '', names.at(-1) ?? '']) {
      const client = hostClient(name);
      await made(client, name);
      await client.close();
    }
    await expectLed();
  });

  it('keeps the lease in the steady state', async () => {
    await renewals(RENEWALS);
    await expectLed();
  });

  it('keeps the lease and repairs the other control planes while a third of the host clusters are unreachable', async () => {
    groups[0]?.freeze();
    await count('the unreachable host clusters are reported', dead.length, reached(dead, 'False'));
    for (const name of well.slice(0, 3)) {
      const client = hostClient(name);
      await made(client, name);
      await client.delete(resources.Service, service(name));
      await made(client, name);
      await client.close();
    }
    await renewals(RENEWALS);
    await expectLed();
    groups[0]?.thaw();
    await count('all host clusters are reachable again', COUNT, reached(names, 'True'));
    await expectLed();
  });

  it(`uses at most ${String(MAX_MEBIBYTES)} MiB of memory`, async () => {
    const { peak, now } = await operator.memory();
    process.stderr.write(
      `operator with ${String(COUNT)} hosts: ${String(peak)} MiB at most, ${String(now)} MiB now\n`,
    );
    expect(peak).toBeGreaterThan(10);
    expect(peak).toBeLessThanOrEqual(MAX_MEBIBYTES);
  });
});
