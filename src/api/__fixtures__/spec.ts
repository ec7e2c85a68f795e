/** Specs for property tests: every kind of field, with plain, border and hostile values. */
import fc from 'fast-check';
import { codePoint } from '../../../test/harness/code-point.ts';
import type { Components, Karmada, KarmadaSpec } from '../karmada.ts';
import { API_VERSION, KIND } from '../karmada.ts';
import { ALL_SELECTABLE } from '../defaults/pod-settings.ts';

/** Texts that break careless code, and some that are right somewhere. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    'a: {b',
    'x\n- y',
    '{{spec}}',
    '!!js/function',
    '"quoted"',
    '__proto__',
    'constructor',
    'v1.17.1',
    'v1.34.3',
    'latest',
    'docker.io/karmada/karmada-webhook',
    'app.kubernetes.io/name',
    '10.96.0.0/12',
    'https://example.com:2379',
    '*.example.com',
    '500m',
    '50%',
  ),
  fc.string({ unit: codePoint, maxLength: 12 }),
  fc.string({ maxLength: 80 }),
);

const textMap = fc.dictionary(anyText, anyText, { maxKeys: 3 });
const gates = fc.dictionary(anyText, fc.boolean(), { maxKeys: 3 });
const texts = fc.array(anyText, { maxLength: 3 });
const count = fc.integer({ min: -1, max: 5 });
const bound = fc.oneof(count, anyText);
const toleration = fc.record({ key: anyText, operator: fc.constant('Exists') });
const resources = fc.record({ limits: textMap, requests: textMap }, { requiredKeys: [] });

const common = {
  imageRepository: anyText,
  imageTag: anyText,
  imagePullPolicy: fc.constantFrom('Always', 'IfNotPresent', 'Never'),
  replicas: count,
  labels: textMap,
  annotations: textMap,
  resources,
  priorityClassName: anyText,
  podDisruptionBudgetConfig: fc.record(
    { minAvailable: bound, maxUnavailable: bound },
    { requiredKeys: [] },
  ),
  tolerations: fc.array(toleration, { maxLength: 2 }),
  nodeSelector: textMap,
};

const placement = { resources, priorityClassName: anyText, tolerations: common.tolerations };
const own = { extraArgs: textMap, featureGates: gates, certSANs: texts, controllers: texts };
const component = fc.record({ ...common, ...own }, { requiredKeys: [] });
const addon = fc.record({ ...common, ...own, enabled: fc.boolean() }, { requiredKeys: [] });

const volumeData = fc.record(
  {
    emptyDir: fc.record({ sizeLimit: anyText }, { requiredKeys: [] }),
    hostPath: fc.record({ path: anyText }),
    volumeClaim: fc.record({
      spec: fc.record({ accessModes: texts, resources }, { requiredKeys: [] }),
    }),
  },
  { requiredKeys: [] },
);

const persistentVolumeClaimRetentionPolicy = fc.record(
  {
    whenDeleted: fc.constantFrom<'Retain' | 'Delete'>('Retain', 'Delete'),
    whenScaled: fc.constantFrom<'Retain' | 'Delete'>('Retain', 'Delete'),
  },
  { requiredKeys: [] },
);

const reference = fc.record({ name: anyText, namespace: anyText }, { requiredKeys: [] });

const etcd = fc.record(
  {
    local: fc.record(
      {
        ...common,
        volumeData,
        persistentVolumeClaimRetentionPolicy,
        replacementGracePeriod: anyText,
        serverCertSANs: texts,
        quotaBackendBytes: fc.integer(),
        autoCompactionMode: fc.constantFrom('periodic', 'revision'),
        autoCompactionRetention: anyText,
        heartbeatIntervalMilliseconds: fc.integer(),
        electionTimeoutMilliseconds: fc.integer(),
        extraArgs: textMap,
        peerCertSANs: texts,
      },
      { requiredKeys: [] },
    ),
    external: fc.record({ endpoints: texts, secretRef: reference }),
  },
  { requiredKeys: [] },
);

const components = fc.record(
  {
    etcd,
    karmadaAPIServer: fc.record(
      {
        ...common,
        ...own,
        serviceType: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer'),
        serviceSubnet: anyText,
        loadBalancerClass: anyText,
        serviceAnnotations: textMap,
      },
      { requiredKeys: [] },
    ),
    karmadaAggregatedAPIServer: component,
    kubeControllerManager: component,
    karmadaControllerManager: component,
    karmadaScheduler: component,
    karmadaWebhook: component,
    karmadaDescheduler: addon,
    karmadaSearch: addon,
    karmadaSchedulerEstimator: fc.record(
      { ...common, ...own, enabled: fc.boolean(), clusters: texts },
      { requiredKeys: [] },
    ),
    karmadaMetricsAdapter: addon,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Components>;

const podSettings = fc.array(
  fc.record(
    {
      components: fc.array(fc.constantFrom(...ALL_SELECTABLE), { maxLength: 3 }),
      nodeSelector: textMap,
      env: fc.array(fc.record({ name: anyText, value: anyText }), { maxLength: 2 }),
      topologySpreadConstraints: fc.array(
        fc.record({
          maxSkew: count,
          topologyKey: anyText,
          whenUnsatisfiable: fc.constant('ScheduleAnyway'),
          labelSelector: fc.record({ matchLabels: textMap }, { requiredKeys: [] }),
          matchLabelKeys: texts,
        }),
        { maxLength: 2 },
      ),
      securityContext: fc.record(
        { runAsUser: count, runAsNonRoot: fc.boolean(), privileged: fc.boolean() },
        { requiredKeys: [] },
      ),
      runtimeClassName: anyText,
      ...placement,
    },
    { requiredKeys: [] },
  ),
  { maxLength: 3 },
);

/** Any spec the CRD lets through, and some it does not; most are refused by `validate`. */
export const anySpec: fc.Arbitrary<KarmadaSpec> = fc.record(
  {
    hostCluster: fc.record(
      {
        apiEndpoint: anyText,
        secretRef: reference,
        networking: fc.record({ dnsDomain: anyText }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
    privateRegistry: fc.record({ registry: anyText }),
    imagePullSecrets: fc.array(fc.record({ name: anyText }), { maxLength: 3 }),
    components,
    podSettings,
    featureGates: gates,
    crdTarball: fc.record(
      { httpSource: fc.record({ url: anyText, proxy: fc.record({ proxyURL: anyText }) }) },
      { requiredKeys: [] },
    ),
    customCertificate: fc.record(
      { apiServerCACert: reference, leafCertValidityDays: count },
      { requiredKeys: [] },
    ),
    suspend: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** A spec from few, right values, so that most of them are accepted. */
export const plainSpec: fc.Arbitrary<KarmadaSpec> = fc.record(
  {
    privateRegistry: fc.record({ registry: fc.constantFrom('registry.example:5000', 'mirror/a/') }),
    imagePullSecrets: fc.constantFrom([], [{ name: 'registry' }, { name: 'mirror.example' }]),
    components: fc.record(
      {
        etcd: fc.record(
          {
            local: fc.record(
              {
                replicas: fc.constantFrom(1, 2, 3),
                imageTag: fc.constantFrom('', '3.6.6-0', '3.5.16-0'),
                volumeData: fc.constantFrom({}, { emptyDir: {} }, { hostPath: { path: '/data' } }),
              },
              { requiredKeys: [] },
            ),
          },
          { requiredKeys: [] },
        ),
        karmadaAPIServer: plainComponent(['v1.34.3', 'v1.35.4', 'latest']),
        kubeControllerManager: plainComponent(['v1.34.3', 'v1.35.4']),
        karmadaScheduler: plainComponent(['v1.16.0', 'v1.17.1', '1.17.1@sha256:' + 'a'.repeat(64)]),
        karmadaSearch: plainComponent(['v1.16.0']),
        karmadaMetricsAdapter: plainComponent([]),
      },
      { requiredKeys: [] },
    ),
    suspend: fc.boolean(),
  },
  { requiredKeys: [] },
);

function plainComponent(tags: readonly string[]): fc.Arbitrary<object> {
  return fc.record(
    {
      imageTag: fc.constantFrom('', ...tags),
      imageRepository: fc.constantFrom('', 'registry.example/karmada/karmada-scheduler'),
      replicas: fc.constantFrom(1, 2),
      priorityClassName: fc.constantFrom('', 'system-cluster-critical'),
      labels: fc.constantFrom({}, { team: 'a' }),
    },
    { requiredKeys: [] },
  );
}

/** A Karmada around a spec. */
export function karmadaOf(spec?: KarmadaSpec, name = 'demo'): Karmada {
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name, namespace: 'test' },
    ...(spec && { spec }),
  };
}
