import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type {
  V1ClusterRole,
  V1Deployment,
  V1PodDisruptionBudget,
  V1PodSpec,
} from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { crd, generated, stale } from '../../../scripts/deploy/generate.ts';
import { packageVersion } from '../../../scripts/release/version.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { chart, helm, only, render, renderChart, type Rendering } from './chart.ts';

const version = await packageVersion();
/** The image by default. */
const defaultImage = `localhost/karmada-operator-ts:${version}`;
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

const here = join(checkout, 'test/integration/chart');
const everyValue = `--values=${join(here, 'every-value.yaml')}`;

/** Settings of the restricted Pod Security Standard, and a read-only root file system. */
const restrictedPod = {
  runAsNonRoot: true,
  runAsUser: 65532,
  runAsGroup: 65532,
  seccompProfile: { type: 'RuntimeDefault' },
};
const restrictedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

const selector = {
  app: 'karmada-operator',
  'app.kubernetes.io/instance': 'karmada-operator',
  'app.kubernetes.io/name': 'karmada-operator',
};

async function storedCrd(): Promise<KubernetesObject> {
  return load(await readFile(join(checkout, crd.source), 'utf8')) as KubernetesObject;
}

describe('chart with default values', () => {
  let rendering: Rendering;
  beforeAll(async () => {
    rendering = await render();
  });

  it('passes helm lint in strict mode', async () => {
    const result = await helm(['lint', '--strict', chart]);
    expect({ code: result.code, said: result.code === 0 ? '' : result.stdout }).toEqual({
      code: 0,
      said: '',
    });
  });

  it('renders the golden file (UPDATE_GOLDENS=1 accepts a change)', async () => {
    const { text } = await render(['--set=installCRDs=false']);
    const golden = join(here, '__golden__/default.yaml');
    if (process.env['UPDATE_GOLDENS']) await writeFile(golden, text);
    expect(text).toBe(await readFile(golden, 'utf8'));
  });

  it('renders neither trailing whitespace nor empty annotations', () => {
    expect(rendering.text.split('\n').filter((line) => /\s$/.test(line))).toEqual([]);
    expect(rendering.text).not.toMatch(/^\s*annotations:\s*(\{\}|null)?\n(?! )/m);
  });

  it('contains the CRD of crds/ and keeps it on uninstall', async () => {
    const rendered = only<KubernetesObject & { spec: unknown }>(
      rendering.objects.filter(({ metadata }) => metadata.name.startsWith('karmadas.')),
      'CustomResourceDefinition',
    );
    const stored = (await storedCrd()) as KubernetesObject & { spec: unknown };
    expect(rendered.spec).toEqual(stored.spec);
    expect(rendered.metadata.name).toBe(stored.metadata.name);
    expect(rendered.metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
  });

  it.each([
    ['--set=crds.keep=false', false],
    ['--set=crds.keep=true', true],
  ])('keeps the CRD on uninstall only if crds.keep is true: %s', async (value, kept) => {
    const { objects } = await render([value]);
    const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(crds).toHaveLength(5);
    for (const { metadata } of crds)
      expect('helm.sh/resource-policy' in (metadata.annotations ?? {})).toBe(kept);
  });

  it('contains no CRD when installCRDs is false', async () => {
    const { objects } = await render(['--set=installCRDs=false']);
    expect(objects.map(({ kind }) => kind)).not.toContain('CustomResourceDefinition');
  });

  it('labels every object as managed by Helm, and none as managed by the operator', () => {
    for (const object of rendering.objects) {
      expect(object.metadata.labels).toMatchObject({
        ...selector,
        'app.kubernetes.io/managed-by': 'Helm',
        'app.kubernetes.io/version': version,
      });
    }
  });

  it('sets the security context of the restricted Pod Security Standard', () => {
    const pod = only<V1Deployment>(rendering.objects, 'Deployment').spec?.template.spec;
    expect(pod?.securityContext).toEqual(restrictedPod);
    expect(pod?.containers.map((one) => one.securityContext)).toEqual([restrictedContainer]);
    const kinds = pod?.volumes?.map((volume) =>
      Object.keys(volume).filter((key) => key !== 'name'),
    );
    expect(kinds).toEqual([['emptyDir'], ['emptyDir']]);
    expect(pod?.hostNetwork).toBeUndefined();
  });

  it('uses only the image of this operator', () => {
    const [container] =
      only<V1Deployment>(rendering.objects, 'Deployment').spec?.template.spec?.containers ?? [];
    expect(container?.image).toBe(defaultImage);
    expect(container?.command).toBeUndefined();
    expect(container?.args).toEqual([
      '--leader-elect-resource-namespace=karmada-system',
      '--v=2',
      `--backup-image=${defaultImage}`,
    ]);
  });

  it('grants no wildcard, no permission to grant permissions, and no permission to enter Pods', () => {
    const { rules = [] } = only<V1ClusterRole>(rendering.objects, 'ClusterRole');
    const words = rules.flatMap((rule) => [
      ...(rule.apiGroups ?? []),
      ...(rule.resources ?? []),
      ...rule.verbs,
    ]);
    for (const refused of ['*', 'rbac.authorization.k8s.io', 'escalate', 'bind', 'impersonate']) {
      expect(words).not.toContain(refused);
    }
    for (const refused of ['pods/exec', 'pods/attach', 'deletecollection']) {
      expect(words).not.toContain(refused);
    }
    const karmadas = rules.filter((rule) => rule.resources?.includes('karmadas'));
    expect(karmadas.flatMap((rule) => rule.verbs)).not.toContain('delete');
  });
});

describe('chart with all values of the Go operator’s chart', () => {
  let rendering: Rendering;
  let deployment: V1Deployment;
  beforeAll(async () => {
    rendering = await render([everyValue]);
    expect(rendering.error).toBe('');
    deployment = only<V1Deployment>(rendering.objects, 'Deployment');
  });

  it('sets image, pull policy and pull secrets', () => {
    const pod = deployment.spec?.template.spec;
    expect(pod?.containers[0]?.image).toBe(
      'registry.example.com:5000/mirror/karmada-operator-ts:1.10',
    );
    expect(pod?.containers[0]?.imagePullPolicy).toBe('Always');
    expect(pod?.imagePullSecrets).toEqual([{ name: 'shared' }, { name: 'own' }]);
  });

  it('renders labels and annotations exactly as given', () => {
    expect(deployment.metadata?.labels).toMatchObject({
      team: 'platform',
      release: 'karmada-operator',
      tier: 'control',
    });
    expect(deployment.metadata?.annotations).toEqual({ note: 'a: {b' });
    const template = deployment.spec?.template.metadata;
    expect(template?.annotations).toEqual({ lines: 'x\n- y' });
    expect(template?.labels).toMatchObject({ ...selector, network: 'closed' });
    expect(template?.labels).not.toHaveProperty('team');
    for (const { metadata } of rendering.objects) {
      expect(metadata.labels).toMatchObject({ team: 'platform' });
      expect(metadata.annotations).toEqual({ note: 'a: {b' });
    }
  });

  it('sets flags and environment', () => {
    const container = deployment.spec?.template.spec?.containers[0];
    expect(container?.args?.slice(3)).toEqual([
      '--operator-rollout-limit=25%',
      '--operator-rollout-failures=0',
      '--concurrent-karmada-syncs=10',
      '--kubeconfig={{ "x" }}: y',
    ]);
    expect(container?.env).toEqual([
      { name: 'https_proxy', value: 'http://proxy.example.com:8080' },
      { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    ]);
  });

  it('sets resources, replicas and strategy', () => {
    const spec = deployment.spec;
    expect(spec?.replicas).toBe(3);
    expect(spec?.strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 1, maxSurge: 1 },
    });
    expect(spec?.template.spec?.containers[0]?.resources).toEqual({
      requests: { cpu: '100m', memory: '128Mi' },
      limits: { memory: '512Mi' },
    });
  });

  it('sets scheduling fields', () => {
    const pod = deployment.spec?.template.spec;
    expect(pod?.priorityClassName).toBe('system-cluster-critical');
    expect(pod?.nodeSelector).toEqual({ 'kubernetes.io/os': 'linux', disk: 'ssd' });
    expect(Object.keys(pod?.affinity ?? {})).toEqual(['nodeAffinity']);
    expect(pod?.tolerations).toEqual([
      {
        key: 'dedicated',
        operator: 'Equal',
        value: 'operators',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      },
    ]);
  });

  it('uses minAvailable in the PodDisruptionBudget when maxUnavailable is also set', () => {
    const { spec } = only<V1PodDisruptionBudget>(rendering.objects, 'PodDisruptionBudget');
    expect(spec).toEqual({
      minAvailable: '50%',
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: selector },
    });
  });
});

describe('chart values', () => {
  it.each([
    [[], defaultImage],
    [['--set=karmadaOperatorImageVersion=v2'], 'localhost/karmada-operator-ts:v2'],
    [
      ['--set=operator.image.tag=v3,karmadaOperatorImageVersion=v2'],
      'localhost/karmada-operator-ts:v3',
    ],
    [['--set=operator.image.registry='], `karmada-operator-ts:${version}`],
    [[`--set=operator.image.digest=${digest}`], `${defaultImage}@${digest}`],
    [
      [
        `--set=operator.image.digest=${digest},operator.image.tag=v3,operator.image.registry=r.example`,
      ],
      `r.example/karmada-operator-ts:v3@${digest}`,
    ],
    [['--set=operator.image.digest=null'], defaultImage],
    [['--set=global.imageRegistry=r.example/'], `r.example/karmada-operator-ts:${version}`],
  ])('with %j render the image %s', async (args, image) => {
    const { objects } = await render(args);
    const pod = only<V1Deployment>(objects, 'Deployment').spec?.template.spec;
    expect(pod?.containers[0]?.image).toBe(image);
    expect(pod?.containers[0]?.args).toContain(`--backup-image=${image}`);
  });

  const REMEDY = 'push the image to a registry';
  it.each([
    [[], `operator.image.registry: nodes cannot pull ${defaultImage}; ${REMEDY}`],
    [
      ['--set=global.imageRegistry=127.0.0.1'],
      'global.imageRegistry: nodes cannot pull 127.0.0.1/',
    ],
    [
      ['--set=operator.image.registry=,operator.image.repository=localhost/a'],
      'operator.image.repository: nodes cannot pull localhost/a:',
    ],
  ])('with %j are rejected, because nodes cannot pull the image', async (args, message) => {
    const { error } = await renderChart(chart, args);
    expect(error).toContain(message);
    expect(error).toContain('set operator.image.preloaded=true');
  });

  it.each([
    ['a registry', 'operator.image.registry=r.example'],
    ['a registry at a port of each node', 'operator.image.registry=localhost:5000'],
    ['a registry of a parent chart', 'global.imageRegistry=r.example'],
    ['an image that all nodes have', 'operator.image.preloaded=true'],
  ])('allow %s', async (_, value) => {
    expect((await renderChart(chart, [`--set=${value}`])).error).toBe('');
  });

  it('prefer spreading when there are several replicas, and set no affinity for one replica', async () => {
    const affinity = async (replicas: number): Promise<unknown> => {
      const { objects } = await render([`--set=operator.replicaCount=${String(replicas)}`]);
      return only<V1Deployment>(objects, 'Deployment').spec?.template.spec?.affinity;
    };
    expect(await affinity(1)).toBeUndefined();
    const term = (weight: number, topologyKey: string): unknown => ({
      weight,
      podAffinityTerm: { topologyKey, labelSelector: { matchLabels: selector } },
    });
    expect(await affinity(2)).toEqual({
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          term(100, 'kubernetes.io/hostname'),
          term(50, 'topology.kubernetes.io/zone'),
        ],
      },
    });
  });

  it.each([
    ['logging=null', []],
    ['logging.verbosity=4', []],
    ['logging.format=text', ['--logging-format=text']],
    ['logging.format=json', []],
  ])('with %s set the flags of logs', async (value, more) => {
    const { objects } = await render([`--set=${value}`]);
    const [container] =
      only<V1Deployment>(objects, 'Deployment').spec?.template.spec?.containers ?? [];
    const verbosity = value.endsWith('=4') ? '--v=4' : '--v=2';
    expect(container?.args?.slice(1, -1)).toEqual([verbosity, ...more]);
  });

  const podWith = async (...args: string[]): Promise<V1PodSpec | undefined> => {
    const { objects, error } = await render(args);
    expect(error).toBe('');
    return only<V1Deployment>(objects, 'Deployment').spec?.template.spec;
  };

  it('leave the user to the platform when it is null', async () => {
    const pod = await podWith(
      '--set=operator.podSecurityContext.runAsUser=null',
      '--set=operator.podSecurityContext.runAsGroup=null',
      '--set=operator.securityContext.readOnlyRootFilesystem=false',
    );
    const { runAsNonRoot, seccompProfile } = restrictedPod;
    expect(pod?.securityContext).toEqual({ runAsNonRoot, seccompProfile });
    expect(pod?.containers[0]?.securityContext).toEqual({
      ...restrictedContainer,
      readOnlyRootFilesystem: false,
    });
  });

  it('add volumes, mounts, host names and spreading to those of the chart', async () => {
    const more = {
      extraVolumes: [{ name: 'ca', configMap: { name: 'company-ca' } }],
      extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/company', readOnly: true }],
      hostAliases: [{ ip: '192.0.2.1', hostnames: ['host.example.com'] }],
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    };
    const pod = await podWith(`--set-json=operator=${JSON.stringify(more)}`);
    expect(pod?.volumes?.map(({ name }) => name)).toEqual(['tmp', 'cache', 'ca']);
    expect(pod?.containers[0]?.volumeMounts?.at(-1)).toEqual(more.extraVolumeMounts[0]);
    expect(pod?.hostAliases).toEqual(more.hostAliases);
    expect(pod?.topologySpreadConstraints).toEqual(more.topologySpreadConstraints);
  });

  it.each([
    ['of another name', ['--set=serviceAccount.name=own'], ['own'], 'own'],
    ['that exists', ['--set=serviceAccount.create=false,serviceAccount.name=there'], [], 'there'],
  ])('use a ServiceAccount %s everywhere', async (_, args, created, used) => {
    const { objects } = await render(args);
    const ofKind = (kind: string): readonly KubernetesObject[] =>
      objects.filter((object) => object.kind === kind);
    expect(ofKind('ServiceAccount').map(({ metadata }) => metadata.name)).toEqual(created);
    const pod = only<V1Deployment>(objects, 'Deployment').spec?.template.spec;
    expect(pod?.serviceAccountName).toBe(used);
    const subjects = [...ofKind('ClusterRoleBinding'), ...ofKind('RoleBinding')].flatMap(
      (binding) => binding['subjects'] as { readonly name: string }[],
    );
    expect(subjects.length).toBeGreaterThan(2);
    expect([...new Set(subjects.map(({ name }) => name))]).toEqual([used]);
  });

  it('grant the permissions with a Role in each of watchNamespaces', async () => {
    const { objects } = await render(['--set=watchNamespaces={a,b}']);
    const roles = objects.filter(({ kind }) => kind === 'Role');
    const places = roles.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);
    expect(places.sort()).toEqual([
      'a/karmada-operator-karmadas',
      'b/karmada-operator-karmadas',
      'karmada-system/karmada-operator',
      'kube-system/karmada-operator',
    ]);
    const { rules = [] } = only<V1ClusterRole>(objects, 'ClusterRole');
    expect(rules.flatMap(({ resources = [] }) => resources)).not.toContain('secrets');
    expect(rules.find(({ resources }) => resources?.includes('namespaces'))).toMatchObject({
      resourceNames: ['a', 'b'],
      verbs: ['list', 'watch'],
    });
    const [container] =
      only<V1Deployment>(objects, 'Deployment').spec?.template.spec?.containers ?? [];
    expect(container?.args).toContain('--watch-namespaces=a,b');
  });

  it('grant no ClusterRole when all clusterPermissions are false', async () => {
    const names = ['customResourceDefinitions', 'leases', 'namespaces', 'nodes'];
    const all = [...names, 'persistentVolumes', 'storageClasses'];
    const values = all.map((name) => `clusterPermissions.${name}=false`).join(',');
    const { objects } = await render(['--set=watchNamespaces={a}', `--set=${values}`]);
    expect(objects.map(({ kind }) => kind)).not.toContain('ClusterRole');
    expect(objects.map(({ kind }) => kind)).not.toContain('ClusterRoleBinding');
    const [container] =
      only<V1Deployment>(objects, 'Deployment').spec?.template.spec?.containers ?? [];
    const flag = `--without-cluster-permissions=${all.map((name) => name.toLowerCase()).join(',')}`;
    expect(container?.args).toContain(flag);
  });

  it('aggregate no ClusterRole to the roles of Kubernetes by default', async () => {
    const { text } = await render();
    expect(text).not.toContain('aggregate-to-');
  });

  const reads = ['get', 'list', 'watch'];
  it.each([
    ['view', 'aggregateToView', reads],
    [
      'edit',
      'aggregateToEdit',
      [...reads, 'create', 'delete', 'deletecollection', 'patch', 'update'],
    ],
  ])(
    'aggregate all kinds of the operator to the role %s with rbac.%s',
    async (name, value, verbs) => {
      const { objects } = await render([`--set=rbac.${value}=true`]);
      const label = `rbac.authorization.k8s.io/aggregate-to-${name}`;
      const roles = objects.filter(({ metadata }) => metadata.labels?.[label] === 'true');
      expect(roles.map(({ metadata }) => metadata.name)).toEqual([
        `karmada-operator-karmadas-${name}`,
      ]);
      const { rules = [] } = only<V1ClusterRole>(roles, 'ClusterRole');
      const granted = rules.flatMap(({ apiGroups = [], resources = [] }) =>
        resources.map((resource) => `${resource}.${apiGroups.join()}`),
      );
      const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
      expect(granted.sort()).toEqual(crds.map(({ metadata }) => metadata.name).sort());
      for (const rule of rules) expect(rule.verbs).toEqual(verbs);
    },
  );

  it('annotate the ServiceAccount', async () => {
    const { objects } = await render(['--set=serviceAccount.annotations.role=arn']);
    const [account] = objects.filter(({ kind }) => kind === 'ServiceAccount');
    expect(account?.metadata.annotations).toEqual({ role: 'arn' });
  });

  it('set maxUnavailable when minAvailable is empty', async () => {
    const { objects } = await render([
      '--set=operator.pdb.enabled=true,operator.pdb.maxUnavailable=1',
      '--set-string=operator.pdb.minAvailable=',
    ]);
    const { spec } = only<V1PodDisruptionBudget>(objects, 'PodDisruptionBudget');
    expect(spec).toMatchObject({ maxUnavailable: 1 });
    expect(spec).not.toHaveProperty('minAvailable');
  });

  it.each([
    ['operator.replicaCount=two', "'/operator/replicaCount': got string, want integer"],
    ['operator.replicas=2', "'/operator': additional properties 'replicas' not allowed"],
    ['installCRDs=maybe', "'/installCRDs': got string, want boolean"],
    ['operator.image.pullPolicy=Sometimes', "'/operator/image/pullPolicy': value must be one of"],
    ['operator.image.repository=', "'/operator/image/repository': minLength"],
    [
      'operator.image.digest=sha256:12',
      "'/operator/image/digest': 'sha256:12' does not match pattern",
    ],
    ['operator.image.digest=v3', "'/operator/image/digest': 'v3' does not match pattern"],
    ['operator.pdb.minAvailable=half', "'half' does not match pattern"],
    [
      'metrics.prometheusRule.runbookURL=docs',
      "'/metrics/prometheusRule/runbookURL': 'docs' does not",
    ],
    ['logging.format=xml', "'/logging/format': value must be one of"],
    ['operator.env[0].value=x', "'/operator/env/0': missing property 'name'"],
    [
      'operator.pdb.enabled=true,operator.pdb.minAvailable=',
      'both operator.pdb.minAvailable and operator.pdb.maxUnavailable are empty: set one of them',
    ],
  ])('are rejected with the name of the value when %s is set', async (value, message) => {
    const { error } = await render([`--set=${value}`]);
    expect(error).toContain(message);
  });
});

describe('config/deploy', () => {
  it('contains what the chart renders, and the chart contains the CRD of crds/', async () => {
    const old = await stale(await generated());
    expect(old.map((path) => `${path}: run node scripts/run.mjs scripts/deploy.ts`)).toEqual([]);
  });
});
