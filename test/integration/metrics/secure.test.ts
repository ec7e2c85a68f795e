import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { crd as crdFile } from '../../../scripts/deploy/generate.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { inputOf } from '../../../src/components/__fixtures__/inputs.ts';
import { rbac } from '../../../src/controlplane/rbac.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { issuePair, servingPair } from '../../../src/http/secure-metrics/certificates.ts';
import { manualClock } from '../../../src/kubernetes/time/clock.fixture.ts';
import { ensureCertificates } from '../../../src/pki/ensure.ts';
import { decode, INPUTS, issuance, ready, request } from '../../../src/pki/fixture.test-data.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { askHttps, startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient } from '../../harness/servers/apiserver-client.ts';
import { scrape, startOperator, type OperatorProcess } from './operator-process.ts';

const SCRAPER = 'scraper-token';
const STRANGER = 'stranger-token';
const SILENT = { debug: () => undefined, info: () => undefined } as const;

const RIGHTS = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'metrics-reader' },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'metrics-reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics-reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'scraper' }],
  },
] as unknown as KubernetesObject[];

describe('secure metrics', () => {
  let server: ApiServer;
  /** Files of the test. */
  let directory: string;
  let operator: OperatorProcess | undefined;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'secure-metrics-'));
    const tokens = join(directory, 'tokens.csv');
    await writeFile(tokens, `${SCRAPER},scraper,1\n${STRANGER},stranger,2\n`);
    server = await startApiServer({ flags: [`--token-auth-file=${tokens}`] });
    const client = adminClient(server, { resources: [karmadas] });
    const crd = load(await readFile(join(checkout, crdFile.source), 'utf8')) as KubernetesObject;
    for (const object of [crd, ...RIGHTS]) await client.create(object);
    await client.close();
    operator = await startOperator(server, ['--metrics-secure', '--leader-elect=false']);
  }, 600_000);

  afterAll(async () => {
    await operator?.end('SIGTERM');
    await server.stop();
    await rm(directory, { recursive: true });
  });

  it.each([
    ['no token', undefined, 401],
    ['a token that the API server does not know', 'unknown', 401],
    ['a token of a user without permission', STRANGER, 403],
    ['a token of a user who may get /metrics', SCRAPER, 200],
  ])('answers a request with %s', async (_, token, status) => {
    const answer = await scrape(operator?.metricsPort ?? 0, token);
    expect(answer.status).toBe(status);
    expect(answer.body.includes('karmada_operator_leader')).toBe(status === 200);
    expect(operator?.tail()).not.toContain(token ?? 'Bearer');
  });

  it('of an API server are all that the client certificate of a control plane can read', async () => {
    const { spec } = inputOf({ monitoring: { clientCertificate: true } });
    const client = adminClient(server);
    const roles = rbac({ ...{ name: 'demo', namespace: 'demo', spec }, caBundle: server.caData });
    for (const object of roles.filter(({ metadata }) => metadata.name === 'system:karmada:metrics'))
      await client.create(object);
    await client.close();
    const customAuthority = { secret: 'ca', files: { bundle: server.ca.cert, key: server.ca.key } };
    const inputs = { ...INPUTS, customAuthority: true };
    const { secrets } = ready(
      await ensureCertificates(
        request({ inputs, customAuthority }),
        issuance(new Date(systemClock.wall())),
      ),
    );
    const data = secrets.find(({ role }) => role === 'metrics-client')?.data;
    const pair = { cert: decode(data, 'tls.crt'), key: decode(data, 'tls.key') };
    const statusOf = (path: string): Promise<number> =>
      askHttps(`${server.url}${path}`, server.ca, pair);
    await poll('the permissions are in effect', async (seen) => {
      const status = await statusOf('/metrics');
      seen(String(status));
      return status === 200 ? true : undefined;
    });
    const paths = {
      '/metrics/slis': 200,
      '/api/v1/secrets': 403,
      '/api/v1/namespaces/default': 403,
      '/apis/rbac.authorization.k8s.io/v1/clusterroles': 403,
      '/logs': 403,
      '/debug/pprof': 403,
    };
    for (const [path, status] of Object.entries(paths))
      expect([path, await statusOf(path)]).toEqual([path, status]);
  });

  it('takes over a renewed certificate from its files, and keeps it if the new one is invalid', async () => {
    const write = async ({ cert, key }: { cert: string; key: string }): Promise<void> => {
      await writeFile(join(directory, 'new.key'), key);
      await rename(join(directory, 'new.key'), join(directory, 'tls.key'));
      await writeFile(join(directory, 'tls.crt'), cert);
    };
    const [first, second] = await Promise.all(
      [1, 2].map(() => issuePair(['localhost'], systemClock.wall())),
    );
    if (first === undefined || second === undefined) throw new Error('no pairs');
    await write(first);
    const clock = manualClock();
    const used: string[] = [];
    const warned: string[] = [];
    const log = {
      ...SILENT,
      warn: (_: object, text: string) => void warned.push(text),
      error: () => undefined,
    };
    const files = { directory, certificate: 'tls.crt', key: 'tls.key' };
    const serving = await servingPair({ clock, log, files, names: [] }, ({ cert }) =>
      used.push(cert),
    );
    expect(serving.pair).toEqual(first);
    await write({ cert: second.cert, key: first.key });
    await clock.advance(60_000);
    await poll('the invalid pair is reported', () => Promise.resolve(warned[0]));
    expect(used).toEqual([]);
    await write(second);
    await clock.advance(60_000);
    expect(await poll('the new pair is used', () => Promise.resolve(used[0]))).toBe(second.cert);
    serving.stop();
  });
});
