/** Names of the types that are generated from the schemas. */
import type { TypeNames } from './typescript.ts';

const at = (path: string): RegExp => new RegExp(`^${path.replaceAll(/[.[\]]/g, String.raw`\$&`)}$`);

const CLUSTER = 'spec.components.etcd';

export const KARMADA_TYPES: TypeNames = {
  named: [
    [at('spec'), 'KarmadaSpec'],
    [at('status'), 'KarmadaStatus'],
    [at('status.phase'), 'Phase'],
    [at('spec.hostCluster'), 'HostCluster'],
    [
      /^(spec\.hostCluster\.secretRef|spec\.customCertificate\.apiServerCACert|spec\.components\.etcd\.external\.secretRef|status\.secretRef)$/,
      'SecretReference',
    ],
    [at('spec.components'), 'Components'],
    [at(CLUSTER), 'Etcd'],
    [at(`${CLUSTER}.local`), 'LocalEtcd'],
    [at(`${CLUSTER}.external`), 'ExternalEtcd'],
    [at(`${CLUSTER}.local.volumeData`), 'VolumeData'],
    [at('spec.components.karmadaAPIServer'), 'KarmadaAPIServer'],
    [at('spec.components.karmadaWebhook'), 'KarmadaWebhook'],
    [at('spec.components.karmadaSchedulerEstimator'), 'KarmadaSchedulerEstimator'],
    [/^spec\.components\.karmada(Descheduler|Search|MetricsAdapter)$/, 'Addon'],
    [/\.podDisruptionBudgetConfig$/, 'PodDisruptionBudgetConfig'],
    [at('spec.podSettings[]'), 'PodSettings'],
    [at('spec.crdTarball'), 'CrdTarball'],
    [at('spec.crdTarball.httpSource'), 'HttpSource'],
    [/^spec\.crdTarball\.(configMapRef|secretRef)$/, 'ArchiveKeyReference'],
    [/^status\.(versions|upgrade\.from|upgrade\.to)$/, 'Versions'],
    [at('status.etcdCluster'), 'EtcdClusterStatus'],
    [at('status.etcdCluster.members[]'), 'EtcdMemberState'],
    [at('status.memberClusters'), 'MemberClustersStatus'],
    [at('status.memberClusters.clusters[]'), 'MemberClusterState'],
    [at('status.upgrade'), 'UpgradeStatus'],
    [at('status.conditions[]'), 'Condition'],
  ],
  imported: {},
  present: {
    'spec.imagePullSecrets[]': ['name'],
    [`${CLUSTER}.external`]: ['endpoints', 'secretRef'],
    [`${CLUSTER}.local.volumeData.volumeClaim`]: ['spec'],
    'status.apiServerService': ['name'],
    'status.conditions[]': ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
    'status.etcdCluster': ['clusterID', 'quorum', 'leader', 'observedTime', 'members'],
    'status.etcdCluster.members[]': ['name', 'id', 'role'],
    'status.memberClusters': ['summary', 'total', 'ready', 'push', 'pull', 'clusters'],
    'status.memberClusters.clusters[]': ['name', 'ready'],
  },
  hasRequired: false,
};

const CONDITIONS = [at('status.conditions[]'), 'ObjectCondition'] as const;
const imported = { ObjectCondition: '../../kubernetes/objects/object.ts' };

/** Names of the types of a kind of backups. @param named types of parts */
function backupTypes(kind: string, named: Readonly<Record<string, string>> = {}): TypeNames {
  return {
    named: [
      [at('spec'), `${kind}Spec`],
      [at('status'), `${kind}Status`],
      ...Object.entries(named).map(([path, name]) => [at(path), name] as const),
      CONDITIONS,
    ],
    imported,
    present: {
      'status.memberClusters': ['total', 'clusters'],
      'status.memberClusters.clusters[]': ['name'],
    },
    hasRequired: true,
  };
}

/** Names by kind. */
export const BACKUP_TYPES: Readonly<Record<string, TypeNames>> = {
  KarmadaBackup: backupTypes('KarmadaBackup', { 'status.phase': 'BackupPhase' }),
  KarmadaBackupSchedule: backupTypes('KarmadaBackupSchedule'),
  KarmadaBackupStore: backupTypes('KarmadaBackupStore'),
  KarmadaRestore: backupTypes('KarmadaRestore', {
    'status.phase': 'RestorePhase',
    'status.memberClusters': 'RestoreMemberClusters',
    'status.memberClusters.clusters[]': 'RestoreMemberCluster',
  }),
};
