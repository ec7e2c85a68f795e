/**
 * An operator with many control planes whose API server no longer responds. The API server is a stub.
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
import { specOf } from '../../../src/kubernetes/lease.ts';
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

jest.setTimeout(600_000);

const COUNT = runsAll ? 500 : 100;

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
  directory = await mkdtemp(join(tmpdir(), 'operator-lease-'));
  await layArchive(directory);
  const names = numbered('silent', COUNT);
  await Promise.all(names.map((name) => client.create(namespaceOf(name))));
  await Promise.all(names.map((name) => client.create(karmadaOf(name))));
  operator = startOperatorProcess(access, directory);
});

afterEach(async () => {
  await operator.stop();
  await stub.stop();
  await client.close();
  await rm(directory, { recursive: true, force: true });
});

const lease = async () =>
  specOf(await client.find(resources.Lease, { namespace: 'default', name: 'karmada-operator' }));

/** Waits until the operator writes objects of its control planes, so that many calls are in progress. */
const installs = (): Promise<unknown> =>
  poll('control planes are being installed', async (seen) => {
    const { items } = await client.list(resources.Secret);
    if (!operator.isRunning()) throw new Error(operator.lines.slice(-5).join('\n'));
    seen(`${String(items.length)} Secrets; ${operator.lines.slice(-3).join('\n')}`);
    return items.length > COUNT / 5 ? true : undefined;
  });

describe(`operator with ${String(COUNT)} control planes whose API server accepts calls and does not respond`, () => {
  it.each<[string, number]>([
    ['many calls are in progress', 0],
    ['the event loop is busy', 1_500],
  ])('ends before its lease expires while %s', async (_, blockMs) => {
    await installs();
    stub.freeze();
    if (blockMs > 0) operator.makeBusy(blockMs);
    expect(await operator.ended).toBe(1);
    const endedAt = Date.now();
    stub.thaw();
    const { renewTime = '', leaseDurationSeconds = 0 } = await lease();
    const expiresAt = Date.parse(renewTime) + leaseDurationSeconds * 1_000;
    process.stderr.write(
      `ended ${String(expiresAt - endedAt)} ms before the lease expires (event loop: ${String(blockMs)} ms)\n`,
    );
    expect(endedAt).toBeLessThan(expiresAt);
    expect(operator.lines.join('\n')).toContain('leader lease lost');
  });
});
