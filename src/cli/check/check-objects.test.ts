import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import type { Workload } from '../../components/workload.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { ApiError, NetworkError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { objects, pods, quota } from './check-objects.ts';
import type { Subject } from './subject.ts';

const labels = {
  'app.kubernetes.io/managed-by': 'karmada-operator',
  'app.kubernetes.io/instance': 'demo',
};

const workload = (
  kind: Workload['kind'],
  name: string,
  { image = 'a:1', resources = {} }: { readonly image?: string; readonly resources?: object } = {},
): Workload => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace: 'team', labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image, resources: resources as never }] },
    },
  },
});

const service = (name: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'team', ...more },
});

const refusal = (code: number, reason: string, message: string): ApiError =>
  new ApiError({ request: 'create', code, reason, message });

interface Scene {
  readonly rendered: readonly KubernetesObject[];
  /** Objects of the control plane. */
  readonly present?: readonly KubernetesObject[];
  readonly pods?: readonly KubernetesObject[];
  /** Objects of others. */
  readonly others?: readonly KubernetesObject[];
  readonly quotas?: readonly KubernetesObject[];
  readonly create?: (object: KubernetesObject) => Promise<KubernetesObject>;
  readonly isInstalled?: boolean;
}

function subjectOf(scene: Scene): Subject {
  const { rendered, present = [], others = [], quotas = [], isInstalled } = scene;
  const client: Partial<KubernetesClient> = anyClient({
    find: (_, { name }) => Promise.resolve(others.find(({ metadata }) => metadata.name === name)),
    list: () => Promise.resolve({ resourceVersion: '1', items: quotas }),
    create: (object) => (scene.create ?? ((one) => Promise.resolve(one)))(object),
  });
  const karmada = { metadata: { name: 'demo', namespace: 'team' } };
  return {
    client,
    karmada,
    rendered,
    live: isInstalled ? karmada : undefined,
    host: { objects: present, pods: scene.pods ?? [], claims: [] },
  } as unknown as Subject;
}

describe('objects', () => {
  it('reports a conflict also if a later object cannot be asked about', async () => {
    const subject = subjectOf({
      rendered: [service('demo-a'), workload('Deployment', 'demo-b')],
      others: [service('demo-a')],
      create: () =>
        Promise.reject(
          refusal(403, 'Forbidden', 'User "ci" cannot create resource "deployments" in API group'),
        ),
    });
    const { problems } = await objects(subject);
    expect(problems.map(({ outcome }) => outcome)).toEqual(['failed', 'skipped']);
    expect(problems[0]?.message).toContain('Service team/demo-a: exists without the labels');
  });

  it.each([
    [false, /choose another name for the Karmada/],
    [true, /move it to another name or namespace$/],
  ])('names what to do with an object of others, installed: %s', async (isInstalled, remedy) => {
    const subject = subjectOf({
      rendered: [service('demo-a')],
      others: [service('demo-a')],
      isInstalled,
    });
    expect((await objects(subject)).problems[0]?.message).toMatch(remedy);
  });

  it('accepts the Service that the Go operator creates without the label of its Karmada', async () => {
    const found: KubernetesObject = {
      ...service('demo-karmada-metrics-adapter', {
        labels: { 'app.kubernetes.io/managed-by': 'karmada-operator' },
      }),
      spec: {
        selector: {
          'app.kubernetes.io/instance': 'demo',
          'app.kubernetes.io/name': 'karmada-metrics-adapter',
        },
      },
    };
    const { problems } = await objects(
      subjectOf({ rendered: [service('demo-karmada-metrics-adapter')], others: [found] }),
    );
    expect(problems).toEqual([]);
  });
});

describe('pods', () => {
  const rendered = [workload('Deployment', 'demo-a')];

  it.each<[string, ApiError | NetworkError, object]>([
    [
      'a webhook without a server',
      refusal(500, 'InternalError', 'failed calling webhook "dead.example.com": refused'),
      {
        outcome: 'failed',
        reason: 'WebhookRefusesPods',
        message: expect.stringMatching(/start its server/),
      },
    ],
    [
      'a webhook that supports no dry run',
      refusal(400, 'BadRequest', 'admission webhook "a.b" does not support dry run'),
      { outcome: 'skipped', message: expect.stringContaining('does not support dry run') },
    ],
    [
      'another error of the API server',
      refusal(500, 'InternalError', 'etcdserver: request timed out'),
      { outcome: 'skipped', message: expect.stringContaining('timed out') },
    ],
    [
      'no connection',
      new NetworkError('create', 'ECONNREFUSED', 'refused'),
      { outcome: 'skipped', message: 'create: refused' },
    ],
  ])('with %s', async (_, error, problem) => {
    const subject = subjectOf({ rendered, create: () => Promise.reject(error) });
    expect((await pods(subject)).problems).toEqual([problem]);
  });

  it.each<[string, number, string, object]>([
    [
      'a PriorityClass that the cluster admits only with a quota',
      500,
      'insufficient quota to match these scopes: [{PriorityClass In [system-node-critical system-cluster-critical]}]',
      {
        reason: 'QuotaExceeded',
        message: expect.stringContaining(
          'set another class in spec.components.karmadaSearch.priorityClassName, or priorityClassName in spec.podSettings',
        ),
      },
    ],
    [
      'a PriorityClass that does not exist',
      403,
      'pods "a" is forbidden: no PriorityClass with name high was found',
      {
        reason: 'PodsRefused',
        message: expect.stringContaining('spec.components.karmadaSearch.priorityClassName'),
      },
    ],
    [
      'a user that OpenShift does not allow',
      403,
      'pods "a" is forbidden: unable to validate against any security context constraint: [provider "restricted-v2": no]',
      {
        reason: 'PodSecurityRefused',
        message: expect.stringContaining('podSecurityContext.fsGroup in spec.podSettings'),
      },
    ],
  ])('names the fields to change with %s', async (_, code, text, problem) => {
    const { spec, ...rest } = workload('Deployment', 'demo-search');
    const metadata = { labels: { 'app.kubernetes.io/name': 'karmada-search' } };
    const search = { ...rest, spec: { ...spec, template: { ...spec.template, metadata } } };
    const error = refusal(code, '', text);
    const subject = subjectOf({ rendered: [search], create: () => Promise.reject(error) });
    expect((await pods(subject)).problems).toEqual([{ outcome: 'failed', ...problem }]);
  });

  it.each([
    ['In', ['system-node-critical'], 1],
    ['In', ['other'], 0],
    ['NotIn', ['system-node-critical'], 0],
  ])(
    'warns of a PriorityClass that kube-system has a quota for, scope %s %j, if the Namespace does not exist',
    async (operator, values, count) => {
      const { spec, ...rest } = workload('Deployment', 'demo-search');
      const metadata = { labels: { 'app.kubernetes.io/name': 'karmada-search' } };
      const pod = { ...spec.template.spec, priorityClassName: 'system-node-critical' };
      const search = { ...rest, spec: { ...spec, template: { metadata, spec: pod } } };
      const matchExpressions = [{ scopeName: 'PriorityClass', operator, values }];
      const subject = subjectOf({
        rendered: [search, search],
        quotas: [
          {
            apiVersion: 'v1',
            kind: 'ResourceQuota',
            metadata: { name: 'critical-pods' },
            spec: { scopeSelector: { matchExpressions } },
          },
        ],
        create: () => Promise.reject(refusal(404, 'NotFound', 'namespaces "team" not found')),
      });
      const [skipped, ...warnings] = (await pods(subject)).problems;
      expect(skipped?.message).toContain('Namespace team does not exist');
      const text = expect.stringMatching(
        /kube-system\/critical-pods is for it.*spec\.components\.karmadaSearch\.priorityClassName/,
      );
      const warning = { outcome: 'warning', reason: 'QuotaExceeded', message: text };
      expect(warnings).toEqual(Array.from({ length: count }, () => warning));
    },
  );

  const full = refusal(403, 'Forbidden', 'pods "a" is forbidden: exceeded quota: team');
  const create = (): Promise<never> => Promise.reject(full);

  it.each<[string, Workload['kind'], string | undefined, readonly string[]]>([
    ['of a new workload', 'Deployment', undefined, ['failed']],
    ['of a Deployment whose Pods change', 'Deployment', 'a:0', ['failed']],
    ['of a Deployment whose Pods stay', 'Deployment', 'a:1', ['warning']],
    ['of a StatefulSet, whose Pods are replaced one by one', 'StatefulSet', 'a:0', []],
  ])('reports a full quota %s', async (_, kind, image, outcomes) => {
    const subject = subjectOf({
      rendered: [workload(kind, 'demo-a')],
      present: image === undefined ? [] : [workload(kind, 'demo-a', { image })],
      create,
    });
    expect((await pods(subject)).problems.map(({ outcome }) => outcome)).toEqual(outcomes);
  });
});

describe('quota', () => {
  const quotas = [
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'team' },
      status: { hard: { 'requests.cpu': '2' }, used: { 'requests.cpu': '1' } },
    },
  ];
  const requesting = (cpu: string) => ({ resources: { requests: { cpu } } });

  it('counts the defaults that a LimitRange adds to the Pods', async () => {
    const subject = subjectOf({
      rendered: [workload('Deployment', 'demo-a')],
      quotas,
      create: (pod) => {
        const containers = [{ name: 'main', ...requesting('1500m') }];
        return Promise.resolve({ ...pod, spec: { containers } });
      },
    });
    expect((await quota(subject)).problems).toHaveLength(1);
  });

  it.each([
    ['1', 0],
    ['2', 0],
    ['2500m', 1],
  ])('counts only what a running Pod of 1 does not use: %s', async (cpu, count) => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'demo-a-0', namespace: 'team', labels: { app: 'demo-a' } },
      spec: { containers: [{ name: 'main', ...requesting('1') }] },
    };
    const subject = subjectOf({
      rendered: [workload('StatefulSet', 'demo-a', requesting(cpu))],
      present: [workload('StatefulSet', 'demo-a', requesting('1'))],
      pods: [pod],
      quotas,
    });
    expect((await quota(subject)).problems).toHaveLength(count);
  });
});
