/** Descriptions of the fields of Kubernetes types for volumes of storage systems. */
import type { TypeTexts } from '../with-texts.ts';

const FS_TYPE = 'File system of the volume, such as ext4 or xfs. Defaults to ext4.';
const READ_ONLY = 'If true, all containers mount the volume read-only. Defaults to false.';
const PARTITION = 'Number of the partition to mount. Defaults to the whole volume.';
const SECRET = 'Secret in the namespace of the Pod with the credentials of the storage system.';

export const STORAGE_SYSTEM_TEXTS: TypeTexts = {
  AWSElasticBlockStoreVolumeSource: {
    fsType: FS_TYPE,
    partition: PARTITION,
    readOnly: READ_ONLY,
    volumeID: 'ID of the disk in AWS.',
  },
  AzureDiskVolumeSource: {
    cachingMode: 'Caching of the host: None, ReadOnly or ReadWrite. Defaults to ReadWrite.',
    diskName: 'Name of the disk.',
    diskURI: 'URI of the disk.',
    fsType: FS_TYPE,
    kind: 'Shared, Dedicated or Managed. Defaults to Shared.',
    readOnly: READ_ONLY,
  },
  AzureFileVolumeSource: {
    readOnly: READ_ONLY,
    secretName: 'Name of the Secret with the name and the key of the storage account.',
    shareName: 'Name of the file share.',
  },
  CephFSVolumeSource: {
    monitors: 'Addresses of the monitors.',
    path: 'Path in the file system. Defaults to /.',
    readOnly: READ_ONLY,
    secretFile: 'File on the node with the key of the user. Defaults to /etc/ceph/user.secret.',
    secretRef: SECRET,
    user: 'User of the file system. Defaults to admin.',
  },
  CinderVolumeSource: {
    fsType: FS_TYPE,
    readOnly: READ_ONLY,
    secretRef: SECRET,
    volumeID: 'ID of the disk in Cinder.',
  },
  CSIVolumeSource: {
    driver: 'Name of the CSI driver.',
    fsType: 'File system of the volume. Defaults to that of the driver.',
    nodePublishSecretRef: 'Secret in the namespace of the Pod with data for the driver.',
    readOnly: READ_ONLY,
    volumeAttributes: 'Settings of the volume, as the driver documents them.',
  },
  FCVolumeSource: {
    fsType: FS_TYPE,
    lun: 'Number of the logical unit. Required with targetWWNs.',
    readOnly: READ_ONLY,
    targetWWNs: 'Worldwide names of the targets. Mutually exclusive with wwids.',
    wwids: 'Worldwide identifiers of the volume. Mutually exclusive with targetWWNs and lun.',
  },
  FlexVolumeSource: {
    driver: 'Name of the program.',
    fsType: 'File system of the volume. Defaults to that of the program.',
    options: 'Settings for the program.',
    readOnly: READ_ONLY,
    secretRef: SECRET,
  },
  FlockerVolumeSource: {
    datasetName: 'Name of the dataset. Mutually exclusive with datasetUUID.',
    datasetUUID: 'UUID of the dataset. Mutually exclusive with datasetName.',
  },
  GCEPersistentDiskVolumeSource: {
    fsType: FS_TYPE,
    partition: PARTITION,
    pdName: 'Name of the disk.',
    readOnly: READ_ONLY,
  },
  GlusterfsVolumeSource: {
    endpoints: 'Name of the Endpoints object with the servers.',
    path: 'Name of the volume.',
    readOnly: READ_ONLY,
  },
  ISCSIVolumeSource: {
    chapAuthDiscovery: 'If true, discovery uses CHAP authentication; requires secretRef.',
    chapAuthSession: 'If true, sessions use CHAP authentication; requires secretRef.',
    fsType: FS_TYPE,
    initiatorName: 'Name of the initiator. Defaults to that of the node.',
    iqn: 'Qualified name of the target.',
    iscsiInterface: 'Name of the interface of the initiator. Defaults to default, which is TCP.',
    lun: 'Number of the logical unit.',
    portals: 'Further portals of the target, for multipath.',
    readOnly: READ_ONLY,
    secretRef: SECRET,
    targetPortal: 'Address of the target, with its port unless that is 860 or 3260.',
  },
  NFSVolumeSource: {
    path: 'Path that the server exports.',
    readOnly: READ_ONLY,
    server: 'Host name or IP address of the server.',
  },
  PersistentVolumeClaimVolumeSource: {
    claimName: 'Name of the PersistentVolumeClaim.',
    readOnly: READ_ONLY,
  },
  PhotonPersistentDiskVolumeSource: {
    fsType: FS_TYPE,
    pdID: 'ID of the disk.',
  },
  PortworxVolumeSource: {
    fsType: FS_TYPE,
    readOnly: READ_ONLY,
    volumeID: 'ID of the volume.',
  },
  QuobyteVolumeSource: {
    group: 'Group for access to the volume. Defaults to none.',
    readOnly: READ_ONLY,
    registry: 'Registries as host:port, separated by commas.',
    tenant: 'Tenant that owns the volume.',
    user: 'User for access to the volume. Defaults to the owner of the volume.',
    volume: 'Name of the volume.',
  },
  RBDVolumeSource: {
    fsType: FS_TYPE,
    image: 'Name of the image in the pool.',
    keyring: 'File on the node with the key of the user. Defaults to /etc/ceph/keyring.',
    monitors: 'Addresses of the monitors.',
    pool: 'Name of the pool. Defaults to rbd.',
    readOnly: READ_ONLY,
    secretRef: SECRET,
    user: 'User of the storage system. Defaults to admin.',
  },
  ScaleIOVolumeSource: {
    fsType: 'File system of the volume. Defaults to xfs.',
    gateway: 'URL of the gateway.',
    protectionDomain: 'Protection domain of the storage.',
    readOnly: READ_ONLY,
    secretRef: SECRET,
    sslEnabled: 'If true, the connection to the gateway uses TLS. Defaults to false.',
    storageMode: 'ThickProvisioned or ThinProvisioned. Defaults to ThinProvisioned.',
    storagePool: 'Pool of the protection domain.',
    system: 'Name of the storage system.',
    volumeName: 'Name of the volume.',
  },
  StorageOSVolumeSource: {
    fsType: FS_TYPE,
    readOnly: READ_ONLY,
    secretRef: SECRET,
    volumeName: 'Name of the volume.',
    volumeNamespace: 'Namespace of the volume in StorageOS. Defaults to that of the Pod.',
  },
  VsphereVirtualDiskVolumeSource: {
    fsType: FS_TYPE,
    storagePolicyID: 'ID of the storage policy.',
    storagePolicyName: 'Name of the storage policy.',
    volumePath: 'Path of the disk.',
  },
};
