/** Runs the same tests for every component of the registry, so a new component is covered automatically. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import { COMPONENT_NAME, COMPONENT_SUFFIX, instanceName } from '../api/naming.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { storedKeys } from '../pki/__fixtures__/stored-keys.ts';
import { LEAVES } from '../pki/inventory.ts';
import { DIRECTORY, expectGolden, goldenPath, TEMPLATES } from './__fixtures__/golden.ts';
import {
  ADDONS,
  ESTIMATORS,
  EXTERNAL_ETCD,
  FULL,
  FULL_SPEC,
  inputOf,
  MINIMAL,
  POD_SETTINGS,
} from './__fixtures__/inputs.ts';
import { PLACEMENT } from './__fixtures__/placement.ts';
import type { Component, ComponentName, RenderInput, Step } from './component.ts';
import { renderComponent, renderHost } from './desired.ts';
import { HEALTH_PATH } from './etcd/join.ts';
import { flagName } from './flags.ts';
import { COMPONENTS, INSTALL_DEPENDENCIES, installedComponents } from './registry.ts';
import type { Workload } from './workload.ts';
import { isWorkload } from './workload.ts';

const WITH_POD_SETTINGS: RenderInput = {
  ...inputOf({ components: ADDONS, podSettings: POD_SETTINGS }),
  estimators: ESTIMATORS,
};

const WITH_PLACEMENT: RenderInput = { ...inputOf(PLACEMENT), estimators: ESTIMATORS };

const ALL = COMPONENTS.map((component) => [component.name, component] as const);

function componentNamed(name: ComponentName): Component {
  const found = COMPONENTS.find((component) => component.name === name);
  if (!found) throw new Error(`There is no component ${name}`);
  return found;
}

function workloadOf(component: Component, input: RenderInput): Workload {
  const found = renderComponent(TEMPLATES, component, input).find(isWorkload);
  if (!found) throw new Error(`${component.name} has no workload`);
  return found;
}

function commandOf(component: Component, input: RenderInput): readonly string[] {
  return workloadOf(component, input).spec.template.spec.containers[0]?.command ?? [];
}

function flagsOf(component: Component, input: RenderInput): ReadonlyMap<string, string> {
  const flags = commandOf(component, input).slice(1);
  return new Map(flags.map((item) => [flagName(item) ?? '', item.slice(item.indexOf('=') + 1)]));
}

function ofKind(objects: readonly KubernetesObject[], kind: string): readonly KubernetesObject[] {
  return objects.filter((object) => object.kind === kind);
}

describe.each(ALL)('%s', (name, component) => {
  const full = renderComponent(TEMPLATES, component, FULL);
  const workload = workloadOf(component, FULL);

  it.each([
    ['minimal', MINIMAL],
    ['full', FULL],
    ['external-etcd', EXTERNAL_ETCD],
    ['pod-settings', WITH_POD_SETTINGS],
    ['placement', WITH_PLACEMENT],
  ] as const)('renders the objects of its golden file: %s', (variant, input) => {
    const objects = renderComponent(TEMPLATES, component, input);
    if (objects.length > 0) expectGolden(goldenPath(name, variant), objects);
    else expect(component.settings(input.spec)).toBeUndefined();
  });

  it('names every object by the naming rule and renders it into the namespace of the Karmada', () => {
    for (const object of full) {
      const suffixes = [
        component.perCluster
          ? `${COMPONENT_SUFFIX[component.name]}-member-1`
          : COMPONENT_SUFFIX[component.name],
        ...(name === 'etcd' ? ['etcd-client'] : []),
      ];
      expect(suffixes.map((suffix) => instanceName('karmada-full', suffix))).toContain(
        object.metadata.name,
      );
      expect(object.metadata.namespace).toBe('tenant-a');
    }
  });

  it('labels every object except the PodDisruptionBudget with its component, control plane and manager', () => {
    for (const object of full.filter(({ kind }) => kind !== 'PodDisruptionBudget')) {
      expect(object.metadata.labels).toMatchObject({
        'app.kubernetes.io/name': name,
        'app.kubernetes.io/instance': 'karmada-full',
        'app.kubernetes.io/managed-by': 'karmada-operator',
      });
    }
  });

  it('selects its Pods with the selector of the upstream operator', () => {
    const selector = {
      'app.kubernetes.io/name': name,
      'app.kubernetes.io/instance': 'karmada-full',
      ...(name === 'karmada-search' && { apiserver: 'true' }),
      ...(component.perCluster && { 'operator.karmada.io/cluster': 'member-1' }),
    };
    expect(workload.spec.selector.matchLabels).toEqual(selector);
    expect(workload.spec.template.metadata.labels).toEqual({
      ...selector,
      'example.com/label': `label-of-${COMPONENT_SUFFIX[component.name]}`,
    });
    for (const service of ofKind(full, 'Service')) {
      expect(service['spec']).toMatchObject({ selector });
    }
  });

  it('renders a PodDisruptionBudget for its Pods only when the spec sets one', () => {
    const [budget, ...others] = ofKind(full, 'PodDisruptionBudget');
    expect(others).toEqual([]);
    expect(budget).toMatchObject({
      apiVersion: 'policy/v1',
      metadata: {
        name: workload.metadata.name,
        labels: workload.spec.template.metadata.labels,
      },
      spec: { selector: { matchLabels: workload.spec.template.metadata.labels } },
    });
    expect(
      ofKind(renderComponent(TEMPLATES, component, inputOf({})), 'PodDisruptionBudget'),
    ).toEqual([]);
  });

  it('meets the restricted Pod Security profile', () => {
    const pod = workload.spec.template.spec;
    expect(pod['automountServiceAccountToken']).toBe(false);
    expect(pod['enableServiceLinks']).toBe(false);
    expect(pod).not.toHaveProperty('hostNetwork');
    expect(pod.containers[0]?.['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    const ports = (pod.containers[0]?.['ports'] ?? []) as { containerPort: number }[];
    expect(ports.filter((port) => port.containerPort < 1024)).toEqual([]);
    const kinds = (pod.volumes ?? []).flatMap((volume) => Object.keys(volume));
    const allowed = ['name', 'secret', 'configMap', 'emptyDir'];
    expect(kinds.filter((kind) => !allowed.includes(kind))).toEqual([]);
  });

  it('has probes on the endpoint of its readiness, with a startup probe every second', () => {
    const container = workload.spec.template.spec.containers[0];
    const { probe: newest, kind } = component.readiness;
    // The full input has an etcd release without /readyz.
    const probe = name === 'etcd' ? { ...newest, path: HEALTH_PATH } : newest;
    expect(workload.kind).toBe(kind);
    const listens = probe.scheme === 'TCP';
    expect(container).toMatchObject({
      startupProbe: { httpGet: listens ? {} : probe, periodSeconds: 1 },
      readinessProbe: listens ? { tcpSocket: { port: probe.port } } : { httpGet: probe },
      livenessProbe: { httpGet: listens ? {} : { scheme: probe.scheme, port: probe.port } },
    });
  });

  it('excludes etcd from its liveness probe when it uses etcd', () => {
    const usesEtcd = flagsOf(component, FULL).has('etcd-servers');
    const container = workload.spec.template.spec.containers[0] as unknown as {
      livenessProbe: { httpGet: { path: string } };
    };
    expect(container.livenessProbe.httpGet.path.includes('exclude=etcd')).toBe(usesEtcd);
  });

  it('has a rolling update without unavailable Pods, or OnDelete when it is a StatefulSet', () => {
    expect(workload.spec).toMatchObject(
      workload.kind === 'StatefulSet'
        ? { updateStrategy: { type: 'OnDelete' }, podManagementPolicy: 'Parallel' }
        : { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    );
  });

  it('waits for connection draining before it stops when clients connect through a Service', () => {
    const serves = ofKind(full, 'Service').length > 0 && name !== 'etcd';
    const container = workload.spec.template.spec.containers[0];
    expect(container?.['lifecycle']).toEqual(
      serves ? { preStop: { sleep: { seconds: 8 } } } : undefined,
    );
    expect(component.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(serves ? 30 : 10);
  });

  it('applies the settings common to all components', () => {
    const { labels, annotations, resources, tolerations, affinity, priorityClassName } =
      component.settings(FULL.spec) ?? {};
    const { template } = workload.spec;
    expect(workload.metadata.labels).toMatchObject(labels ?? {});
    expect(workload.metadata.annotations).toMatchObject(annotations ?? {});
    expect(template.metadata.annotations).toMatchObject(annotations ?? {});
    expect(template.spec).toMatchObject({ tolerations, affinity, priorityClassName });
    expect(template.spec.containers[0]?.resources).toEqual(resources);
    expect(template.spec.containers[0]).toMatchObject({
      image: `registry.example.com:5000/${COMPONENT_SUFFIX[component.name]}:v1.0.0-${COMPONENT_SUFFIX[component.name]}`,
      imagePullPolicy: 'Always',
    });
    expect(workload.spec['replicas']).toBe(3);
  });

  it('requests CPU and memory by default', () => {
    const addons = { ...inputOf({ components: ADDONS }), estimators: ESTIMATORS };
    const container = workloadOf(component, addons).spec.template.spec.containers[0];
    expect(Object.keys(container?.resources?.requests ?? {})).toEqual(['cpu', 'memory']);
  });

  it('mounts every volume it declares and every file that its flags name', () => {
    const pod = workload.spec.template.spec;
    const claims = (workload.spec['volumeClaimTemplates'] ?? []) as {
      metadata: { name: string };
    }[];
    const volumes = [
      ...(pod.volumes ?? []).map((volume) => volume.name),
      ...claims.map((claim) => claim.metadata.name),
    ];
    const mounts = pod.containers[0]?.volumeMounts ?? [];
    expect(mounts.map((mount) => mount.name).sort()).toEqual([...volumes].sort());
    const directories = mounts.map((mount) => mount.mountPath);
    for (const [flag, value] of flagsOf(component, FULL)) {
      if (!/^\/(etc|var)\//.test(value)) continue;
      const directory = value.slice(0, value.lastIndexOf('/'));
      const covered = directories.includes(directory) || directories.includes(value);
      expect({ flag, value, covered }).toEqual({ flag, value, covered: true });
    }
  });

  it('restarts only when a certificate changes that it does not reload', () => {
    const hashed: RenderInput = { ...FULL, certificatesHash: { [name]: 'one' } };
    const annotation = 'operator.karmada.io/certificates-hash';
    const annotations = workloadOf(component, hashed).spec.template.metadata.annotations ?? {};
    expect(annotations[annotation]).toBe('one');
    const others: RenderInput = {
      ...FULL,
      certificatesHash: { 'other-component': 'one' } as never,
    };
    expect(workloadOf(component, others).spec.template.metadata.annotations).not.toHaveProperty([
      annotation,
    ]);
  });
});

describe('mounted Secrets', () => {
  /** Keys of each Secret that `src/pki` creates. The `N(etcd-cert)` Secret of a user has other keys. */
  const CONTRACT: Readonly<Record<string, readonly string[] | 'all'>> = {
    ...Object.fromEntries(
      LEAVES.flatMap(({ stored }) => stored.map(({ secret }) => [secret, storedKeys(secret)])),
    ),
    cert: [...storedKeys('cert'), 'signing-ca.crt'],
    'estimator-client': ['ca.crt', ...storedKeys('estimator-client')],
    'etcd-cert': [...storedKeys('etcd-cert'), 'ca.crt', 'tls.crt', 'tls.key'],
    'service-account-key': ['service-account.key', 'service-account.pub'],
  };
  const CONFIGS = COMPONENTS.map((component) => `${COMPONENT_SUFFIX[component.name]}-config`);

  it.each([
    ['local etcd', FULL],
    ['external etcd', EXTERNAL_ETCD],
  ] as const)('contain every key that a workload mounts: %s', (_, input) => {
    for (const workload of renderHost(TEMPLATES, input).filter(isWorkload)) {
      for (const { secret } of workload.spec.template.spec.volumes ?? []) {
        if (!secret?.secretName) continue;
        const suffix = secret.secretName.replace(/^karmada-full-/, '');
        if (CONFIGS.includes(suffix) || suffix.endsWith('-kubeconfig')) continue;
        expect(Object.keys(CONTRACT)).toContain(suffix);
        for (const item of secret.items ?? []) expect(CONTRACT[suffix]).toContain(item.key);
        expect(secret.items).not.toEqual([]);
      }
    }
  });

  const mounted = renderHost(TEMPLATES, FULL)
    .filter(isWorkload)
    .flatMap(({ metadata, spec }) =>
      (spec.template.spec.volumes ?? [])
        .flatMap((volume) => volume.secret?.items ?? [])
        .map((item) => `${metadata.name} ${item.key}`),
    );

  it('give the private key of the operator to no Pod', () => {
    expect(mounted.length).toBeGreaterThan(0);
    expect(mounted.filter((key) => key.includes('karmada.key'))).toEqual([]);
  });

  it('give the private key of a CA only to the Pod that signs certificates for member clusters', () => {
    expect(mounted.filter((key) => /ca\.key$/.test(key))).toEqual([
      'karmada-full-kube-controller-manager ca.key',
    ]);
  });
});

describe('fields that the upstream operator ignores', () => {
  const flags = (name: Component['name'], input = FULL): ReadonlyMap<string, string> =>
    flagsOf(componentNamed(name), input);

  it('pass feature gates only to the binaries that know them', () => {
    const gates = Object.fromEntries(
      COMPONENTS.map(({ name }) => [name, flags(name).get('feature-gates')]),
    );
    const karmada = 'Failover=true,MultiClusterService=true,PropagateDeps=false';
    expect(gates).toEqual({
      etcd: undefined,
      'karmada-apiserver': 'ValidatingAdmissionPolicy=true',
      'karmada-aggregated-apiserver': karmada.replace('Failover=true', 'Failover=false'),
      'kube-controller-manager': 'CSIMigration=true',
      'karmada-controller-manager': `${karmada},WorkloadAffinity=true`,
      'karmada-scheduler': karmada.replace('Prop', 'PriorityBasedScheduling=true,Prop'),
      'karmada-webhook': karmada,
      'karmada-metrics-adapter': undefined,
      'karmada-descheduler': undefined,
      'karmada-search': undefined,
      'karmada-scheduler-estimator': karmada.replace(
        'PropagateDeps=false',
        'PropagateDeps=false,ResourceQuotaEstimate=true',
      ),
    });
  });

  it('pass spec controllers to the controllers flag', () => {
    expect(flags('kube-controller-manager').get('controllers')).toBe(
      'namespace,garbagecollector,-csrcleaner',
    );
    expect(flags('karmada-controller-manager').get('controllers')).toBe('*,-hpaScaleTargetMarker');
    expect(flags('kube-controller-manager', MINIMAL).get('controllers')).toContain('tokencleaner');
    expect(flags('karmada-controller-manager', MINIMAL).has('controllers')).toBe(false);
  });

  it('prefer extraArgs over the controllers field', () => {
    const input = inputOf({
      components: {
        etcd: {},
        kubeControllerManager: { controllers: ['a'], extraArgs: { controllers: 'b' } },
        karmadaControllerManager: { controllers: ['a'], extraArgs: { controllers: 'b' } },
      },
    });
    expect(flags('kube-controller-manager', input).get('controllers')).toBe('b');
    expect(flags('karmada-controller-manager', input).get('controllers')).toBe('b');
  });

  it('pass serviceSubnet to kube-apiserver and kube-controller-manager', () => {
    expect(flags('karmada-apiserver').get('service-cluster-ip-range')).toBe('10.112.0.0/16');
    expect(flags('kube-controller-manager').get('service-cluster-ip-range')).toBe('10.112.0.0/16');
  });

  it('use dnsDomain in every DNS name and the default domain in none', () => {
    const text = JSON.stringify(renderHost(TEMPLATES, FULL));
    expect(text).toContain('karmada-full-etcd-client.tenant-a.svc.k8s.example.org:2379');
    expect(text).toContain('https://kubernetes.default.svc.k8s.example.org');
    expect(text).not.toContain('cluster.local');
  });

  it('set namespace and Service prefix with which clients find the estimators', () => {
    for (const name of ['karmada-scheduler', 'karmada-descheduler'] as const) {
      expect(flags(name).get('scheduler-estimator-service-namespace')).toBe('tenant-a');
      expect(flags(name).get('scheduler-estimator-service-prefix')).toBe(
        'karmada-full-scheduler-estimator',
      );
    }
  });

  it('configure three API servers with endpoints and certificates of an external etcd', () => {
    for (const name of [
      'karmada-apiserver',
      'karmada-aggregated-apiserver',
      'karmada-search',
    ] as const) {
      expect(Object.fromEntries(flags(name, EXTERNAL_ETCD))).toMatchObject({
        'etcd-cafile': '/etc/karmada/pki/etcd-client/ca.crt',
        'etcd-certfile': '/etc/karmada/pki/etcd-client/tls.crt',
        'etcd-keyfile': '/etc/karmada/pki/etcd-client/tls.key',
        'etcd-servers': 'https://etcd-a.example.com:2379,https://[2001:db8::7]:2379',
      });
    }
  });
});

describe('COMPONENTS', () => {
  it('contains every component of the catalog', () => {
    expect(COMPONENTS.map(({ name }) => name).sort()).toEqual(Object.values(COMPONENT_NAME).sort());
  });

  it('includes add-ons only when the spec enables them', () => {
    expect(installedComponents(MINIMAL.spec).map(({ name }) => name)).toEqual([
      'etcd',
      'karmada-apiserver',
      'karmada-aggregated-apiserver',
      'karmada-metrics-adapter',
      'karmada-webhook',
      'kube-controller-manager',
      'karmada-controller-manager',
      'karmada-scheduler',
    ]);
    expect(installedComponents(FULL.spec)).toHaveLength(COMPONENTS.length);
    expect(installedComponents(EXTERNAL_ETCD.spec)).not.toContain(componentNamed('etcd'));
  });

  it('has install dependencies for every component without a cycle', () => {
    const done = new Set<Step>();
    let waiting = Object.keys(INSTALL_DEPENDENCIES) as Step[];
    while (waiting.length > 0) {
      const ready = waiting.filter((step) =>
        INSTALL_DEPENDENCIES[step].every((other) => done.has(other)),
      );
      expect({ waiting, ready: ready.length > 0 }).toMatchObject({ ready: true });
      ready.forEach((step) => done.add(step));
      waiting = waiting.filter((step) => !done.has(step));
    }
    for (const { name } of COMPONENTS) expect(done).toContain(name);
  });

  it('renders equal objects when the keys of the spec have another order', () => {
    const components = FULL_SPEC.components ?? {};
    const reversed = Object.fromEntries(Object.entries(components).reverse());
    const again = inputOf({ ...FULL_SPEC, components: reversed }, 'karmada-full', 'tenant-a');
    const first = inputOf(FULL_SPEC, 'karmada-full', 'tenant-a');
    expect(renderHost(TEMPLATES, again)).toEqual(renderHost(TEMPLATES, first));
  });
});

describe('template files', () => {
  const files = readdirSync(DIRECTORY, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.hbs'),
  );

  it.each(files)('%s prints values only through q and flag', (file) => {
    const tags = readFileSync(join(DIRECTORY, file), 'utf8').match(/\{\{.*?\}\}/g) ?? [];
    const allowed =
      /^\{\{(q [\w.]+|flag "[\w-]+" [\w.]+|> [\w-]+( \w+=("[^"]*"|\d+|ready[A-Z]\w*))*|#(each|if) [\w.]+|else|\/(each|if))\}\}$/;
    expect(tags.filter((tag) => !allowed.test(tag))).toEqual([]);
  });
});
