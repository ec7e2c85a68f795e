/** The command `check` against a real API server. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { CheckResult } from '../../../src/cli/check/result.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient } from '../../harness/servers/apiserver-client.ts';
import { serveKarmadas } from '../../harness/servers/reconciler.ts';
import { commandRunner, type RunCommand } from './fixture.ts';

jest.setTimeout(240_000);

let api: ApiServer;
let client: KubernetesClient;
let run: RunCommand;
let folder: string;

const RESTRICTED = 'check-restricted';

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  more: object,
): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'default' },
  ...more,
});

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api, { resources: [karmadas] });
  run = await commandRunner(api);
  folder = await mkdtemp(join(tmpdir(), 'plugin-check-'));
  await serveKarmadas(client);
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await client.create({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: RESTRICTED, labels },
  });
  for (const namespace of ['default', RESTRICTED]) {
    const account = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace },
    };
    await client.create(account).catch(() => undefined);
  }
});

afterAll(async () => {
  await client.close();
  await api.stop();
});

const etcd = { local: { volumeData: { emptyDir: {} } } };

/** Checks a Karmada with these components. */
async function check(
  components: object,
  more: object = {},
  namespace = 'default',
): Promise<{ readonly code: number; readonly results: readonly CheckResult[] }> {
  const file = join(folder, 'karmada.json');
  const karmada = {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: 'check', namespace },
    spec: { components: { etcd, ...components }, ...more },
  };
  await writeFile(file, JSON.stringify(karmada));
  const { code, output } = await run(['check', '-f', file, '-o', 'json']);
  return { code, results: (JSON.parse(output) as { items: readonly CheckResult[] }).items };
}

const found = (results: readonly CheckResult[], name: string, outcome: string): readonly string[] =>
  results
    .filter((one) => one.check === name && one.outcome === outcome)
    .map(({ reason = '', message }) => `${reason}: ${message}`);

describe('check', () => {
  it('accepts a Karmada, and says which checks it could not make', async () => {
    const { code, results } = await check({});
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(code).toBe(0);
    expect(found(results, 'versions', 'ok')).toEqual([
      ': Karmada v1.18.2 and Kubernetes v1.35.4 are tested together',
    ]);
    expect(found(results, 'spec', 'warning')).toEqual([expect.stringMatching(/^EphemeralEtcd: /)]);
    expect(found(results, 'DNS domain', 'skipped')).toHaveLength(1);
    expect(found(results, 'permissions', 'skipped')).toHaveLength(1);
    expect(found(results, 'objects', 'ok')).toHaveLength(1);
    expect(found(results, 'Pods', 'ok')).toHaveLength(1);
    expect(await client.find(karmadas, { namespace: 'default', name: 'check' })).toBeUndefined();
  });

  it('reports versions that are allowed and not tested as a warning, and blocked ones', async () => {
    const allowed = await check({ karmadaAPIServer: { imageTag: 'v1.31.3' } });
    expect(found(allowed.results, 'spec', 'warning').join()).toContain('UntestedVersions');
    expect(allowed.code).toBe(0);
    const blocked = await check({ karmadaAPIServer: { imageTag: 'v1.26.0' } });
    expect(found(blocked.results, 'spec', 'warning').join()).toContain('UnsupportedVersions');
    expect(found(blocked.results, 'versions', 'failed')).toEqual([
      'UnsupportedVersions: Karmada v1.18.2 supports kube-apiserver 1.27 to 1.36, not v1.26.0; set versions that are supported together',
    ]);
    expect(blocked.code).toBe(2);
  });

  it('fails for a spec that the operator or the API server rejects', async () => {
    const operator = await check({ karmadaAPIServer: { extraArgs: { 'secure-port': '6443' } } });
    expect(operator.code).toBe(2);
    expect(found(operator.results, 'spec', 'failed').join()).toMatch(
      /^ValidationError: .*extraArgs\.secure-port/,
    );
    const server = await check({ karmadaAPIServer: { serviceType: 'Other' } });
    expect(server.code).toBe(2);
    expect(server.results).toHaveLength(1);
  });

  it('fails for Pods that the admission of the host cluster rejects, with the remedy', async () => {
    const priority = await check({ karmadaWebhook: { priorityClassName: 'none' } });
    expect(found(priority.results, 'Pods', 'failed')).toEqual([
      expect.stringMatching(
        /^PodsRefused: Pod default\/check-karmada-webhook-check: .*create the PriorityClass/,
      ),
    ]);
    const root = { etcd: { local: { volumeData: { hostPath: { path: '/var/lib/check' } } } } };
    const security = await check(root, {}, RESTRICTED);
    expect(found(security.results, 'Pods', 'failed').join()).toMatch(/violates PodSecurity/);
  });

  it('fails for an object of another owner, and for a StorageClass that does not exist', async () => {
    const service = object('v1', 'Service', 'check-karmada-apiserver', {
      spec: { ports: [{ port: 1 }] },
    });
    await client.create(service);
    const claim = {
      storageClassName: 'none',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    };
    const { results } = await check({
      etcd: { local: { volumeData: { volumeClaim: { spec: claim } } } },
    });
    await client.delete(
      { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true },
      { namespace: 'default', name: 'check-karmada-apiserver' },
    );
    expect(found(results, 'objects', 'failed')).toEqual([
      expect.stringMatching(/^Conflict: Service default\/check-karmada-apiserver: /),
    ]);
    expect(found(results, 'storage', 'failed')).toEqual([
      expect.stringContaining('StorageClass none does not exist'),
    ]);
  });

  it('names the permissions that the ServiceAccount of the operator lacks, and another DNS domain', async () => {
    const labels = { 'app.kubernetes.io/name': 'karmada-operator' };
    const operator = object('apps/v1', 'Deployment', 'karmada-operator', {
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { serviceAccountName: 'nothing', containers: [{ name: 'operator', image: 'a' }] },
        },
      },
    });
    await client.create({ ...operator, metadata: { ...operator.metadata, labels } });
    await client.create({
      ...object('v1', 'ConfigMap', 'coredns', {
        data: { Corefile: '.:53 {\n  kubernetes k8s.test {\n  }\n}' },
      }),
      metadata: { name: 'coredns', namespace: 'kube-system' },
    });
    const { code, results } = await check({});
    expect(code).toBe(2);
    expect(found(results, 'permissions', 'failed').join()).toMatch(
      /^HostRightsMissing: .*lacks RBAC permissions to .*deployments\.apps/,
    );
    expect(found(results, 'DNS domain', 'failed').join()).toContain('set k8s.test');
  });

  it('prints a line for each check', async () => {
    const file = join(folder, 'unknown.json');
    const spec = { suspended: true, karmada: {} };
    await writeFile(
      file,
      JSON.stringify(object('operator.karmada.io/v1alpha1', 'Karmada', 'check', { spec })),
    );
    const { code, output, errors } = await run(['check', '-f', file]);
    expect(code).toBe(2);
    expect(output).toMatch(/^failed +spec +unknown field ".*\nfailed +spec +unknown field ".*\n$/);
    expect(errors).toBe('error: 2 checks have failed\n');
  });

  it('ends with 1 for a Karmada that does not exist', async () => {
    const { code, output, errors } = await run(['check', 'missing']);
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(
      /^Error from server \(NotFound\): .*missing.* not found in namespace default; .* -n\n$/,
    );
  });
});
