/** What a report shows of Karmada objects and of the kinds of backups. */
import { claim, container, metadata, object, tolerations, volume } from './kubernetes-shapes.ts';
import { each, fields, free, list, map, shown, type Shape } from './shape.ts';

const names = map(free);

/** Settings of all components. Values of flags, labels and annotations are chosen freely. */
const settings: Readonly<Record<string, Shape>> = {
  ...each(shown, 'imageRepository', 'imageTag', 'imagePullPolicy', 'replicas', 'enabled'),
  ...each(shown, 'resources', 'priorityClassName', 'podDisruptionBudgetConfig', 'featureGates'),
  ...each(shown, 'controllers', 'clusters'),
  ...each(names, 'labels', 'annotations', 'extraArgs'),
  tolerations,
};

const component = fields(settings);

const etcd = fields({
  local: fields({
    ...settings,
    volumeData: fields({ volumeClaim: claim, emptyDir: shown, hostPath: fields({ type: shown }) }),
    ...each(shown, 'persistentVolumeClaimRetentionPolicy', 'replacementGracePeriod'),
    ...each(shown, 'serverCertSANs', 'peerCertSANs', 'quotaBackendBytes', 'autoCompactionMode'),
    ...each(shown, 'autoCompactionRetention', 'snapshotCount', 'heartbeatIntervalMilliseconds'),
    ...each(shown, 'electionTimeoutMilliseconds', 'logLevel', 'autoDefragmentation'),
  }),
  external: fields(each(shown, 'endpoints', 'secretRef')),
});

const apiServer = fields({
  ...settings,
  ...each(shown, 'serviceSubnet', 'serviceType', 'loadBalancerClass', 'externalEndpoint'),
  ...each(shown, 'certSANs'),
  serviceAnnotations: names,
  extraVolumes: list(volume),
  extraVolumeMounts: list(fields({ ...each(shown, 'name', 'readOnly'), mountPath: free })),
  sidecarContainers: list(container),
});

const archive = fields({
  // A URL can contain a password or a token.
  httpSource: fields({ ...each(free, 'url', 'proxy', 'caBundle'), sha256: shown }),
  ...each(shown, 'configMapRef', 'secretRef', 'crdDownloadPolicy'),
});

export const karmadaSpec: Shape = fields({
  ...each(shown, 'version', 'hostCluster', 'privateRegistry', 'imagePullSecrets', 'featureGates'),
  ...each(shown, 'customCertificate', 'upgrade', 'suspend'),
  crdTarball: archive,
  components: fields({
    etcd,
    karmadaAPIServer: apiServer,
    karmadaAggregatedAPIServer: fields({ ...settings, certSANs: shown }),
    ...each(component, 'kubeControllerManager', 'karmadaControllerManager', 'karmadaScheduler'),
    ...each(component, 'karmadaWebhook', 'karmadaDescheduler', 'karmadaSearch'),
    ...each(component, 'karmadaMetricsAdapter', 'karmadaSchedulerEstimator'),
  }),
});

const plain = object({ ...each(shown, 'spec', 'status') });

/** Shapes by kind. References to Secrets are names. */
export const KARMADA_SHAPES = {
  Karmada: fields({
    ...each(shown, 'apiVersion', 'kind', 'status'),
    metadata,
    spec: karmadaSpec,
  }),
  KarmadaBackupStore: plain,
  KarmadaBackup: plain,
  KarmadaBackupSchedule: plain,
  KarmadaRestore: plain,
} as const satisfies Readonly<Record<string, Shape>>;
