import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { expectGolden } from '../components/__fixtures__/golden.ts';
import { FULL, inputOf, MINIMAL } from '../components/__fixtures__/inputs.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { ARCHIVE, parseCrdArchive } from './__fixtures__/archive.ts';
import { isForRegistration } from './bootstrap.ts';
import { renderControlPlane } from './controlplane.ts';
import type { ControlPlaneInput } from './input.ts';
import { IDENTITIES } from './rbac-rules.ts';

const CA = '-----BEGIN CERTIFICATE-----\nactive\n-----END CERTIFICATE-----\n';
const CRDS = parseCrdArchive(ARCHIVE);

function render(input: Omit<ControlPlaneInput, 'caBundle'>): ReturnType<typeof renderControlPlane> {
  return renderControlPlane({ ...input, caBundle: CA }, CRDS);
}

function all(input: Omit<ControlPlaneInput, 'caBundle'>): readonly KubernetesObject[] {
  return Object.values(render(input)).flat();
}

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

  it('binds a role to the user name of every component with a client certificate', () => {
    for (const { suffix } of IDENTITIES) {
      const user = `system:karmada:${suffix}`;
      const bindings = objects.filter((object) =>
        ((object['subjects'] ?? []) as { name: string }[]).some(({ name }) => name === user),
      );
      expect(bindings.length).toBeGreaterThan(0);
    }
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

  it('binds only predefined roles and roles that it contains', () => {
    for (const { kind, roleRef } of objects as (KubernetesObject & {
      roleRef?: { name: string };
    })[]) {
      if (kind !== 'ClusterRoleBinding' || !roleRef) continue;
      const builtIn = ['system:auth-delegator', 'system:kube-controller-manager'];
      const exists = builtIn.includes(roleRef.name) || named('ClusterRole', roleRef.name);
      expect(exists).toBeTruthy();
    }
  });
});
