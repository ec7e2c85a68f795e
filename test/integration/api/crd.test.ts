import { request } from 'node:https';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ACCEPTED as USED } from '../../../src/api/__fixtures__/accepted.ts';
import { defaultSpec } from '../../../src/api/defaults/defaults.ts';
import type { Karmada, KarmadaSpec } from '../../../src/api/karmada.ts';
import { DEFAULTS_FIELD_MANAGER } from '../../../src/api/karmada.ts';
import { defaultsPatch } from '../../../src/api/defaults/managed-defaults.ts';
import { validate } from '../../../src/api/validation/validation.ts';
import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';

interface Answer {
  readonly code: number;
  readonly body: { readonly message?: string; readonly [field: string]: unknown };
  readonly warning: string;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
}

type Fields = Readonly<Record<string, unknown>>;

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const KARMADAS = '/apis/operator.karmada.io/v1alpha1/namespaces/default/karmadas';

let server: ApiServer;

function call({ method, path, body, type = 'application/json' }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}${path}`,
      { method, ca: server.caData, ...server.admin, headers: { 'content-type': type } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const warning = String(response.headers['warning'] ?? '');
          const json = text.startsWith('{')
            ? (JSON.parse(text) as Answer['body'])
            : { message: text };
          resolve({ code: response.statusCode ?? 0, body: json, warning });
        });
      },
    );
    sent.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Calls `ask` until `accept` is true; after the deadline, throws an error with the last response. */
async function until(ask: () => Promise<Answer>, accept: (a: Answer) => boolean): Promise<Answer> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const answer = await ask();
    if (accept(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`condition not met in time, last response: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function condition(crd: Answer, type: string): string | undefined {
  const status = crd.body['status'] as { conditions?: { type: string; status: string }[] };
  return status?.conditions?.find((one) => one.type === type)?.status;
}

async function installCrd(crd: object): Promise<Answer> {
  const created = await call({ method: 'POST', path: CRDS, body: crd });
  if (created.code !== 201)
    throw new Error(`the API server rejects the CRD: ${created.body.message}`);
  const path = `${CRDS}/${karmadaCrd.metadata.name}`;
  await until(
    () => call({ method: 'GET', path }),
    (answer) => condition(answer, 'Established') === 'True',
  );
  await until(
    () => call({ method: 'GET', path: KARMADAS }),
    (answer) => answer.code === 200,
  );
  return created;
}

async function removeCrd(): Promise<void> {
  const path = `${CRDS}/${karmadaCrd.metadata.name}`;
  await call({ method: 'DELETE', path });
  await until(
    () => call({ method: 'GET', path }),
    (answer) => answer.code === 404,
  );
}

function karmada(name: string, spec?: unknown): Fields {
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name },
    ...(spec === undefined ? {} : { spec }),
  };
}

let serial = 0;
function freshName(): string {
  serial += 1;
  return `it-${serial}`;
}

const RULES = new Set([
  'x-kubernetes-validations',
  'enum',
  'pattern',
  'oneOf',
  'anyOf',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
]);

/** CRD without validation rules, to store objects that the current rules reject. */
function withoutRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRules);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !RULES.has(key));
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutRules(part)]));
}

const PULLED = { imageRepository: 'registry.example/karmada/x', imageTag: 'v1.17.1' };
const CONTAINER = {
  name: 'kms',
  image: 'registry.example/kms:v1',
  args: ['--listen=unix:///var/run/kms.sock'],
  env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
  ports: [{ containerPort: 8080 }, { containerPort: 8080, protocol: 'UDP' }],
  volumeMounts: [{ name: 'kms', mountPath: '/var/run' }],
  livenessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 10 },
  resources: { limits: { cpu: 1, memory: '128Mi' }, requests: { cpu: '100m' } },
};
const SPREAD = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' };
const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } };
const CLAIM_VOLUME = { volumeClaim: { metadata: { labels: { a: 'b' } }, spec: CLAIM } };

/** Objects that upstream's API server accepts, and some that it rejects by mistake. */
const ACCEPTED: readonly (readonly [string, unknown])[] = [
  ['no spec', undefined],
  ['an empty spec', {}],
  ['empty components', { components: {} }],
  ['components without etcd', { components: { karmadaSearch: {}, karmadaDescheduler: {} } }],
  ['local etcd without settings', { components: { etcd: { local: {} } } }],
  ['a volumeClaim', { components: { etcd: { local: { volumeData: CLAIM_VOLUME } } } }],
  [
    'a volumeClaim next to the emptyDir that upstream stores as default',
    { components: { etcd: { local: { volumeData: { ...CLAIM_VOLUME, emptyDir: {} } } } } },
  ],
  [
    'hostPath and three etcd members',
    { components: { etcd: { local: { replicas: 3, volumeData: { hostPath: { path: '/d' } } } } } },
  ],
  [
    'an API server with all fields',
    {
      components: {
        etcd: { local: {} },
        karmadaAPIServer: {
          ...PULLED,
          replicas: 2,
          serviceType: 'LoadBalancer',
          loadBalancerClass: 'example.com/internal-vip',
          serviceAnnotations: { a: 'b' },
          serviceSubnet: '10.64.0.0/12',
          certSANs: ['api.example.com', '10.0.0.1'],
          extraArgs: { 'audit-log-path': '-' },
          featureGates: { SizeMemoryStore: true },
          extraVolumes: [{ name: 'kms', emptyDir: { sizeLimit: '1Gi' } }],
          extraVolumeMounts: [{ name: 'kms', mountPath: '/kms' }],
          sidecarContainers: [CONTAINER],
          tolerations: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' }],
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 1,
                  podAffinityTerm: {
                    topologyKey: 'kubernetes.io/hostname',
                    labelSelector: { matchLabels: { a: 'b' } },
                  },
                },
              ],
            },
          },
          nodeSelector: { 'example.com/pool': 'a' },
          topologySpreadConstraints: [SPREAD, { ...SPREAD, whenUnsatisfiable: 'DoNotSchedule' }],
          podDisruptionBudgetConfig: { minAvailable: '50%' },
          resources: { requests: { cpu: '500m', memory: '1e9' } },
          labels: { team: 'a' },
          annotations: { note: 'a: {b' },
        },
      },
    },
  ],
  [
    'a remote host cluster with Service type ClusterIP',
    { hostCluster: { secretRef: { namespace: 'default', name: 'host' } } },
  ],
  [
    'a remote host cluster, an archive through a proxy, certificates, feature gates and suspend',
    {
      suspend: false,
      featureGates: { Failover: true },
      hostCluster: {
        apiEndpoint: 'https://10.0.0.1:6443',
        secretRef: { namespace: 'default', name: 'host' },
        networking: { dnsDomain: 'example.internal' },
      },
      privateRegistry: { registry: 'registry.example' },
      imagePullSecrets: [{ name: 'registry-credentials' }],
      components: { karmadaAPIServer: { serviceType: 'NodePort' } },
      crdTarball: {
        httpSource: { url: 'http://local', proxy: { proxyURL: 'http://proxy:3128' } },
        crdDownloadPolicy: 'Always',
      },
      customCertificate: {
        apiServerCACert: { name: 'ca', namespace: 'default' },
        leafCertValidityDays: 1,
      },
    },
  ],
  [
    'all settings of Pods',
    {
      podSettings: [
        { nodeSelector: { 'example.com/pool': 'a' } },
        {
          components: ['etcd', 'karmadaAPIServer', 'karmadaSchedulerEstimator', 'backups'],
          nodeSelector: {},
          tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
          affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
          priorityClassName: 'control-plane',
          resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi' } },
          topologySpreadConstraints: [
            { ...SPREAD, matchLabelKeys: ['pod-template-hash'] },
            {
              ...SPREAD,
              whenUnsatisfiable: 'DoNotSchedule',
              minDomains: 2,
              nodeAffinityPolicy: 'Honor',
              nodeTaintsPolicy: 'Ignore',
              labelSelector: { matchLabels: { a: 'b' } },
            },
          ],
          env: [
            { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
            { name: 'A', valueFrom: { secretKeyRef: { name: 'a', key: 'b', optional: true } } },
          ],
          podSecurityContext: {
            fsGroup: 1,
            fsGroupChangePolicy: 'Always',
            supplementalGroups: [2],
            sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }],
            seLinuxOptions: { level: 's0' },
          },
          securityContext: {
            runAsUser: 1000,
            runAsGroup: 1000,
            readOnlyRootFilesystem: true,
            capabilities: { add: ['NET_BIND_SERVICE'] },
            seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' },
            appArmorProfile: { type: 'RuntimeDefault' },
          },
          runtimeClassName: 'gvisor',
        },
      ],
    },
  ],
  [
    'the other components with all fields',
    {
      components: {
        karmadaAggregatedAPIServer: {
          ...PULLED,
          certSANs: ['a'],
          featureGates: { Failover: true },
        },
        kubeControllerManager: { controllers: ['namespace', '-ttl'], extraArgs: { v: '2' } },
        karmadaControllerManager: { controllers: ['*'], featureGates: { Failover: false } },
        karmadaScheduler: { extraArgs: { v: '2' }, replicas: 0 },
        karmadaWebhook: { extraArgs: {}, podDisruptionBudgetConfig: { maxUnavailable: 1 } },
        karmadaMetricsAdapter: { extraArgs: { v: '2' }, resources: {} },
      },
    },
  ],
];

/** Uses of Kubernetes types that a rule can easily reject by mistake. */
const ALLOWED: readonly (readonly [string, unknown])[] = [
  ['a label expression with values', selecting('NotIn', ['a', 'b'])],
  ['a label expression without values', selecting('Exists')],
  ['a label expression with an empty list of values', selecting('DoesNotExist', [])],
  ['a node expression that compares values', onNodes('Gt', ['1'])],
  ['a node expression with several values', onNodes('In', ['a', 'b'])],
  ['a node expression without values', onNodes('DoesNotExist')],
  [
    'requests up to their limits, as numbers and as strings',
    {
      components: {
        karmadaWebhook: {
          resources: {
            requests: { cpu: 1, memory: '1Gi', 'ephemeral-storage': 5, 'example.com/gpu': '2' },
            limits: { cpu: '1000m', memory: 2 ** 30, 'ephemeral-storage': 5, 'example.com/gpu': 2 },
          },
        },
      },
    },
  ],
  [
    'Pod settings that the restricted default does not allow, where the user allows them',
    withPods({
      securityContext: {
        privileged: true,
        allowPrivilegeEscalation: true,
        runAsUser: 0,
        runAsNonRoot: false,
      },
    }),
  ],
  ['variables whose names only resemble reserved ones', withPods({ env: [{ name: 'XETCD_A' }] })],
  [
    'host aliases and DNS settings of both IP families',
    withPods({
      hostAliases: [{ ip: '::FFFF:10.0.0.1', hostnames: ['a.example.com'] }, { ip: '10.0.0.1' }],
      dnsConfig: { nameservers: ['fd00::1', '10.0.0.10'], searches: ['example.com'] },
    }),
  ],
];

const apiServer = (karmadaAPIServer: Fields): Fields => ({ components: { karmadaAPIServer } });

/** Pod settings: one entry. */
function withPods(entry: Fields): Fields {
  return { podSettings: [{ components: ['etcd', 'karmadaWebhook'], ...entry }] };
}

function expressions(operator: string, values?: readonly string[]): Fields {
  return { matchExpressions: [{ key: 'a', operator, ...(values && { values }) }] };
}

function withAffinity(affinity: Fields): Fields {
  return { components: { karmadaWebhook: { affinity } } };
}

/** Pod affinity with a label expression. */
function selecting(operator: string, values?: readonly string[]): Fields {
  const labelSelector = expressions(operator, values);
  const requiredDuringSchedulingIgnoredDuringExecution = [{ topologyKey: 'a', labelSelector }];
  return withAffinity({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution } });
}

/** Node affinity with a label expression. */
function onNodes(operator: string, values?: readonly string[]): Fields {
  const nodeSelectorTerms = [expressions(operator, values)];
  const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms };
  return withAffinity({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } });
}

const GONE = { extraVolumeMounts: [{ name: 'gone', mountPath: '/a' }] };

const REFUSED: readonly (readonly [string, unknown, string])[] = [
  ...['POD_IP', 'KARMADA_ETCD_NAME', 'ETCD_FORCE_NEW_CLUSTER'].map(
    (reserved) =>
      [
        `the environment variable ${reserved}`,
        withPods({ env: [{ name: reserved, value: 'true' }] }),
        'POD_IP, KARMADA_ETCD_* and ETCD_* are reserved',
      ] as const,
  ),
  [
    'the same environment variable twice in an entry',
    withPods({ env: [{ name: 'A' }, { name: 'A' }] }),
    'Duplicate value',
  ],
  [
    'Pod settings of an unknown component',
    withPods({ components: ['webhook'] }),
    'Unsupported value: "webhook"',
  ],
  ['Pod settings of no component', withPods({ components: [] }), 'should have at least 1 items'],
  [
    'a host alias without an IP address',
    withPods({ hostAliases: [{ ip: '10.0.0.256', hostnames: ['a.example.com'] }] }),
    'hostAliases and dnsConfig.nameservers must have IP addresses',
  ],
  [
    'a name server without an IP address',
    withPods({ dnsConfig: { nameservers: ['10.0.0.1', 'fd00:::1'] } }),
    'hostAliases and dnsConfig.nameservers must have IP addresses',
  ],
  [
    'a privileged container without privilege escalation',
    withPods({ securityContext: { privileged: true } }),
    'require allowPrivilegeEscalation: true',
  ],
  [
    'a root user without permission',
    withPods({ securityContext: { runAsUser: 0 } }),
    'runAsUser 0 requires runAsNonRoot: false',
  ],
  [
    'minDomains without DoNotSchedule',
    withPods({ topologySpreadConstraints: [{ ...SPREAD, minDomains: 2 }] }),
    'minDomains requires whenUnsatisfiable: DoNotSchedule',
  ],
  [
    'two topology spread constraints of the same kind',
    withPods({ topologySpreadConstraints: [SPREAD, SPREAD] }),
    'Duplicate value',
  ],
  [
    'an invalid node label',
    withPods({ nodeSelector: { 'a b': 'c' } }),
    'keys must be [prefix/]name',
  ],
  [
    'a mount of an undeclared volume',
    apiServer(GONE),
    'each name must be that of an entry of extraVolumes',
  ],
  [
    'a volume with a name that the operator uses',
    apiServer({ extraVolumes: [{ name: 'apiserver-cert', emptyDir: {} }] }),
    'volume names must be unique, and must not be apiserver-cert',
  ],
  [
    'a volume with two sources',
    apiServer({ extraVolumes: [{ name: 'a', emptyDir: {}, hostPath: { path: '/a' } }] }),
    'exactly one volume source',
  ],
  [
    'a mount of a block device in a container without that device',
    apiServer({
      sidecarContainers: [{ ...CONTAINER, volumeDevices: [{ name: 'kms', devicePath: '/d' }] }],
    }),
    'sidecarContainers: each volume',
  ],
  [
    'a resource request above its limit',
    {
      components: {
        karmadaWebhook: { resources: { requests: { cpu: 2 }, limits: { cpu: '1999m' } } },
      },
    },
    'requests must not exceed limits',
  ],
  [
    'a request of an extended resource without limit',
    { components: { karmadaWebhook: { resources: { requests: { 'example.com/gpu': 1 } } } } },
    'karmadaWebhook.resources: Invalid value: requests must not exceed limits; only cpu',
  ],
  [
    'a label expression without values when its operator requires values',
    selecting('In'),
    "matchExpressions[0].operator in body should match 'Exist'",
  ],
  [
    'a label expression with an empty list of values when its operator requires values',
    selecting('NotIn', []),
    'matchExpressions[0].values',
  ],
  [
    'a label expression with values when its operator allows none',
    selecting('DoesNotExist', ['a']),
    'labelSelector.matchExpressions[0]" must validate one and only one schema',
  ],
  [
    'a node label operator in a Pod label expression',
    selecting('Gt', ['1']),
    'matchExpressions[0].operator: Unsupported value: "Gt"',
  ],
  [
    'a comparison with two values',
    onNodes('Gt', ['1', '2']),
    'matchExpressions[0].values: Too many: 2: must have at most 1 item',
  ],
  ['a comparison with no value', onNodes('Lt', []), 'matchExpressions[0].values'],
  [
    'an unknown label operator',
    onNodes('in', ['a']),
    'matchExpressions[0].operator: Unsupported value: "in"',
  ],
  [
    'an instance label with the name of another Karmada',
    { components: { karmadaWebhook: { labels: { 'app.kubernetes.io/instance': 'other' } } } },
    'must be the name of the Karmada; remove the label',
  ],
  [
    'a number of replicas above 32 bits',
    { components: { karmadaWebhook: { replicas: 2 ** 31 } } },
    'less than or equal to 2147483647',
  ],
  [
    'more than 99 etcd members',
    { components: { etcd: { local: { replicas: 100 } } } },
    'less than or equal to 99',
  ],
  [
    'a flag of etcd that belongs to the operator',
    { components: { etcd: { local: { extraArgs: { 'peer-auto-tls': 'true' } } } } },
    'and those of membership, data, addresses and TLS, are rejected',
  ],
  [
    'a flag of etcd that has a field',
    { components: { etcd: { local: { extraArgs: { 'quota-backend-bytes': '1' } } } } },
    'flags with a field',
  ],
  [
    'an election timeout below five heartbeat intervals',
    {
      components: {
        etcd: {
          local: { heartbeatIntervalMilliseconds: 200, electionTimeoutMilliseconds: 999 },
        },
      },
    },
    'at least 5 times heartbeatIntervalMilliseconds',
  ],
  [
    'an etcd compaction without retention',
    { components: { etcd: { local: { autoCompactionMode: 'periodic' } } } },
    'set autoCompactionMode and autoCompactionRetention',
  ],
  [
    'a duration as number of revisions',
    {
      components: {
        etcd: { local: { autoCompactionMode: 'revision', autoCompactionRetention: '1h' } },
      },
    },
    'must be a number of revisions',
  ],
  [
    'local and external etcd',
    {
      components: {
        etcd: { local: {}, external: { endpoints: ['https://a'], secretRef: { name: 'x' } } },
      },
    },
    'spec.components.etcd: Forbidden: local and external are mutually exclusive',
  ],
  [
    'an archive without source',
    { crdTarball: {} },
    'exactly one of httpSource, configMapRef and secretRef must be set',
  ],
  [
    'an archive with two sources',
    { crdTarball: { httpSource: { url: 'http://a' }, secretRef: { name: 'a' } } },
    'exactly one of httpSource, configMapRef and secretRef must be set',
  ],
  [
    'an archive with a file URL',
    { crdTarball: { httpSource: { url: 'file:///crds.tar.gz' } } },
    'must be an http:// or https:// URL',
  ],
  [
    'an invalid SHA-256',
    { crdTarball: { httpSource: { url: 'http://a', sha256: 'abc' } } },
    'spec.crdTarball.httpSource.sha256',
  ],
  [
    'a CA that is not base64',
    { crdTarball: { httpSource: { url: 'http://a', caBundle: '-----' } } },
    'spec.crdTarball.httpSource.caBundle',
  ],
  ['a ConfigMap without a name', { crdTarball: { configMapRef: {} } }, 'configMapRef.name'],
  [
    'a key that is a path',
    { crdTarball: { secretRef: { name: 'a', key: 'b/c' } } },
    'secretRef.key',
  ],
  [
    'an unknown download policy',
    { crdTarball: { httpSource: { url: 'http://a' }, crdDownloadPolicy: 'No' } },
    'Unsupported value: "No"',
  ],
  [
    'emptyDir and hostPath',
    { components: { etcd: { local: { volumeData: { emptyDir: {}, hostPath: { path: '/d' } } } } } },
    'emptyDir and hostPath are mutually exclusive',
  ],
  [
    'negative replicas',
    { components: { karmadaWebhook: { replicas: -1 } } },
    'greater than or equal to 0',
  ],
  [
    'zero etcd members',
    { components: { etcd: { local: { replicas: 0 } } } },
    'greater than or equal to 1',
  ],
  [
    'a disruption budget with neither minAvailable nor maxUnavailable',
    { components: { karmadaWebhook: { podDisruptionBudgetConfig: {} } } },
    'either minAvailable or maxUnavailable must be set',
  ],
  [
    'a disruption budget with minAvailable and maxUnavailable',
    {
      components: {
        karmadaWebhook: { podDisruptionBudgetConfig: { minAvailable: 1, maxUnavailable: 1 } },
      },
    },
    'minAvailable and maxUnavailable are mutually exclusive',
  ],
  [
    'an external etcd without Secret name',
    { components: { etcd: { external: { endpoints: ['https://a'], secretRef: {} } } } },
    'name of the Secret with the etcd client certificate',
  ],
  [
    'an external etcd without endpoints',
    { components: { etcd: { external: { endpoints: [], secretRef: { name: 'x' } } } } },
    'should have at least 1 items',
  ],
  [
    'a certificate validity of 0 days',
    { customCertificate: { leafCertValidityDays: 0 } },
    'greater than or equal to 1',
  ],
  [
    'an unknown Service type',
    { components: { karmadaAPIServer: { serviceType: 'X' } } },
    'Unsupported value: "X"',
  ],
  [
    'an invalid quantity',
    { components: { karmadaWebhook: { resources: { limits: { cpu: 'a b' } } } } },
    'should match',
  ],
  [
    'a volume without name',
    { components: { karmadaAPIServer: { extraVolumes: [{}] } } },
    'Required value',
  ],
  [
    'a mount with a name of the wrong type',
    { components: { karmadaAPIServer: { extraVolumeMounts: [{ name: 1, mountPath: '/a' }] } } },
    'must be of type string',
  ],
];

const L34 = 'a'.repeat(34);
const L42 = `karmada${'a'.repeat(35)}`;
const NAMES: readonly (readonly [string, boolean])[] = [
  [L34, true],
  [`${L34}a`, false],
  [L42, true],
  [`${L42}a`, false],
  ['a.b', false],
  ['karmada', true],
  ['demo-2', true],
  ['2-demo', false],
];

function patchSpec(name: string, patch: unknown): Promise<Answer> {
  const path = `${KARMADAS}/${name}`;
  return call({ method: 'PATCH', path, body: patch, type: 'application/merge-patch+json' });
}

function patchStatus(name: string, status: unknown): Promise<Answer> {
  const path = `${KARMADAS}/${name}/status`;
  return call({ method: 'PATCH', path, body: { status }, type: 'application/merge-patch+json' });
}

async function create(name: string, spec?: unknown): Promise<Answer> {
  const answer = await call({
    method: 'POST',
    path: `${KARMADAS}?fieldValidation=Strict`,
    body: karmada(name, spec),
  });
  return answer;
}

/** Status that upstream's operator stores for a working control plane. */
const UPSTREAM_STATUS = {
  secretRef: { namespace: 'default', name: 'x-karmada-admin-config' },
  apiServerService: { name: 'x-karmada-apiserver' },
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Completed',
      message: 'karmada init job is completed',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
};

const external: Fields = {
  endpoints: ['https://10.0.0.1:2379'],
  secretRef: { name: 'etcd-client', namespace: 'storage' },
};

const volume = (kinds: unknown): Fields => ({
  spec: { components: { etcd: { local: { volumeData: kinds } } } },
});

beforeAll(async () => {
  server = await startApiServer();
});

afterAll(async () => {
  await server?.stop();
});

describe('CRD on a real API server', () => {
  beforeAll(async () => {
    const created = await installCrd(karmadaCrd);
    expect(created.body['message'] ?? '').toBe('');
    expect(created.code).toBe(201);
    expect(created.warning).toBe('');
  });

  it('is structural, and its validation rules are within their cost limit', async () => {
    const crd = await call({ method: 'GET', path: `${CRDS}/${karmadaCrd.metadata.name}` });
    expect(condition(crd, 'Established')).toBe('True');
    expect(condition(crd, 'NonStructuralSchema')).toBeUndefined();
    expect(condition(crd, 'NamesAccepted')).toBe('True');
  });

  it.each(ACCEPTED)('accepts an object with %s and its updates', async (_what, spec) => {
    const name = freshName();
    const created = await create(name, spec);
    expect(created.body['message']).toBeUndefined();
    expect(created.code).toBe(201);
    const updated = await patchSpec(name, { spec: { suspend: true } });
    expect(updated.code).toBe(200);
    const status = await patchStatus(name, UPSTREAM_STATUS);
    expect(status.body['message']).toBeUndefined();
    const again = await patchSpec(name, { spec: { suspend: false } });
    expect(again.body['message']).toBeUndefined();
  });

  it.each(ALLOWED)('accepts %s', async (_what, spec) => {
    const created = await create(freshName(), spec);
    expect([created.code, created.body.message]).toEqual([201, undefined]);
  });

  it('replaces a selector in a list item when another field manager applies the list', async () => {
    const name = freshName();
    const path = `${KARMADAS}/${name}?force=true&fieldManager=`;
    for (const manager of ['first', 'second']) {
      const term = { topologyKey: 'a', labelSelector: { matchLabels: { [manager]: 'a' } } };
      const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
      const applied = await call({
        method: 'PATCH',
        path: path + manager,
        body: karmada(name, withAffinity({ podAffinity })),
        type: 'application/apply-patch+yaml',
      });
      expect(applied.body.message).toBeUndefined();
      expect(applied.body['spec']).toMatchObject(withAffinity({ podAffinity }));
      expect(JSON.stringify(applied.body['spec'])).not.toContain(
        manager === 'first' ? 'second' : 'first',
      );
    }
  });

  it.each(USED)(
    'accepts a spec with %s, and the same spec with all defaults',
    async (_what, spec) => {
      const name = freshName();
      const created = await create(name, spec);
      expect(created.body.message).toBeUndefined();
      const defaulted = defaultSpec(spec, { defaultStorageClass: true });
      const path = `${KARMADAS}/${name}?fieldValidation=Strict`;
      const body = { ...created.body, spec: defaulted };
      const updated = await call({ method: 'PUT', path, body });
      expect(updated.body.message).toBeUndefined();
      expect(updated.body['spec']).toEqual(defaulted);
    },
  );

  it.each(REFUSED)('rejects %s', async (_what, spec, message) => {
    const answer = await create(freshName(), spec);
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain(message);
  });

  it.each(NAMES)('validates the name %s (accepted: %s)', async (name, accepted) => {
    const answer = await create(name);
    expect([answer.code, answer.body.message]).toEqual([
      accepted ? 201 : 422,
      accepted ? undefined : expect.stringContaining('metadata.name'),
    ]);
  });

  it('accepts an external etcd with any Secret, and rejects a switch to local etcd', async () => {
    const name = freshName();
    expect((await create(name, { components: { etcd: { external } } })).code).toBe(201);
    const moved = await patchSpec(name, {
      spec: { components: { etcd: { external: null, local: {} } } },
    });
    expect(moved.body.message).toContain(
      'spec.components.etcd: Forbidden: cannot switch between local and external',
    );
    const dropped = await patchSpec(name, { spec: { components: null } });
    expect(dropped.body.message).toContain(
      'spec.components.etcd: Forbidden: cannot switch between local and external',
    );
    const other = await patchSpec(name, {
      spec: { components: { etcd: { external: { endpoints: ['https://b:2379'] } } } },
    });
    expect(other.code).toBe(200);
  });

  it('rejects a switch to external etcd when local etcd is set or defaulted', async () => {
    for (const spec of [undefined, {}, { components: { etcd: { local: {} } } }]) {
      const name = freshName();
      expect((await create(name, spec)).code).toBe(201);
      const moved = await patchSpec(name, {
        spec: { components: { etcd: { local: null, external } } },
      });
      expect(moved.body.message).toContain(
        'spec.components.etcd: Forbidden: cannot switch between local and external',
      );
    }
  });

  it('rejects a change of the volume type and of the host cluster when the control plane was Ready once', async () => {
    const name = freshName();
    await create(name, volume({ emptyDir: {} }).spec);
    expect((await patchSpec(name, volume({ emptyDir: null, hostPath: { path: '/d' } }))).code).toBe(
      200,
    );
    expect((await patchSpec(name, volume({ hostPath: null, emptyDir: {} }))).code).toBe(200);
    expect((await patchStatus(name, UPSTREAM_STATUS)).code).toBe(200);
    const refused = [
      await patchSpec(name, volume({ emptyDir: null, hostPath: { path: '/d' } })),
      await patchSpec(name, volume(CLAIM_VOLUME)),
      await patchSpec(name, {
        spec: { hostCluster: { secretRef: { name: 'a', namespace: 'b' } } },
      }),
    ];
    expect(refused.map((answer) => answer.code)).toEqual([422, 422, 422]);
    expect(refused[0]?.body.message).toContain('volumeData: Forbidden: the volume type cannot');
    expect(refused[2]?.body.message).toContain(
      'spec.hostCluster.secretRef: Forbidden: cannot be added or removed',
    );
    expect((await patchSpec(name, volume({ emptyDir: { sizeLimit: '1Gi' } }))).code).toBe(200);
    expect((await patchSpec(name, volume(null))).code).toBe(200);
  });

  it('sets the defaults of the schema', async () => {
    const name = freshName();
    const spec = {
      components: {
        karmadaAPIServer: {
          extraVolumes: [{ name: 'kms', emptyDir: {} }],
          sidecarContainers: [CONTAINER],
        },
      },
      crdTarball: { httpSource: { url: 'http://a' } },
    };
    const created = await create(name, spec);
    expect(created.body['spec']).toMatchObject({
      crdTarball: { crdDownloadPolicy: 'IfNotPresent' },
      components: {
        karmadaAPIServer: {
          priorityClassName: 'system-node-critical',
          serviceType: 'ClusterIP',
          sidecarContainers: [{ ports: [{ protocol: 'TCP' }, { protocol: 'UDP' }] }],
        },
      },
    });
  });

  it('prints the additional printer columns', async () => {
    const name = freshName();
    await create(name);
    const [ready] = UPSTREAM_STATUS.conditions;
    await patchStatus(name, {
      ...UPSTREAM_STATUS,
      conditions: [ready, { ...ready, type: 'EtcdHealthy', reason: 'Quorum' }],
      phase: 'Running',
      versions: { karmada: 'v1.17.1' },
      componentsReady: '8/8',
      etcd: '1/1',
      etcdCluster: { leader: 'karmada-etcd-0' },
      memberClusters: { summary: '2/3' },
      certificateExpiry: '2027-01-01T00:00:00Z',
    });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = await new Promise<Fields>((resolve, reject) => {
      request(
        `${server.url}${KARMADAS}/${name}`,
        { ca: server.caData, ...server.admin, headers: { accept } },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => resolve(JSON.parse(text) as Fields));
        },
      )
        .once('error', reject)
        .end();
    });
    const columns = (table['columnDefinitions'] as { name: string }[]).map((column) => column.name);
    expect(columns).toEqual([
      'Name',
      'Ready',
      'Phase',
      'Components',
      'Version',
      'Member-Clusters',
      'Etcd',
      'Etcd-Healthy',
      'Etcd-Leader',
      'Cert-Expiry',
      'Age',
      'Message',
    ]);
    const [row] = table['rows'] as { cells: unknown[] }[];
    expect(row?.cells.slice(0, 10)).toEqual([
      name,
      'True',
      'Running',
      '8/8',
      'v1.17.1',
      '2/3',
      '1/1',
      'True',
      'karmada-etcd-0',
      '2027-01-01T00:00:00Z',
    ]);
    expect(row?.cells.at(-1)).toBe(ready?.message);
  });
});

describe('stored defaults', () => {
  const host = { defaultStorageClass: false };

  async function read(name: string): Promise<Karmada> {
    const answer = await call({ method: 'GET', path: `${KARMADAS}/${name}` });
    return answer.body as unknown as Karmada;
  }

  async function apply(
    name: string,
    manager: string,
    spec: unknown,
    more: Fields = {},
  ): Promise<void> {
    const path = `${KARMADAS}/${name}?fieldManager=${manager}&force=true&fieldValidation=Strict`;
    const body = { ...karmada(name, spec), metadata: { name, ...more } };
    const answer = await call({
      method: 'PATCH',
      path,
      body,
      type: 'application/apply-patch+yaml',
    });
    expect(answer.body.message).toBeUndefined();
  }

  /** Writes defaults like the operator: applies missing fields with the resourceVersion of the read object. */
  async function writeDefaults(name: string): Promise<KarmadaSpec | undefined> {
    const now = await read(name);
    const intent = defaultsPatch(now, host);
    const { resourceVersion } = now.metadata;
    if (intent) await apply(name, DEFAULTS_FIELD_MANAGER, intent, { resourceVersion });
    return intent;
  }

  it('fills a minimal object once, with exactly the defaults that the operator renders', async () => {
    const name = freshName();
    await create(name);
    expect(await writeDefaults(name)).toBeDefined();
    const filled = await read(name);
    expect(filled.spec).toEqual(defaultSpec({}, host));
    expect(validate(filled)).toEqual([]);
    expect(await writeDefaults(name)).toBeUndefined();
    expect(defaultsPatch(filled, { defaultStorageClass: true })).toBeUndefined();
  });

  it('keeps a value that the user sets, and restores the default when the user removes it', async () => {
    const name = freshName();
    await create(name, { components: { karmadaWebhook: {} } });
    await writeDefaults(name);
    await patchSpec(name, { spec: { components: { karmadaWebhook: { imageTag: 'v1.16.0' } } } });
    await writeDefaults(name);
    const webhook = (await read(name)).spec?.components?.karmadaWebhook;
    expect(webhook).toMatchObject({ imageTag: 'v1.16.0', replicas: 1 });
    await patchSpec(name, { spec: { components: { karmadaWebhook: { replicas: null } } } });
    await writeDefaults(name);
    expect((await read(name)).spec?.components?.karmadaWebhook?.replicas).toBe(1);
    expect(await writeDefaults(name)).toBeUndefined();
  });

  it.each(['apply', 'update'])(
    'does not restore an add-on when a user removes it by %s',
    async (how) => {
      const name = freshName();
      const change = (components: Fields): Promise<unknown> =>
        how === 'apply'
          ? apply(name, 'user', { components })
          : patchSpec(name, { spec: { components } });
      await (how === 'apply'
        ? change({ karmadaSearch: {} })
        : create(name, { components: { karmadaSearch: {} } }));
      await writeDefaults(name);
      expect((await read(name)).spec?.components?.karmadaSearch?.replicas).toBe(1);
      await change(how === 'apply' ? {} : { karmadaSearch: null });
      await writeDefaults(name);
      expect((await read(name)).spec?.components?.karmadaSearch).toBeUndefined();
      expect(await writeDefaults(name)).toBeUndefined();
    },
  );
});

describe('CRD with validation rules for stored invalid objects', () => {
  const stored: readonly (readonly [string, string, unknown, unknown])[] = [
    [
      'local and external etcd',
      'old-both',
      {
        components: {
          etcd: { local: {}, external: { endpoints: ['https://a'], secretRef: { name: 'x' } } },
        },
      },
      { components: { etcd: { local: { replicas: 3 } } } },
    ],
    [
      'no archive source',
      'old-tarball',
      { crdTarball: {} },
      { crdTarball: { crdDownloadPolicy: 'Always' } },
    ],
    [
      'a file path as URL',
      'old-url',
      { crdTarball: { httpSource: { url: '/crds.tar.gz' } } },
      { crdTarball: { crdDownloadPolicy: 'Always' } },
    ],
    [
      'two volume types',
      'old-volumes',
      volume({ emptyDir: {}, hostPath: { path: '/d' } }).spec,
      volume({ emptyDir: { sizeLimit: '1Gi' } }).spec,
    ],
    [
      'negative replicas',
      'old-replicas',
      { components: { karmadaWebhook: { replicas: -1 } } },
      { components: { karmadaWebhook: { imageTag: 'v1.17.1' } } },
    ],
    ['a name that is too long', `${L42}aaa`, {}, { components: { karmadaSearch: {} } }],
    ['a name that begins with a digit', '1-old', {}, { components: { karmadaSearch: {} } }],
    [
      'an invalid label',
      'old-label',
      { components: { karmadaWebhook: { labels: { 'a b': ' ' } } } },
      { components: { karmadaWebhook: { replicas: 2 } } },
    ],
    [
      'a resource request above its limit',
      'old-request',
      {
        components: { karmadaWebhook: { resources: { requests: { cpu: 2 }, limits: { cpu: 1 } } } },
      },
      { components: { karmadaWebhook: { replicas: 2 } } },
    ],
    ['a mount of an undeclared volume', 'old-mount', apiServer(GONE), apiServer({ replicas: 2 })],
    [
      'an invalid container',
      'old-container',
      apiServer({
        sidecarContainers: [
          { name: 'A b', image: '', volumeMounts: [{ name: 'x', mountPath: '' }] },
        ],
      }),
      apiServer({ replicas: 2 }),
    ],
    [
      'an invalid affinity',
      'old-affinity',
      {
        components: {
          karmadaWebhook: {
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
              },
            },
          },
        },
      },
      { components: { karmadaWebhook: { replicas: 2 } } },
    ],
    [
      'an external etcd without Secret name',
      'old-secret',
      { components: { etcd: { external: { endpoints: ['https://a'], secretRef: {} } } } },
      { components: { etcd: { external: { endpoints: ['https://b:2379'] } } } },
    ],
  ];

  beforeAll(async () => {
    await removeCrd();
    await installCrd(withoutRules(karmadaCrd) as object);
    for (const [, name, spec] of stored) {
      const created = await until(
        () => create(name, spec),
        (answer) => answer.code === 201 || answer.code === 422,
      );
      expect(created.body.message).toBeUndefined();
      expect((await patchStatus(name, UPSTREAM_STATUS)).code).toBe(200);
    }
    const path = `${CRDS}/${karmadaCrd.metadata.name}?fieldManager=kubectl&force=true`;
    const updated = await call({
      method: 'PATCH',
      path,
      body: karmadaCrd,
      type: 'application/apply-patch+yaml',
    });
    expect(updated.code).toBe(200);
    await until(
      () => create('probe-probe', { crdTarball: {} }),
      (answer) => answer.code === 422,
    );
  });

  it.each(stored)(
    'allows changes of other fields when an object has %s',
    async (_what, name, _spec, change) => {
      const metadata = await patchSpec(name, { metadata: { labels: { a: 'b' } } });
      expect(metadata.body.message).toBeUndefined();
      const status = await patchStatus(name, { phase: 'Failed' });
      expect(status.body.message).toBeUndefined();
      const spec = await patchSpec(name, { spec: change });
      expect(spec.body.message).toBeUndefined();
      expect((await call({ method: 'DELETE', path: `${KARMADAS}/${name}` })).code).toBe(200);
    },
  );
});
