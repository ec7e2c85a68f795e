/** Parts of the Pods that run the stages of `backup-job`: pure. Such a Pod has no Kubernetes credentials. */
import {
  BACKUP_GROUP,
  BACKUP_KARMADA,
  karmadaBackups,
  type KarmadaBackup,
  type KarmadaBackupStore,
} from '../../api/backup/kinds.ts';
import type { PodSettings } from '../../api/karmada.ts';
import { BACKUP_PODS, COMPONENT } from '../../api/labels.ts';
import { storeMounts, type PodAccount } from '../../backup/store-access.ts';
import type { PodSpec } from '../../components/workload.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { apiVersionOf } from '../../kubernetes/objects/resources.ts';
import { DEFAULT_USER, withJobSettings } from './job-settings.ts';

/** Label of the Pod: name of its KarmadaBackup. */
export const BACKUP_LABEL = `${BACKUP_GROUP}/backup`;
/** Label of a Pod in a remote host cluster: UID of its KarmadaBackup, which cannot be its owner there. */
export const UID_LABEL = `${BACKUP_GROUP}/uid`;
/** Default of `spec.activeDeadlineSeconds`. */
const DEADLINE_SECONDS = 1_800;
const MAX_LABEL_VALUE = 63;

export type Container = PodSpec['containers'][number];
export type Mount = NonNullable<Container['volumeMounts']>[number];

/** Time for all containers in seconds. */
export const deadlineOf = ({ spec }: KarmadaBackup): number =>
  spec.activeDeadlineSeconds ?? DEADLINE_SECONDS;

/** Metadata of the Pod and of its configuration, which the KarmadaBackup owns in its own cluster. */
export function jobMetadata(
  { metadata: { name: backup, namespace = '', uid = '' }, spec: { karmadaRef } }: KarmadaBackup,
  name: string,
  isRemote = false,
): KubernetesObject['metadata'] {
  const labels = {
    [COMPONENT]: BACKUP_PODS,
    [BACKUP_LABEL]: backup,
    // No Karmada has a longer name, so nothing selects its Pods.
    ...(karmadaRef.name.length <= MAX_LABEL_VALUE && { [BACKUP_KARMADA]: karmadaRef.name }),
  };
  if (isRemote) return { name, namespace, labels: { ...labels, [UID_LABEL]: uid } };
  const { kind } = karmadaBackups;
  const owner = { apiVersion: apiVersionOf(karmadaBackups), kind, name: backup, uid };
  return { name, namespace, labels, ownerReferences: [{ ...owner, controller: true }] };
}

/** Renders a container with the restricted security profile. */
export const jobContainer = (name: string, image: string, mounts: readonly Mount[]): Container => ({
  name,
  image,
  imagePullPolicy: 'IfNotPresent',
  // The operator reads the end of the log of etcdutl there.
  terminationMessagePolicy: 'FallbackToLogsOnError',
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  volumeMounts: mounts,
});

/** Renders the container of a stage. @param image image of the operator */
export const stageContainer = (
  store: KarmadaBackupStore,
  image: string,
  { name, mounts }: { readonly name: string; readonly mounts: readonly Mount[] },
): Container => ({
  ...jobContainer(name, image, [...storeMounts(store), ...mounts]),
  args: ['backup-job', name],
  resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
});

type Parts = Pick<PodSpec, 'containers' | 'volumes'> &
  PodAccount & {
    readonly activeDeadlineSeconds: number;
    readonly initContainers?: readonly Container[];
    readonly imagePullSecrets?: readonly object[];
  };

/** Renders the Pod. @param metadata such as that from `jobMetadata` */
export function jobPod(
  metadata: KubernetesObject['metadata'],
  { podSettings, ...parts }: Parts & { readonly podSettings?: readonly PodSettings[] },
): KubernetesObject {
  const spec = {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    terminationGracePeriodSeconds: 5,
    securityContext: {
      ...DEFAULT_USER,
      fsGroup: DEFAULT_USER.runAsGroup,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...parts,
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: withJobSettings(spec, podSettings) };
}
