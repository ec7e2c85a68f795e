/**
 * An operator with many control planes, whose API server answers a tenth of the load, or nothing but Leases. It is a stub.
 *
 * @size medium
 * @tier all
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createClient } from '../../../src/kubernetes/client.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client-interface.ts';
import { resources } from '../../../src/kubernetes/resources.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { poll } from '../../embedded-cluster/poll.ts';
import { newPair } from '../../harness/certificates.ts';
import { karmadaOf, layArchive, namespaceOf, numbered } from '../../harness/hosts/fleet.ts';
import {
  startOperatorProcess,
  startStubHosts,
  type OperatorProcess,
  type StubHosts,
} from '../../harness/load/fleet.ts';
import { runsAll } from '../../harness/sample.ts';

jest.setTimeout(900_000);

const COUNT = runsAll ? 500 : 150;
const QPS = 500;
/** MiB. A queue that grows with the calls that wait exhausts it. */
const HEAP = 192;
/** Renewals of the two Leases, each every two seconds, for which the server is slow. */
const RENEWALS = 30;
/** Reconciles of one host cluster in progress, times the calls that one of them sends at once. */
const MOST_OPEN = 64 * 16;

let stub: StubHosts;
let client: KubernetesClient;
let operator: OperatorProcess;
let directory: string;

beforeEach(async () => {
  const authority = await newPair({ commonName: 'ca' });
  const tls = await newPair({ commonName: 'host', hosts: ['127.0.0.1'] }, authority);
  stub = await startStubHosts(1, tls);
  const access = { server: stub.urls[0] ?? '', caData: authority.cert };
  client = createClient(explicitEndpoint(access), { resources: [karmadas] });
  directory = await mkdtemp(join(tmpdir(), 'operator-slow-'));
  await layArchive(directory);
  const names = numbered('slow', COUNT);
  await Promise.all(names.map((name) => client.create(namespaceOf(name))));
  await Promise.all(names.map((name) => client.create(karmadaOf(name))));
  const flags = [
    ...[`--kube-api-qps=${String(QPS)}`, `--kube-api-burst=${String(2 * QPS)}`],
    // Long enough for a machine that runs other suites meanwhile.
    ...['--leader-elect-lease-duration=120s', '--leader-elect-renew-deadline=90s'],
  ];
  operator = startOperatorProcess(access, directory, { flags, heap: HEAP });
});

afterEach(async () => {
  await operator.stop();
  await stub.stop();
  await client.close();
  await rm(directory, { recursive: true, force: true });
});

/** Waits until this many control planes have a Secret. */
const installed = (count: number): Promise<unknown> =>
  poll(
    `${String(count)} control planes have Secrets`,
    async (seen) => {
      const { items } = await client.list(resources.Secret);
      if (!operator.isRunning()) throw new Error(operator.lines.slice(-20).join('\n'));
      const namespaces = new Set(items.map(({ metadata }) => metadata.namespace));
      seen(`${String(namespaces.size)}; ${operator.lines.slice(-3).join('\n')}`);
      return namespaces.size >= count ? true : undefined;
    },
    { deadlineMs: 300_000 },
  );

describe(`operator with ${String(COUNT)} control planes and a heap of ${String(HEAP)} MiB`, () => {
  it.each<[string, number]>([
    ['answers a tenth of the load', QPS / 10],
    ['answers only requests for the Lease', 0],
  ])('keeps its lease and its memory while the API server %s', async (_, perSecond) => {
    await installed(COUNT / 5);
    stub.slow(perSecond);
    const load = await poll(
      'the Lease is renewed often enough',
      async (seen) => {
        if (!operator.isRunning()) throw new Error(operator.lines.slice(-20).join('\n'));
        const now = await stub.load();
        seen(JSON.stringify(now));
        return now.renewals >= RENEWALS ? now : undefined;
      },
      { deadlineMs: 180_000 },
    );
    const { peak, now } = await operator.memory();
    process.stderr.write(
      `${String(perSecond)} requests per second: ${JSON.stringify(load)}, ${String(peak)} MiB at most, ${String(now)} MiB now\n`,
    );
    expect(load.mostOpen).toBeLessThanOrEqual(MOST_OPEN);
    stub.slow(Infinity);
    await installed(COUNT);
  });
});
