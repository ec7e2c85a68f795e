/** @size medium */
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { V1Deployment } from '@kubernetes/client-node';
import { loadAll } from 'js-yaml';
import { crd } from '../../../scripts/deploy/generate.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { CommandResult } from '../../../tools/embedded-cluster/command.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { chart, crdChart, helm, only, preloaded, render } from './chart.ts';

interface Answer {
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>> & { readonly message?: string };
}

const collections: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  ServiceAccount: '/api/v1/namespaces/NS/serviceaccounts',
  Pod: '/api/v1/namespaces/NS/pods',
  Service: '/api/v1/namespaces/NS/services',
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings',
  Deployment: '/apis/apps/v1/namespaces/NS/deployments',
  NetworkPolicy: '/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies',
  PodDisruptionBudget: '/apis/policy/v1/namespaces/NS/poddisruptionbudgets',
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  Karmada: '/apis/operator.karmada.io/v1alpha1/namespaces/NS/karmadas',
  KarmadaBackupStore: '/apis/backup.operator.karmada.io/v1alpha1/namespaces/NS/karmadabackupstores',
  KarmadaBackupSchedule:
    '/apis/backup.operator.karmada.io/v1alpha1/namespaces/NS/karmadabackupschedules',
  SubjectAccessReview: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
};

let server: ApiServer;

function call(method: string, path: string, body?: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const options = { method, ca: server.caData, ...server.admin, headers, agent: false };
    request(`${server.url}${path}`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const json: unknown = text.startsWith('{') ? JSON.parse(text) : { message: text };
        resolve({ code: response.statusCode ?? 0, body: json as Answer['body'] });
      });
    })
      .once('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function collectionOf(object: KubernetesObject): string {
  const path = collections[object.kind];
  if (path === undefined) throw new Error(`no path for kind ${object.kind}`);
  return path.replace('NS', object.metadata.namespace ?? '');
}

/** Dry-run create with strict field validation. @returns error of the API server; empty if it accepts the object */
async function refusal(object: KubernetesObject): Promise<string> {
  const answer = await call(
    'POST',
    `${collectionOf(object)}?dryRun=All&fieldValidation=Strict`,
    object,
  );
  return answer.code === 201 ? '' : `${object.kind}: ${String(answer.body.message)}`;
}

async function refusals(objects: readonly KubernetesObject[]): Promise<string[]> {
  const found: string[] = [];
  for (const object of objects) found.push(await refusal(object));
  return found.filter((text) => text !== '');
}

/** Objects of all YAML files in a folder of the checkout, ordered by file name. */
async function objectsIn(folder: string): Promise<KubernetesObject[]> {
  const names = (await readdir(join(checkout, folder))).filter((name) => name.endsWith('.yaml'));
  const texts = await Promise.all(
    names.sort().map((name) => readFile(join(checkout, folder, name), 'utf8')),
  );
  return texts.flatMap((text) => loadAll(text) as KubernetesObject[]);
}

/** Sends the request until the status is `code`; after the deadline, throws an error with the last response. */
async function until(method: string, path: string, code: number): Promise<Answer> {
  return poll(
    `${method} ${path} answers ${String(code)}`,
    async (seen) => {
      const answer = await call(method, path);
      seen(JSON.stringify(answer));
      return answer.code === code ? answer : undefined;
    },
    { intervalMs: 50 },
  );
}

const crdPath = `${collections['CustomResourceDefinition'] ?? ''}/karmadas.operator.karmada.io`;
const karmadas = (collections['Karmada'] ?? '').replace('NS', 'karmada-demo');

/** Helm releases that the CRDs belong to. */
async function crdOwners(): Promise<readonly (string | undefined)[]> {
  const { body } = await call('GET', collections['CustomResourceDefinition'] ?? '');
  const items = body['items'] as readonly KubernetesObject[];
  return items.map(({ metadata }) => metadata.annotations?.['meta.helm.sh/release-name']);
}

/** Runs Helm against the server for the release karmada-operator in karmada-system. */
async function helmOutput(...args: string[]): Promise<CommandResult> {
  const kubeconfig = `--kubeconfig=${join(server.directory, 'kubeconfig')}`;
  return helm([...args, '--namespace=karmada-system', kubeconfig]);
}

/** Error output of Helm; empty if the command succeeded. */
async function helmHere(verb: string, ...args: string[]): Promise<string> {
  const installed = ['karmada-operator', chart, preloaded];
  const names = verb === 'uninstall' ? ['karmada-operator'] : installed;
  const result = await helmOutput(verb, ...names, ...args);
  return result.code === 0 ? '' : result.stderr;
}

/** Whether the operator's ServiceAccount has a permission: `verb group/resource[/subresource] [namespace]`. */
async function may(what: string): Promise<boolean> {
  const [verb = '', path = '', namespace] = what.split(' ');
  const [group = '', resource = '', subresource] = path.split('/');
  const [plural = '', name] = resource.split(':');
  const answer = await call('POST', collections['SubjectAccessReview'] ?? '', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: 'system:serviceaccount:karmada-system:karmada-operator',
      resourceAttributes: { verb, group, resource: plural, subresource, name, namespace },
    },
  });
  return (answer.body['status'] as { allowed: boolean }).allowed;
}

/** Waits until `may` returns `allowed` for each: the authorizer reads roles from a cache. */
async function permissionsBecome(whats: readonly string[], allowed: boolean): Promise<void> {
  await poll(
    `permissions ${whats.join(', ')} are ${allowed ? 'granted' : 'revoked'}`,
    async (seen) => {
      const found = await Promise.all(whats.map(may));
      seen(found.join(', '));
      return found.every((one) => one === allowed) || undefined;
    },
    { intervalMs: 50 },
  );
}

beforeAll(async () => {
  server = await startApiServer();
  const samples = (await objectsIn('samples')).filter(({ kind }) => kind === 'Namespace');
  const names = ['karmada-system', 'restricted', ...samples.map(({ metadata }) => metadata.name)];
  for (const name of names) {
    const labels = name === 'restricted' ? { 'pod-security.kubernetes.io/enforce': name } : {};
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
    await call('POST', '/api/v1/namespaces', body);
  }
});

afterAll(() => server.stop());

describe('chart objects on a real API server', () => {
  it.each([
    ['default values', []],
    ['every value', [`--values=${join(checkout, 'test/integration/chart/every-value.yaml')}`]],
    ['two replicas', ['--set=operator.replicaCount=2,operator.pdb.enabled=true']],
    ['its test', ['--skip-tests=false']],
    [
      'a NetworkPolicy',
      [
        '--set=networkPolicy.enabled=true',
        '--set-json=networkPolicy.metricsFrom=[{"namespaceSelector":{}}]',
        '--set-json=networkPolicy.egress=[{"to":[{"ipBlock":{"cidr":"192.0.2.0/24"}}]}]',
      ],
    ],
    ['roles of users', ['--set=rbac.aggregateToView=true,rbac.aggregateToEdit=true']],
    ['secure metrics', ['--set=metrics.secure=true,metrics.service.enabled=true']],
  ])('are accepted with strict field validation for %s', async (_name, args) => {
    const { error, objects } = await render(args);
    expect(error).toBe('');
    expect(await refusals(objects)).toEqual([]);
  });

  it('are accepted with strict field validation when they come from config/deploy', async () => {
    const [namespace, ...rest] = await objectsIn('config/deploy');
    expect(namespace?.metadata).toEqual({ name: 'karmada-system' });
    expect(await refusals(rest)).toEqual([]);
  });

  it('include a test that is admitted when Pod Security is restricted', async () => {
    const { objects } = await render(['--skip-tests=false']);
    const pod = only(objects, 'Pod');
    const metadata = { name: 'test', namespace: 'restricted' };
    expect(await refusal({ ...pod, metadata })).toBe('');
    expect(pod.metadata.labels).not.toHaveProperty('app');
  });

  it('include a Pod that is admitted when Pod Security is restricted', async () => {
    const { objects } = await render();
    const template = only<V1Deployment>(objects, 'Deployment').spec?.template;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'operator', namespace: 'restricted' },
      spec: template?.spec,
    };
    expect(await refusal(pod as unknown as KubernetesObject)).toBe('');
    const loose = { ...pod, spec: { ...template?.spec, hostNetwork: true } };
    expect(await refusal(loose as unknown as KubernetesObject)).toContain('violates PodSecurity');
  });
});

describe('Helm release', () => {
  it('installs, and the API server then accepts the samples with strict field validation', async () => {
    expect(await helmHere('install')).toBe('');
    await until('GET', karmadas, 200);
    const samples = await objectsIn('samples');
    const wanted = samples.filter(({ kind }) => kind.startsWith('Karmada'));
    expect(wanted.length).toBeGreaterThan(1);
    expect(await refusals(wanted)).toEqual([]);
    const [first] = wanted.filter(({ metadata }) => metadata.namespace === 'karmada-demo');
    expect((await call('POST', karmadas, first)).code).toBe(201);
  });

  it('has a Secret of at most 700 kB, of the 1 MiB that a Secret can have', async () => {
    const path = '/api/v1/namespaces/karmada-system/secrets?labelSelector=owner%3Dhelm';
    const { body } = await call('GET', path);
    const secrets = body['items'] as readonly { readonly data: { readonly release: string } }[];
    const sizes = secrets.map(({ data }) => Buffer.from(data.release, 'base64').length);
    expect(sizes).toHaveLength(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(700_000);
  });

  it('prints notes with a Karmada that the API server accepts', async () => {
    const { stdout } = await helmOutput('get', 'notes', 'karmada-operator');
    const [, manifest] = stdout.split(/^.*<<EOF\n|^EOF\n/m);
    const [karmada] = loadAll(manifest ?? '') as KubernetesObject[];
    expect(karmada?.kind).toBe('Karmada');
    const other = { ...karmada, metadata: { ...karmada?.metadata, name: 'karmada-notes' } };
    expect(await refusal(other as KubernetesObject)).toBe('');
    expect(stdout).toContain('rollout status deployment/karmada-operator');
    expect(stdout).toContain('kubectl delete karmadas --all --all-namespaces');
    const plugin = stdout.trimEnd().split('\n').slice(-2);
    expect(plugin).toEqual([
      'kubectl karmada-operator status karmada-demo -n karmada-demo',
      'kubectl karmada-operator kubeconfig karmada-demo -n karmada-demo --proxy -- kubectl get clusters',
    ]);
  });

  it.each([
    'watch operator.karmada.io/karmadas',
    'patch operator.karmada.io/karmadas demo',
    'patch operator.karmada.io/karmadas/status demo',
    'watch backup.operator.karmada.io/karmadabackups',
    'create backup.operator.karmada.io/karmadabackups demo',
    'watch backup.operator.karmada.io/karmadabackupschedules',
    'patch backup.operator.karmada.io/karmadabackupschedules/status demo',
    'get backup.operator.karmada.io/karmadabackupstores demo',
    'patch backup.operator.karmada.io/karmadabackups/status demo',
    'get backup.operator.karmada.io/karmadabackups demo',
    'patch backup.operator.karmada.io/karmadabackups demo',
    'delete backup.operator.karmada.io/karmadabackups demo',
    'watch backup.operator.karmada.io/karmadarestores',
    'patch backup.operator.karmada.io/karmadarestores demo',
    'patch backup.operator.karmada.io/karmadarestores/status demo',
    'create apps/deployments demo',
    'update apps/statefulsets demo',
    'delete /secrets demo',
    'patch /services demo',
    'get /configmaps demo',
    'delete /persistentvolumeclaims demo',
    'patch /persistentvolumeclaims demo',
    'list /persistentvolumes',
    'delete /pods demo',
    'patch /pods/status demo',
    'create /pods demo',
    'create /persistentvolumeclaims demo',
    'create policy/poddisruptionbudgets demo',
    'list events.k8s.io/events demo',
    'create events.k8s.io/events demo',
    'patch events.k8s.io/events demo',
    'watch /nodes',
    'list storage.k8s.io/storageclasses',
    'get apiextensions.k8s.io/customresourcedefinitions:karmadas.operator.karmada.io',
    'create coordination.k8s.io/leases karmada-system',
    'update coordination.k8s.io/leases karmada-system',
  ])('allows the operator to %s', async (what) => {
    expect(await may(what)).toBe(true);
  });

  it.each([
    'delete operator.karmada.io/karmadas demo',
    'create operator.karmada.io/karmadas demo',
    'update operator.karmada.io/karmadas demo',
    'update operator.karmada.io/karmadas/finalizers demo',
    'patch backup.operator.karmada.io/karmadabackupstores demo',
    'update backup.operator.karmada.io/karmadabackupschedules demo',
    'delete backup.operator.karmada.io/karmadarestores demo',
    'create backup.operator.karmada.io/karmadarestores demo',
    'update backup.operator.karmada.io/karmadabackupstores demo',
    'create /events demo',
    'watch coordination.k8s.io/leases karmada-system',
    'update /secrets demo',
    'update /persistentvolumeclaims demo',
    'patch /persistentvolumes',
    'create /namespaces',
    'create /pods/exec demo',
    'list /configmaps demo',
    'watch /configmaps demo',
    'update /configmaps demo',
    'create /serviceaccounts demo',
    'delete /namespaces',
    'create rbac.authorization.k8s.io/clusterroles',
    'create coordination.k8s.io/leases demo',
    'get apiextensions.k8s.io/customresourcedefinitions:others.example.com',
    'update apiextensions.k8s.io/customresourcedefinitions:karmadas.operator.karmada.io',
  ])('does not allow the operator to %s', async (what) => {
    expect(await may(what)).toBe(false);
  });

  it('allows the operator to review tokens only while metrics.secure is true', async () => {
    const reviews = [
      'create authentication.k8s.io/tokenreviews',
      'create authorization.k8s.io/subjectaccessreviews',
    ];
    await permissionsBecome(reviews, false);
    expect(await helmHere('upgrade', '--set=metrics.secure=true')).toBe('');
    await permissionsBecome(reviews, true);
    expect(await helmHere('upgrade', '--set=metrics.secure=false')).toBe('');
    await permissionsBecome(reviews, false);
  });

  it('upgrades in place', async () => {
    expect(await helmHere('upgrade', '--set=operator.replicaCount=2')).toBe('');
    const { body } = await call(
      'GET',
      '/apis/apps/v1/namespaces/karmada-system/deployments/karmada-operator',
    );
    expect(body['spec']).toMatchObject({ replicas: 2 });
  });

  it('keeps the CRD and all Karmadas when it is uninstalled, and installs again', async () => {
    expect(await helmHere('uninstall')).toBe('');
    expect((await call('GET', crdPath)).code).toBe(200);
    expect((await call('GET', `${karmadas}/karmada-demo`)).code).toBe(200);
    const deployment = '/apis/apps/v1/namespaces/karmada-system/deployments/karmada-operator';
    await until('GET', deployment, 404);
    expect(await helmHere('install')).toBe('');
    expect(await helmHere('uninstall')).toBe('');
  });

  it('takes ownership of a CRD that was applied as a file when --take-ownership is set', async () => {
    await call('DELETE', crdPath);
    await until('GET', crdPath, 404);
    const [stored] = loadAll(await readFile(join(checkout, crd.source), 'utf8'));
    const created = await call('POST', collections['CustomResourceDefinition'] ?? '', stored);
    expect(created.code).toBe(201);
    expect(await helmHere('install')).toContain('invalid ownership metadata');
    expect(await helmHere('upgrade', '--install', '--take-ownership')).toBe('');
    const { body } = await call('GET', crdPath);
    expect(body['metadata']).toMatchObject({
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { 'helm.sh/resource-policy': 'keep' },
    });
  });

  it('moves the CRDs to the chart karmada-operator-crds without deleting a Karmada', async () => {
    const [first] = (await objectsIn('samples')).filter(({ kind }) => kind === 'Karmada');
    const path = collectionOf(first as KubernetesObject);
    await until('GET', path, 200);
    expect((await call('POST', path, first)).code).toBe(201);
    expect(await helmHere('upgrade', '--set=installCRDs=false')).toBe('');
    const names = ['karmada-operator-crds', crdChart];
    expect((await helmOutput('install', ...names, '--take-ownership')).code).toBe(0);
    expect(await crdOwners()).toEqual(Array<string>(5).fill('karmada-operator-crds'));
    expect(await helmHere('uninstall')).toBe('');
    expect((await helmOutput('uninstall', 'karmada-operator-crds')).code).toBe(0);
    expect(await crdOwners()).toHaveLength(5);
    expect((await call('GET', `${path}/${first?.metadata.name ?? ''}`)).code).toBe(200);
  });
});
