/** Makes sensible values consistent where fields depend on each other. */
import { instanceName } from '../../../src/api/naming.ts';

type Json = Readonly<Record<string, unknown>>;
type Repair = (value: Json) => Json;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objects = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Repairs of objects by path; nested objects are repaired first. */
const REPAIRS: readonly (readonly [at: RegExp, repair: Repair])[] = [
  [/\.resources$/, resources],
  [/^spec\.components\.\w+(\.local)?$/, image],
  [/\.matchExpressions\[\]$/, expression],
  [/\.matchFields\[\]$/, (field) => ({ ...field, operator: 'In', values: ['node-1'] })],
  [/A(nti)?ffinity\..*(IgnoredDuringExecution\[\]|podAffinityTerm)$/, affinityTerm],
  [/\.tolerations\[\]$/, toleration],
  [/Claim(Template)?\.spec$/, claim],
  [/\.extraVolumes\[\]$/, volume],
  [/\.sidecarContainers\[\]$/, container],
  [/\.securityContext$/, securityContext],
  [/\.(seccompProfile|appArmorProfile)$/, profile],
  [/Mounts\[\]$/, mount],
  [/\.projected$/, projected],
  [/^spec\.podSettings\[\]$/, podSettings],
  [/^spec\.(podSettings\[\]|components\.\w+(\.local)?)$/, spreading],
  [/^spec\.components\.karmadaAPIServer$/, apiServer],
  [/^spec\.components\.etcd\.local$/, etcdPairs],
  [/^spec$/, (spec) => spec],
];

/** @param name name of the Karmada, which determines the Secret name of an external etcd */
export function repaired(spec: Json, name: string): Json {
  const whole = walk(spec, 'spec') as Json;
  return hostCluster(externalEtcd(estimator(pullSecrets(whole), name), name));
}

function walk(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, `${path}[]`));
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, walk(part, `${path}.${key}`)]),
  );
  return REPAIRS.filter(([at]) => at.test(path)).reduce<Json>(
    (made, [, repair]) => repair(made),
    inner,
  );
}

const AMOUNTS: readonly (readonly [string, unknown])[] = [
  ['cpu', '500m'],
  ['memory', '1Gi'],
  ['example.com/gpu', 2],
  ['hugepages-2Mi', '4Mi'],
  ['ephemeral-storage', 1],
];

/** Replaces resource maps by matching names and quantities. */
function resources(value: Json): Json {
  const count = Object.keys(value).length + Object.keys((value['limits'] as Json) ?? {}).length;
  const made = Object.fromEntries(AMOUNTS.slice(0, 1 + (count % AMOUNTS.length)));
  const asked = 'requests' in value;
  // A claim cannot be named, because the Pods of a Karmada have no resource claims.
  return {
    ...without(value, 'claims'),
    ...((asked || 'limits' in value) && { limits: made }),
    ...(asked && { requests: { ...made, cpu: '250m' } }),
  };
}

function image(value: Json): Json {
  const { imageRepository, imageTag } = value;
  const digest = text(imageRepository).includes('@');
  return digest
    ? { ...value, imageTag: 'f'.repeat(64) }
    : { ...value, ...(imageTag !== undefined && { imageTag }) };
}

/** Settings of etcd that a spec must set together. */
function etcdPairs(value: Json): Json {
  const { autoCompactionRetention: retention, heartbeatIntervalMilliseconds: beat } = value;
  const { autoCompactionMode, electionTimeoutMilliseconds, ...others } = value;
  const compacts = autoCompactionMode !== undefined || retention !== undefined;
  const times = electionTimeoutMilliseconds !== undefined || beat !== undefined;
  const number = autoCompactionMode === 'revision' ? '1000' : (retention ?? '30m');
  return {
    ...others,
    ...(compacts && {
      autoCompactionMode: autoCompactionMode ?? 'periodic',
      autoCompactionRetention: number,
    }),
    ...(times && {
      heartbeatIntervalMilliseconds: beat ?? 100,
      electionTimeoutMilliseconds: 5 * Number(beat ?? 100),
    }),
  };
}

function expression(value: Json): Json {
  const given = Array.isArray(value['values']) && value['values'].length > 0;
  if (!given) return { ...value, operator: 'Exists', values: [] };
  return { ...value, operator: text(value['key']).length % 2 ? 'In' : 'NotIn' };
}

function affinityTerm(term: Json): Json {
  if (!('topologyKey' in term)) return term;
  const keys = 'matchLabelKeys' in term || 'mismatchLabelKeys' in term;
  return {
    ...term,
    ...(keys && { labelSelector: term['labelSelector'] ?? { matchLabels: { app: 'a' } } }),
    ...('matchLabelKeys' in term && { matchLabelKeys: ['pod-template-hash'] }),
    ...('mismatchLabelKeys' in term && { mismatchLabelKeys: ['tenant'] }),
  };
}

function toleration(value: Json): Json {
  const exists = value['operator'] === 'Exists';
  return {
    ...value,
    ...(exists ? { value: '' } : { key: value['key'] ?? 'a' }),
    ...('tolerationSeconds' in value && { effect: 'NoExecute' }),
  };
}

function claim(spec: Json): Json {
  const accessModes = spec['accessModes'] ?? ['ReadWriteOnce'];
  const given = (spec['resources'] as Json | undefined) ?? {};
  const requests = { requests: { storage: '8Gi' } };
  return {
    ...spec,
    accessModes,
    resources: { ...(given['limits'] ? { limits: { storage: '9Gi' } } : {}), ...requests },
  };
}

/** Repairs of single volume sources. */
const SOURCES: Readonly<Record<string, Repair>> = {
  azureDisk: (disk) => ({
    ...disk,
    diskURI:
      disk['kind'] === 'Managed' ? '/subscriptions/a' : 'https://a.blob.core.windows.net/a/b.vhd',
  }),
  configMap: (source) => ({ ...source, name: source['name'] ?? 'a' }),
  ephemeral: (source) => ({
    ...source,
    volumeClaimTemplate: templateOf(source['volumeClaimTemplate'] as Json | undefined),
  }),
  fc: (fc) =>
    'wwids' in fc ? fc : { ...fc, targetWWNs: fc['targetWWNs'] ?? ['a'], lun: fc['lun'] ?? 1 },
  iscsi: (iscsi) => ({ ...iscsi, secretRef: iscsi['secretRef'] ?? { name: 'a' } }),
  cinder: secretNamed,
  storageos: (source) => secretNamed({ volumeName: 'a', ...source }),
  csi: (csi) =>
    'nodePublishSecretRef' in csi ? { ...csi, nodePublishSecretRef: { name: 'a.b' } } : csi,
  scaleIO: (source) => ({ volumeName: 'a', ...source }),
  secret: (source) => ({ secretName: 'a', ...source }),
};

function templateOf(template: Json | undefined): Json {
  const { metadata, spec } = template ?? {};
  const labels = isObject(metadata) ? without(metadata, 'finalizers') : undefined;
  return { ...(labels && { metadata: labels }), spec: claim((spec as Json | undefined) ?? {}) };
}

function secretNamed(source: Json): Json {
  return 'secretRef' in source
    ? { ...source, secretRef: { name: 'a', ...(source['secretRef'] as Json) } }
    : source;
}

function volume(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      isObject(part) ? (SOURCES[name]?.(part) ?? part) : part,
    ]),
  );
}

/** Gives each file a different path. */
function projected(value: Json): Json {
  const sources = objects(value['sources']).map((source, place) =>
    Object.fromEntries(
      Object.entries(source).map(([kind, part]) => {
        const items = objects((part as Json)['items']).map((item, index) => ({
          ...item,
          path: `p${place}/${index}`,
        }));
        const named = ['secret', 'configMap'].includes(kind) ? { name: 'a' } : {};
        return [kind, { ...named, ...(part as Json), ...(items.length > 0 && { items }) }];
      }),
    ),
  );
  return { ...value, ...('sources' in value && { sources }) };
}

function profile(value: Json): Json {
  const type = 'localhostProfile' in value ? 'Localhost' : 'RuntimeDefault';
  return { ...value, type };
}

function securityContext(value: Json): Json {
  const capabilities = value['capabilities'] as Json | undefined;
  const added = capabilities?.['add'];
  const powerful =
    value['privileged'] === true || (Array.isArray(added) && added.includes('CAP_SYS_ADMIN'));
  const windows = value['windowsOptions'] as Json | undefined;
  return {
    ...value,
    ...(powerful && 'allowPrivilegeEscalation' in value && { allowPrivilegeEscalation: true }),
    ...(windows &&
      'hostProcess' in windows && { windowsOptions: { ...windows, hostProcess: false } }),
  };
}

function mount(value: Json): Json {
  const recursive = ![undefined, 'Disabled'].includes(value['recursiveReadOnly'] as string);
  const { mountPropagation, ...rest } = value;
  if (recursive) return { ...rest, readOnly: true };
  return { ...rest, ...(mountPropagation !== undefined && { mountPropagation }) };
}

/** Entries with a different value each. */
function distinct(list: unknown, field: string, from: string): readonly Json[] {
  return objects(list).map((entry, index) => ({ ...entry, [field]: `${from}${index}` }));
}

type PartRepair = (part: unknown, container: Json) => unknown;

/** Repairs of parts of a sidecar container. */
const CONTAINER_PARTS: Readonly<Record<string, PartRepair>> = {
  readinessProbe: (probe) => without(probe as Json, 'terminationGracePeriodSeconds'),
  env: (list) => distinct(list, 'name', 'A').map(variable),
  envFrom: (list) => objects(list).map(source),
  ports: (list) => objects(list).map(port),
  volumeMounts: mounts,
  volumeDevices: (list) => distinct(list, 'devicePath', '/dev/d').slice(0, 1),
  resizePolicy: (list) => objects(list).slice(0, 1),
  restartPolicyRules: (list) =>
    objects(list).map((rule) => ({
      ...rule,
      exitCodes: { operator: 'In', ...(rule['exitCodes'] as Json | undefined), values: [1] },
    })),
};

function container(value: Json): Json {
  const parts = Object.entries(value).map(([name, part]) => [
    name,
    CONTAINER_PARTS[name]?.(part, value) ?? part,
  ]);
  return {
    image: 'a',
    ...(Object.fromEntries(parts) as Json),
    ...('restartPolicyRules' in value && { restartPolicy: 'Never' }),
  };
}

function mounts(list: unknown, { securityContext: rights }: Json): readonly Json[] {
  const privileged = (rights as Json | undefined)?.['privileged'] === true;
  return distinct(list, 'mountPath', '/mnt/m').map((entry) => ({
    ...entry,
    name: 'apiserver-cert',
    ...(!privileged &&
      entry['mountPropagation'] === 'Bidirectional' && { mountPropagation: 'None' }),
  }));
}

/** Settings of Pods: unique list keys, and permissions that the restricted default does not have. */
function podSettings(entry: Json): Json {
  const pod = entry['podSecurityContext'] as Json | undefined;
  const security = entry['securityContext'] as Json | undefined;
  return {
    ...entry,
    ...('env' in entry && { env: distinct(entry['env'], 'name', 'A').map(variable) }),
    ...('hostAliases' in entry && { hostAliases: distinct(entry['hostAliases'], 'ip', '10.0.0.') }),
    ...(pod &&
      'sysctls' in pod && {
        podSecurityContext: { ...pod, sysctls: distinct(pod['sysctls'], 'name', 'net.a') },
      }),
    ...(security && {
      securityContext: { ...security, allowPrivilegeEscalation: true, runAsNonRoot: false },
    }),
  };
}

/** Settings of Pods or of a component: constraints with unique list keys. */
function spreading(settings: Json): Json {
  const given = settings['topologySpreadConstraints'];
  if (given === undefined) return settings;
  const constraints = distinct(given, 'topologyKey', 'zone').map(spreadConstraint);
  return { ...settings, topologySpreadConstraints: constraints };
}

function spreadConstraint(entry: Json): Json {
  return {
    ...entry,
    ...('minDomains' in entry && { whenUnsatisfiable: 'DoNotSchedule' }),
    ...('matchLabelKeys' in entry && { matchLabelKeys: ['pod-template-hash'] }),
  };
}

function variable(entry: Json): Json {
  const from = entry['valueFrom'] as Json | undefined;
  const named = Object.entries(from ?? {}).map(([kind, reference]) => [
    kind,
    kind.startsWith('configMap') || kind.startsWith('secret')
      ? { ...(reference as Json), name: 'a.b' }
      : reference,
  ]);
  return from ? { ...entry, valueFrom: Object.fromEntries(named) as Json } : entry;
}

function source(entry: Json): Json {
  const named = Object.entries(entry).map(([kind, reference]) => [
    kind,
    isObject(reference) ? { ...reference, name: 'a.b' } : reference,
  ]);
  return Object.fromEntries(named) as Json;
}

function port(entry: Json, index: number): Json {
  return {
    ...entry,
    containerPort: 8000 + index,
    ...('name' in entry && { name: `port-${index}` }),
    ...('hostPort' in entry && { hostPort: 0 }),
  };
}

function without(value: Json, key: string): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

/** Makes names consistent that refer to each other across volumes and containers. */
function apiServer(server: Json): Json {
  const sidecars = distinct(server['sidecarContainers'], 'name', 'sidecar-');
  const devices = sidecars.some((sidecar) => 'volumeDevices' in sidecar);
  const files = sidecars.some((sidecar) =>
    objects(sidecar['env']).some(
      (entry) => isObject(entry['valueFrom']) && 'fileKeyRef' in entry['valueFrom'],
    ),
  );
  const added = [
    ...(devices ? [{ name: 'device', persistentVolumeClaim: { claimName: 'a' } }] : []),
    ...(files ? [{ name: 'files', emptyDir: {} }] : []),
  ];
  const volumes = [...distinct(server['extraVolumes'], 'name', 'v'), ...added];
  const ranges = server['serviceType'] === 'LoadBalancer';
  return {
    ...server,
    ...(volumes.length > 0 && { extraVolumes: volumes }),
    ...(sidecars.length > 0 && { sidecarContainers: sidecars.map(refer) }),
    ...('extraVolumeMounts' in server && {
      extraVolumeMounts: distinct(server['extraVolumeMounts'], 'mountPath', '/extra/m').map(
        (entry) => ({
          ...entry,
          name: text(volumes[0]?.['name']) || 'apiserver-cert',
        }),
      ),
    }),
    ...(!ranges && { serviceAnnotations: server['serviceAnnotations'] ?? {} }),
  };
}

function refer(sidecar: Json): Json {
  const env = objects(sidecar['env']).map((entry) => {
    const from = entry['valueFrom'] as Json | undefined;
    const file = from?.['fileKeyRef'] as Json | undefined;
    return file ? { ...entry, valueFrom: { fileKeyRef: { ...file, volumeName: 'files' } } } : entry;
  });
  const devices = objects(sidecar['volumeDevices']).map((entry) => ({ ...entry, name: 'device' }));
  return {
    ...sidecar,
    ...(env.length > 0 && { env }),
    ...(devices.length > 0 && { volumeDevices: devices }),
  };
}

function pullSecrets(spec: Json): Json {
  if (!('imagePullSecrets' in spec)) return spec;
  return { ...spec, imagePullSecrets: distinct(spec['imagePullSecrets'], 'name', 'registry-') };
}

/** Changes a part of a spec if it exists. */
function changed(spec: Json, [first, ...rest]: readonly string[], change: Repair): Json {
  if (first === undefined) return change(spec);
  const part = spec[first];
  return isObject(part) ? { ...spec, [first]: changed(part, rest, change) } : spec;
}

function externalEtcd(spec: Json, name: string): Json {
  return changed(spec, ['components', 'etcd', 'external', 'secretRef'], (reference) => ({
    ...reference,
    name: instanceName(name, 'etcd-cert'),
  }));
}

function estimator(spec: Json, name: string): Json {
  return changed(spec, ['components', 'karmadaSchedulerEstimator'], (component) => {
    if (!('clusters' in component)) return component;
    const room = (name.includes('karmada') ? 42 : 34) - name.length;
    const clusters = (component['clusters'] as readonly string[]).map((cluster) =>
      cluster.slice(0, room),
    );
    return { ...component, clusters: clusters.filter((cluster) => /[a-z0-9]$/.test(cluster)) };
  });
}

function hostCluster(spec: Json): Json {
  return changed(spec, ['hostCluster', 'secretRef'], (reference) => ({
    name: 'host',
    namespace: 'default',
    ...reference,
  }));
}
