/**
 * Renders the Pod and the PVC that restore the data of an etcd: pure. The Pod saves and restores a snapshot with the
 * programs of the etcd image, and then runs a member with the data, so that the operator can read it before anything
 * else changes. It has the template of etcd, so it runs wherever a member can.
 */
import { instanceName } from '../../api/naming.ts';
import type { PodSettings } from '../../api/karmada.ts';
import { COMPONENT, INSTANCE, RECOVERY_PODS } from '../../api/labels.ts';
import { dataDirectory, MOUNT_PATH } from '../../components/etcd/data-volume.ts';
import { isWorkload, type PodSpec } from '../../components/workload.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import { ownerReferenceTo, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import type { Recovery } from '../../etcd-cluster/identity/record.ts';
import { claimName } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { claimsOf, specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import { REVISION_BUMP } from './next-step.ts';
import { SNAPSHOT_DIRECTORY, type SnapshotSource, type Tool } from './snapshot-source.ts';

/**
 * Annotation of the Pod and the PVC of a recovery: token of its new cluster. Annotation of a Deployment that a recovery
 * stops: the value that confirms the recovery.
 */
export const RECOVERY_ANNOTATION = 'operator.karmada.io/etcd-recovery';

/** Name of the Pod. It ends like that of an etcd Pod, to which a remote host cluster restricts port-forwards. */
export const restorePodName = (name: string): string =>
  `${instanceName(name, 'etcd')}-recovery-etcd-0`;

/** Name of the PVC, which becomes that of the first member. */
export const restoreClaimName = (name: string, { volume }: Recovery): string =>
  claimName(name, volume, 0);

type Container = PodSpec['containers'][number];

export interface RestoreInput {
  /** `metadata.name` of the Karmada. */
  readonly name: string;
  readonly namespace: string;
  /** StatefulSet of the new cluster, with one member. */
  readonly statefulSet: StatefulSet;
  readonly recovery: Recovery;
  /** DNS domain of the members. */
  readonly domain: string;
  /** `spec.podSettings` of the Karmada. */
  readonly podSettings: readonly PodSettings[] | undefined;
  /** StatefulSet of the former cluster. The Pod is deleted with it, also when the Karmada is deleted. */
  readonly former: KubernetesObject;
}

/** Renders the PVC of the first member of the new cluster. */
export function restoreClaim({
  name,
  namespace,
  statefulSet,
  recovery,
}: RestoreInput): KubernetesObject {
  const [template] = claimsOf(specOf(statefulSet));
  const { labels, annotations, finalizers = [] } = template?.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: restoreClaimName(name, recovery),
      namespace,
      labels: { ...labels, ...selectorOf(statefulSet) },
      annotations: { ...annotations, [RECOVERY_ANNOTATION]: recovery.token },
      ...(finalizers.length > 0 && { finalizers: [...finalizers] }),
    },
    spec: template?.spec ?? {},
  };
}

const selectorOf = (statefulSet: StatefulSet): object =>
  isWorkload(statefulSet) ? statefulSet.spec.selector.matchLabels : {};

/**
 * Renders the Pod.
 * @throws Error if the StatefulSet has no etcd container, which is a bug
 */
export function restorePod(input: RestoreInput, source: SnapshotSource): KubernetesObject {
  const { name, namespace, statefulSet, recovery } = input;
  const template = isWorkload(statefulSet) ? statefulSet.spec.template : undefined;
  const [etcd] = template?.spec.containers ?? [];
  const restoring = restoreContainer(input, source);
  if (template === undefined || etcd === undefined)
    throw new Error(`${statefulSet.kind} ${statefulSet.metadata.name} has no etcd container`);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: restorePodName(name),
      namespace,
      // Not the component label of etcd, so no Service selects the Pod.
      labels: { [COMPONENT]: RECOVERY_PODS, [INSTANCE]: name },
      annotations: { [RECOVERY_ANNOTATION]: recovery.token },
      ownerReferences: [ownerReferenceTo(input.former)],
    },
    spec: {
      ...template.spec,
      ...source.account,
      securityContext: withGroups(template.spec.securityContext, source.groups),
      restartPolicy: 'Never',
      ...(source.node !== undefined && { affinity: affinityTo(source.node) }),
      initContainers: [...(source.container ? [source.container] : []), restoring].map((one) =>
        toolOf(etcd, one),
      ),
      containers: [asFirstMember(etcd, statefulSet.metadata.name)],
      volumes: [...volumesOf(template.spec, input), ...source.volumes],
    },
  };
}

function withGroups(
  own: PodSpec['securityContext'],
  groups: readonly number[] = [],
): PodSpec['securityContext'] {
  if (groups.length === 0) return own;
  const { supplementalGroups = [], ...rest } = own ?? {};
  return { ...rest, supplementalGroups: [...new Set([...supplementalGroups, ...groups])] };
}

/** The volume may allow only one node. The node of the member also satisfies what the template asks for. */
const affinityTo = (node: string): object => {
  const onNode = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const required = { nodeSelectorTerms: [onNode] };
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
};

/** The etcd image has no shell, so each program is a container of its own. */
const toolOf = (etcd: Container, { securityContext, ...tool }: Tool): object => ({
  imagePullPolicy: etcd['imagePullPolicy'],
  securityContext: { ...fieldsOf(etcd['securityContext']), ...securityContext },
  image: etcd['image'],
  resources: etcd.resources,
  ...tool,
  volumeMounts: [...(tool.volumeMounts ?? []), { name: 'snapshot', mountPath: SNAPSHOT_DIRECTORY }],
});

/** `etcdutl` verifies the hash that a snapshot ends with. */
function restoreContainer(
  { statefulSet, recovery: { volume, token }, domain }: RestoreInput,
  { file, hasHash, mounts }: SnapshotSource,
): Tool {
  const member = `${statefulSet.metadata.name}-0`;
  const peer = `https://${member}.${domain}:2380`;
  return {
    name: 'restore-snapshot',
    command: [
      '/usr/local/bin/etcdutl',
      'snapshot',
      'restore',
      file,
      ...(hasHash ? [] : ['--skip-hash-check']),
      `--data-dir=${dataDirectory(volume)}`,
      `--name=${member}`,
      `--initial-cluster=${member}=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster-token=${token}`,
      `--bump-revision=${String(REVISION_BUMP)}`,
      '--mark-compacted',
    ],
    volumeMounts: [{ name: volume, mountPath: MOUNT_PATH }, ...mounts],
  };
}

/** Variables of the template take their values from the name of the Pod. */
function asFirstMember(etcd: Container, statefulSet: string): Container {
  const env = (etcd.env ?? []).map(({ name, ...variable }) =>
    name === 'KARMADA_ETCD_NAME' ? { name, value: `${statefulSet}-0` } : { name, ...variable },
  );
  return { ...etcd, env };
}

const volumesOf = (
  { volumes = [] }: PodSpec,
  { name, recovery }: RestoreInput,
): NonNullable<PodSpec['volumes']> => [
  ...volumes,
  {
    name: recovery.volume,
    persistentVolumeClaim: { claimName: restoreClaimName(name, recovery) },
  },
  { name: 'snapshot', emptyDir: {} },
];
