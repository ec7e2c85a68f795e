import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { expectGolden } from '../components/__fixtures__/golden.ts';
import { FULL, inputOf, MINIMAL } from '../components/__fixtures__/inputs.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { ARCHIVE, parseCrdArchive } from './__fixtures__/archive.ts';
import { isForRegistration } from './bootstrap.ts';
import { renderControlPlane } from './controlplane.ts';
import { furtherKinds } from './flow-schema.ts';
import type { ControlPlaneInput } from './input.ts';
import { COMPONENTS_GROUP } from '../api/identities.ts';
import { IDENTITIES, type Rule } from './rbac-rules.ts';

const CA = '-----BEGIN CERTIFICATE-----\nactive\n-----END CERTIFICATE-----\n';
const CRDS = parseCrdArchive(ARCHIVE);

function render(input: Omit<ControlPlaneInput, 'caBundle'>): ReturnType<typeof renderControlPlane> {
  return renderControlPlane({ ...input, caBundle: CA }, CRDS);
}

function all(input: Omit<ControlPlaneInput, 'caBundle'>): readonly KubernetesObject[] {
  return Object.values(render(input)).flat();
}

/** Names of the subjects of a binding; empty for other objects. */
const subjectsOf = (object: KubernetesObject): readonly string[] =>
  ((object['subjects'] ?? []) as { name: string }[]).map(({ name }) => name);

interface Webhook {
  name: string;
  clientConfig: { url: string; caBundle: string };
  failurePolicy: string;
  timeoutSeconds: number;
  sideEffects: string;
  rules: { operations: string[]; resources: string[] }[];
}

describe('renderControlPlane', () => {
  it.each([
    ['minimal', MINIMAL],
    ['full', FULL],
  ] as const)('renders the objects of its golden file: %s', (variant, input) => {
    const given =
      variant === 'full' ? { ...input, externalServer: 'https://a.example:5443' } : input;
    expectGolden(join(import.meta.dirname, '__golden__', `${variant}.yaml`), all(given));
  });

  it('sets the labels of the operator on all objects', () => {
    for (const { metadata } of all(FULL)) {
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/instance': 'karmada-full',
        'app.kubernetes.io/managed-by': 'karmada-operator',
      });
    }
  });

  it('renders no object twice', () => {
    const keys = all(FULL).map(
      ({ kind, metadata }) => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('have names that the API server accepts: a colon only in those of roles', () => {
    const others = [...all(FULL), ...all(MINIMAL)].filter(
      ({ kind }) => !/Role(?:Binding)?$/.test(kind),
    );
    for (const { metadata } of others)
      expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
  });
});

describe('flow control', () => {
  const { karmadaAPIServer } = MINIMAL.spec.components;
  const inputWith = (imageTag: string): typeof MINIMAL => {
    const components = { ...MINIMAL.spec.components };
    const server = { ...karmadaAPIServer, imageTag };
    return {
      ...MINIMAL,
      spec: { ...MINIMAL.spec, components: { ...components, karmadaAPIServer: server } },
    };
  };

  it.each([
    ['v1.35.4', 1],
    ['v1.30.0', 1],
    ['v1.29.9', 0],
    ['production', 0],
  ])('exempts the components of a control plane with the tag %s: %s', (imageTag, expected) => {
    const { rbac } = render(inputWith(imageTag));
    const found = rbac.filter(({ kind }) => kind === 'FlowSchema');
    expect(found).toHaveLength(expected);
    expect(furtherKinds(inputWith(imageTag).spec)).toHaveLength(expected);
    for (const { metadata, spec } of found)
      expect([metadata.name, spec]).toMatchObject([
        'karmada-components',
        { priorityLevelConfiguration: { name: 'exempt' } },
      ]);
  });
});

describe('webhook configurations', () => {
  const [mutating, validating] = render(FULL)['webhook-configurations'].map(
    (object) => object['webhooks'] as Webhook[],
  );

  it('contain all webhooks of the upstream operator and clustertaintpolicy', () => {
    expect(mutating).toHaveLength(8);
    expect(validating).toHaveLength(14);
    expect(validating?.find(({ name }) => name === 'clustertaintpolicy.karmada.io')).toMatchObject({
      rules: [{ resources: ['clustertaintpolicies'], operations: ['CREATE', 'UPDATE'] }],
      clientConfig: { url: expect.stringMatching(/\/validate-clustertaintpolicy$/) },
    });
  });

  it('use the webhook server of this control plane, fail closed and trust the CA bundle', () => {
    for (const webhook of [...(mutating ?? []), ...(validating ?? [])]) {
      expect(webhook.failurePolicy).toBe('Fail');
      expect(webhook.clientConfig.url).toMatch(
        /^https:\/\/karmada-full-webhook\.tenant-a\.svc:443\/(mutate|validate)-[a-z]+$/,
      );
      expect(Buffer.from(webhook.clientConfig.caBundle, 'base64').toString()).toBe(CA);
    }
  });

  it('set timeout, side effects and selectors that differ from the default', () => {
    const by = (name: string): Webhook | undefined =>
      validating?.find((webhook) => webhook.name === `${name}.karmada.io`);
    expect(by('resourceinterpretercustomization')?.timeoutSeconds).toBe(10);
    expect(by('resourcebinding')?.sideEffects).toBe('NoneOnDryRun');
    expect(by('resourcedeletionprotection')).toMatchObject({
      rules: [{ operations: ['DELETE'], apiGroups: ['*'], resources: ['*'], scope: '*' }],
      objectSelector: {
        matchExpressions: [
          { key: 'resourcetemplate.karmada.io/deletion-protected', operator: 'Exists' },
        ],
      },
    });
  });
});

describe('APIServices', () => {
  it('use an ExternalName Service in karmada-system that names the Service in the host cluster', () => {
    const [service, apiService] = render(FULL)['cluster-api-service'];
    expect(service).toMatchObject({
      metadata: { name: 'karmada-full-aggregated-apiserver', namespace: 'karmada-system' },
      spec: {
        type: 'ExternalName',
        externalName: 'karmada-full-aggregated-apiserver.tenant-a.svc.k8s.example.org',
      },
    });
    expect(apiService).toMatchObject({
      metadata: { name: 'v1alpha1.cluster.karmada.io', labels: { apiserver: 'true' } },
      spec: {
        service: { name: 'karmada-full-aggregated-apiserver', namespace: 'karmada-system' },
        groupPriorityMinimum: 2000,
        versionPriority: 10,
      },
    });
    expect(apiService?.['spec']).not.toHaveProperty('insecureSkipTLSVerify');
  });

  it('exist for metrics and search only when the component has replicas', () => {
    const names = (objects: readonly KubernetesObject[]): string[] =>
      objects.filter(({ kind }) => kind === 'APIService').map(({ metadata }) => metadata.name);
    const full = render(FULL);
    expect(names(full['metrics-api-services'])).toEqual([
      'v1beta1.metrics.k8s.io',
      'v1beta1.custom.metrics.k8s.io',
      'v1beta2.custom.metrics.k8s.io',
    ]);
    expect(names(full['search-api-service'])).toEqual(['v1alpha1.search.karmada.io']);
    expect(render(MINIMAL)['search-api-service']).toEqual([]);
    const off = inputOf({ components: { etcd: {}, karmadaMetricsAdapter: { replicas: 0 } } });
    expect(render(off)['metrics-api-services']).toEqual([]);
    const switchedOff = inputOf({ components: { karmadaMetricsAdapter: { enabled: false } } });
    expect(render(switchedOff)['metrics-api-services']).toEqual([]);
  });
});

describe('bootstrap objects for member cluster registration', () => {
  const server = 'https://api.example.com:5443';
  const objects = render({ ...FULL, externalServer: server }).bootstrap;
  const named = (kind: string, part: string): KubernetesObject | undefined =>
    objects.find(({ kind: other, metadata }) => other === kind && metadata.name.includes(part));

  it('contain cluster-info with address and CA when the external address is known', () => {
    const info = named('ConfigMap', 'cluster-info') as unknown as { data: { kubeconfig: string } };
    expect(load(info.data.kubeconfig)).toMatchObject({
      clusters: [
        {
          name: '',
          cluster: { server, 'certificate-authority-data': Buffer.from(CA).toString('base64') },
        },
      ],
      users: [],
    });
    expect(render(FULL).bootstrap.some(({ kind }) => kind === 'ConfigMap')).toBe(false);
    expect(render(FULL).bootstrap).toHaveLength(objects.length - 1);
  });

  it('give unauthenticated users only read access to cluster-info', () => {
    const toAnybody = objects.filter((object) => JSON.stringify(object).includes('anonymous'));
    expect(toAnybody.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
      ['RoleBinding', 'kube-public'],
    ]);
    expect(named('Role', 'clusterinfo')).toMatchObject({
      rules: [{ resources: ['configmaps'], resourceNames: ['cluster-info'], verbs: ['get'] }],
    });
    expect(JSON.stringify(objects)).not.toContain('Secret');
  });

  it('are recognized, and no other object is', () => {
    const input = { ...FULL, externalServer: server };
    expect(all(input).length).toBeGreaterThan(objects.length);
    expect(all(input).filter(isForRegistration)).toEqual(objects);
  });

  it('contain a binding for every ClusterRole', () => {
    const roles = objects.filter(({ kind }) => kind === 'ClusterRole').map((o) => o.metadata.name);
    const bound = objects.flatMap((object) => (object['roleRef'] as { name: string })?.name ?? []);
    for (const role of roles) expect(bound).toContain(role);
  });
});

describe('RBAC', () => {
  const objects = render(FULL).rbac;
  const named = (kind: string, name: string): KubernetesObject | undefined =>
    objects.find((object) => object.kind === kind && object.metadata.name === name);

  it('contains the user roles of the upstream operator and labels their bindings', () => {
    expect(named('ClusterRoleBinding', 'cluster-proxy-admin')).toMatchObject({
      metadata: { labels: { 'karmada.io/system': 'true' } },
      subjects: [{ kind: 'User', name: 'system:admin' }],
    });
    expect(named('ClusterRole', 'karmada-view')).toMatchObject({
      metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    });
    expect(named('ClusterRole', 'karmada-edit')).toMatchObject({
      metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } },
    });
  });

  it('binds the rules of every component to its user only, each in its namespace', () => {
    const rendered = all(FULL);
    for (const { suffix, user, grants } of IDENTITIES) {
      const bindings = rendered.filter((object) => subjectsOf(object).includes(user));
      const roles = rendered.filter(
        ({ kind, metadata }) =>
          kind.endsWith('Role') && metadata.name === `system:karmada:${suffix}`,
      );
      const rules = roles.flatMap(({ metadata, ...object }) =>
        (object['rules'] as Rule[]).map((rule) => [metadata.namespace, rule]),
      );
      expect(rules).toHaveLength(grants.length);
      expect(rules).toEqual(
        expect.arrayContaining(grants.map(({ namespace, rule }) => [namespace, rule])),
      );
      expect(bindings.map(subjectsOf)).toEqual(bindings.map(() => [user]));
      expect(bindings.map(({ metadata }) => metadata.namespace)).toEqual(
        roles.map(({ metadata }) => metadata.namespace),
      );
    }
  });

  it.each([
    ['descheduler', { karmadaDescheduler: {} }],
    ['search', { karmadaSearch: {} }],
  ])('renders the roles of the add-on %s only while it is installed', (suffix, components) => {
    const roles = (input: typeof MINIMAL): readonly string[] =>
      all(input)
        .filter(({ metadata }) => metadata.name === `system:karmada:${suffix}`)
        .map(({ kind }) => kind)
        .sort();
    expect(roles(MINIMAL)).toEqual([]);
    expect(roles(inputOf({ components }))).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
    ]);
  });

  it('renders no roles of a metrics adapter that is disabled', () => {
    const disabled = inputOf({ components: { karmadaMetricsAdapter: { enabled: false } } });
    const names = all(disabled).map(({ metadata }) => metadata.name);
    expect(names).not.toContain('system:karmada:metrics-adapter');
    expect(names).toContain('system:karmada:scheduler');
  });

  it('lets all components discover the API, and nothing else', () => {
    const bindings = all(FULL).filter((object) => subjectsOf(object).includes(COMPONENTS_GROUP));
    expect(bindings.map(({ metadata }) => metadata.name)).toEqual([COMPONENTS_GROUP]);
    const [rule, ...others] = named('ClusterRole', COMPONENTS_GROUP)?.['rules'] as Rule[];
    expect(others).toEqual([]);
    expect(rule?.verbs).toEqual(['get']);
    expect(rule).not.toHaveProperty('resources');
  });

  it('gives only karmada-controller-manager more than named resources', () => {
    const wide = IDENTITIES.filter(({ grants }) =>
      grants.some(({ rule }) => Object.values(rule).flat().includes('*')),
    );
    expect(wide.map(({ suffix }) => suffix)).toEqual(['controller-manager']);
  });

  it('lets karmada-scheduler and karmada-descheduler change Leases only in the system namespace', () => {
    const leases = (input: typeof FULL): readonly unknown[] =>
      all(input)
        .filter((object) => JSON.stringify(object['rules'] ?? []).includes('"leases"'))
        .map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name]);
    expect(leases(FULL)).toEqual([
      ['Role', 'karmada-system', 'system:karmada:scheduler'],
      ['Role', 'karmada-system', 'system:karmada:descheduler'],
    ]);
    const extraArgs = { 'leader-elect-resource-namespace': 'other' };
    const moved = inputOf({
      components: { karmadaScheduler: { extraArgs }, karmadaDescheduler: {} },
    });
    expect(leases(moved)).toEqual([
      ['Role', 'karmada-system', 'system:karmada:descheduler'],
      ['ClusterRole', undefined, 'system:karmada:scheduler'],
    ]);
  });

  it('lets the client certificate for metrics read metrics, and only when its field is set', () => {
    const user = 'system:karmada:metrics';
    const monitored = inputOf({ monitoring: { clientCertificate: true } });
    const added = render(monitored).rbac.filter(({ metadata }) => metadata.name === user);
    expect(added).toEqual([
      expect.objectContaining({
        kind: 'ClusterRole',
        rules: [{ nonResourceURLs: ['/metrics', '/metrics/slis'], verbs: ['get'] }],
      }),
      expect.objectContaining({
        kind: 'ClusterRoleBinding',
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      }),
    ]);
    const others = all(monitored).filter(({ metadata }) => metadata.name !== user);
    expect(others).toEqual(all(inputOf({})));
    expect(all(inputOf({ monitoring: { clientCertificate: false } }))).toEqual(others);
  });

  it('binds only roles that it contains, so that components do not wait for those of Kubernetes', () => {
    const rendered = all(FULL);
    for (const object of rendered.filter(({ metadata }) => metadata.name.includes('karmada:'))) {
      const roleRef = object['roleRef'] as { kind: string; name: string } | undefined;
      if (roleRef === undefined || isForRegistration(object)) continue;
      expect(rendered).toContainEqual(
        expect.objectContaining({
          kind: roleRef.kind,
          metadata: expect.objectContaining({
            name: roleRef.name,
            ...(object.metadata.namespace && { namespace: object.metadata.namespace }),
          }),
        }),
      );
    }
  });
});
