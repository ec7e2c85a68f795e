/**
 * Renders the Pod and the PVC that restore the data of an etcd: pure. The Pod saves and restores a snapshot with the
 * programs of the etcd image, and then runs a member with the data, so that the operator can read it before anything
 * else changes. It has the template of etcd, so it runs wherever a member can.
 */
import { dirname } from 'node:path';
import { instanceName } from '../../api/naming.ts';
import { COMPONENT, INSTANCE, RECOVERY_PODS } from '../../api/labels.ts';
import { SNAPSHOT_FILE } from '../../backup/job/paths.ts';
import type { PodAccount } from '../../backup/store-access.ts';
import { dataDirectory, MOUNT_PATH } from '../../components/etcd/data-volume.ts';
import { isWorkload, type PodSpec } from '../../components/workload.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import { ownerReferenceTo, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Recovery } from '../../etcd-cluster/identity/record.ts';
import { claimName } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { claimsOf, specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import { REVISION_BUMP } from './next-step.ts';

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

/** A container that runs before etcd; by default with the image and the resources of etcd. */
interface Tool {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly resources?: Container['resources'];
  readonly volumeMounts?: Container['volumeMounts'];
}

/** Where a snapshot comes from. */
export interface SnapshotSource {
  /** Writes the snapshot; absent if the file exists. */
  readonly container?: Tool;
  /** Path of the snapshot or database in the container that restores it. */
  readonly file: string;
  /** Whether the file ends with its hash, as `etcdctl snapshot save` writes it. */
  readonly hasHash: boolean;
  /** Additional mounts of the container that restores the file. */
  readonly mounts: NonNullable<Tool['volumeMounts']>;
  readonly volumes: NonNullable<PodSpec['volumes']>;
  /** ServiceAccount with access to the store; that of etcd if absent. */
  readonly account?: PodAccount;
  /** Node where the volumes are mounted; absent if any will do. */
  readonly node?: string;
}

const SNAPSHOT_DIRECTORY = dirname(SNAPSHOT_FILE);
const CLIENT_DIRECTORY = '/etc/karmada/pki/etcd-client';
const CLIENT_FILES = ['etcd-ca.crt', 'etcd-client.crt', 'etcd-client.key'] as const;

/** Saves a snapshot of a running member. It sends its data without a quorum. @param url client URL of the member */
export function memberSnapshot(url: string, secretName: string): SnapshotSource {
  const [ca, certificate, key] = CLIENT_FILES.map((file) => `${CLIENT_DIRECTORY}/${file}`);
  const items = CLIENT_FILES.map((file) => ({ key: file, path: file }));
  const access = [`--endpoints=${url}`, `--cacert=${ca}`, `--cert=${certificate}`, `--key=${key}`];
  return {
    container: {
      name: 'save-snapshot',
      command: ['/usr/local/bin/etcdctl', ...access, 'snapshot', 'save', SNAPSHOT_FILE],
      volumeMounts: [{ name: 'etcd-client', mountPath: CLIENT_DIRECTORY, readOnly: true }],
    },
    file: SNAPSHOT_FILE,
    hasHash: true,
    mounts: [],
    volumes: [{ name: 'etcd-client', secret: { secretName, defaultMode: 0o440, items } }],
  };
}

/** Mount path of the volume of the former member. */
const FORMER_PATH = '/former';

/**
 * Reads the database of a member that does not respond, from its volume. Without a quorum etcd does not change it.
 * @param volume name of the PVC template of the member
 * @param claim name of its PVC
 * @param node node of its Pod, which has attached the volume
 */
export function memberVolume(volume: string, claim: string, node?: string): SnapshotSource {
  const folder = `${FORMER_PATH}${dataDirectory(volume).slice(MOUNT_PATH.length)}`;
  return {
    file: `${folder}/member/snap/db`,
    hasHash: false,
    mounts: [{ name: 'former', mountPath: FORMER_PATH, readOnly: true }],
    volumes: [{ name: 'former', persistentVolumeClaim: { claimName: claim } }],
    ...(node !== undefined && { node }),
  };
}

export interface RestoreInput {
  /** `metadata.name` of the Karmada. */
  readonly name: string;
  readonly namespace: string;
  /** StatefulSet of the new cluster, with one member. */
  readonly statefulSet: StatefulSet;
  readonly recovery: Recovery;
  /** DNS domain of the members. */
  readonly domain: string;
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

/** The volume may allow only one node. The node of the member also satisfies what the template asks for. */
const affinityTo = (node: string): object => {
  const onNode = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const required = { nodeSelectorTerms: [onNode] };
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
};

/** The etcd image has no shell, so each program is a container of its own. */
const toolOf = (etcd: Container, tool: Tool): object => ({
  imagePullPolicy: etcd['imagePullPolicy'],
  securityContext: etcd['securityContext'],
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
