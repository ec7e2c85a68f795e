import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import { NO_PROXIES } from '../../../src/crd-archives/proxies.ts';
import { loadTemplates } from '../../../src/components/templates.ts';
import { releaseArchive } from '../../../src/controlplane/__fixtures__/tar.ts';
import { memoryLog } from '../../../src/kubernetes/time/clock.fixture.ts';
import { parseCidr } from '../../../src/kubernetes/connection/addresses.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { isNotFound } from '../../../src/kubernetes/client/errors.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { Origins } from '../../../src/kubernetes/fairness/origin.ts';
import { LeaderTerm } from '../../../src/kubernetes/time/term.ts';
import { createMetrics } from '../../../src/metrics/metrics.ts';
import { Operator } from '../../../src/operator/operator.ts';
import { parseOptions } from '../../../src/options/options.ts';
import { PLATFORM_KEYS } from '../../../src/pki/keys.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { createReconciler } from '../../../src/controllers/karmada/reconciler.ts';
import { crdFile } from '../../../scripts/crd/render.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient } from '../../harness/servers/apiserver-client.ts';
import { entriesBelow } from '../../harness/crd-archives.ts';
import { serve, startServer, type TestServer } from './server.ts';

const key = { namespace: 'default', name: 'demo' };

describe('operator with an invalid CRD archive', () => {
  let api: ApiServer;
  let client: KubernetesClient;
  let http: TestServer;
  let directory: string;
  let operator: Operator;
  let run: Promise<unknown>;
  const log = memoryLog();

  beforeAll(async () => {
    api = await startApiServer();
    client = adminClient(api, { resources: [karmadas] });
    http = await startServer();
    directory = await mkdtemp(join(tmpdir(), 'operator-archives-'));
    for (const crd of loadAll(await readFile(crdFile, 'utf8')) as KubernetesObject[])
      await client.create(crd);
    const own = adminClient(api, { resources: [karmadas] });
    const common = { client: own, clock: systemClock, random: Math.random, log };
    const reconciler = createReconciler({
      crossNamespaceSecrets: 'Granted',
      addresses: { allowed: [parseCidr('127.0.0.0/8')] },
      ...common,
      events: { record: () => undefined },
      keys: PLATFORM_KEYS,
      templates: loadTemplates(join(checkout, 'src/components')),
      dataDirectories: [join(directory, 'ready')],
      cacheDirectory: directory,
      proxies: NO_PROXIES,
      userAgent: 'karmada-operator/test',
    });
    const options = parseOptions([
      '--leader-elect=false',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
    ]);
    const metrics = createMetrics('1', { aheadMs: () => 0 });
    const parts = { options, reconciler, metrics, leaseClient: client };
    const ends = {
      origins: new Origins(),
      term: new LeaderTerm(systemClock),
      flushEvents: () => Promise.resolve(),
    };
    operator = new Operator({
      checks: [],
      ...common,
      ...parts,
      ...ends,
      identity: 'test',
      onQuiet: () => undefined,
    });
    run = operator.run();
  }, 600_000);

  afterAll(async () => {
    operator.stop();
    await run;
    await client.close();
    await http.stop();
    await api.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const conditions = async (): Promise<readonly Condition[]> => {
    const karmada = (await client.find(karmadas, key)) as unknown as Karmada | undefined;
    return karmada?.status?.conditions ?? [];
  };

  /** Waits until the message of a condition matches, and returns the condition. */
  const condition = (type: string, message: RegExp): Promise<Condition> =>
    poll(
      `the message of ${type} matches ${String(message)}`,
      async (seen) => {
        const found = (await conditions()).find((one) => one.type === type);
        seen(JSON.stringify(found ?? log.lines.slice(-5)));
        return found && message.test(found.message) ? found : undefined;
      },
      { deadlineMs: 120_000 },
    );

  /** Creates the first object of a kind that the API server may not serve yet. */
  const created = (object: KubernetesObject): Promise<KubernetesObject> =>
    poll('the Karmada is created', (seen) =>
      client.create(object).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
        seen(String(error));
        return undefined;
      }),
    );

  const filesLeft = async (): Promise<readonly string[]> => {
    const entries = await entriesBelow(directory);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };

  /** A download may be active. No file may remain, and no file may get its final name. */
  const nothingLeft = (): Promise<true> =>
    poll('nothing is left', async (seen) => {
      const left = await filesLeft();
      expect(left).not.toContain('crds.tar.gz');
      seen(left.join());
      return left.length === 0 ? true : undefined;
    });

  it('reports the invalid archive, applies and stores nothing of it, and continues when a valid one is served', async () => {
    const bad = await releaseArchive([
      [{ name: 'crds/bases/z.yaml' }, 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: evil\n'],
    ]);
    http.answer(serve(bad));
    await created({
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: key,
      spec: {
        crdTarball: {
          httpSource: { url: `${http.url.replace('//', '//me:hidden@')}/crds.tar.gz` },
        },
      },
    });
    const degraded = await condition('Degraded', /is rejected/);
    expect(degraded).toMatchObject({ status: 'True', reason: 'CrdArchiveRefused' });
    expect(degraded.message).toContain(
      `spec.crdTarball.httpSource.url: the archive from ${http.url}/crds.tar.gz is rejected: crds/bases/z.yaml is a "Secret" of "v1", not a CustomResourceDefinition`,
    );
    const all = await conditions();
    expect(all.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'False' });
    expect(all.find(({ type }) => type === 'Warning')?.message).toContain('plain http');
    await nothingLeft();
    // The operator retries and reports the number of attempts.
    await condition('Degraded', /\([2-9]\d* failed attempts\)$/);
    await nothingLeft();
    http.answer(serve(await releaseArchive()));
    const mended = await condition('Degraded', /^$/);
    expect(mended).toMatchObject({ status: 'False', reason: 'AsExpected' });
    expect(await filesLeft()).toEqual(['crds.tar.gz']);
    expect(`${JSON.stringify(await conditions())}${log.lines.join('\n')}`).not.toContain('hidden');
  });

  it('reports a failed download immediately when the URL changes', async () => {
    const { url } = http;
    http.answer((_request, response) => void response.writeHead(404).end());
    await client.patch(karmadas, key, {
      spec: { crdTarball: { httpSource: { url: `${url}/other.tar.gz` } } },
    });
    const missing = await condition('Degraded', /other\.tar\.gz cannot be downloaded/);
    expect(missing).toMatchObject({ reason: 'CrdArchiveDownloadFailed' });
    expect(missing.message).toContain('the server returns status 404; check the address');
    // The archive of the first URL is still stored and needs no network.
    await client.patch(karmadas, key, {
      spec: {
        crdTarball: { httpSource: { url: `${url.replace('//', '//me:hidden@')}/crds.tar.gz` } },
      },
    });
    await condition('Degraded', /^$/);
  });
});
