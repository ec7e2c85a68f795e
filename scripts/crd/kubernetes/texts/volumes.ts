/** Descriptions of the fields of Kubernetes types for volumes. */
import type { TypeTexts } from '../with-texts.ts';

const MODE =
  'Permissions of the file from 0 to 0777, in JSON as a decimal number. Defaults to defaultMode.';
const DEFAULT_MODE =
  'Permissions of the files from 0 to 0777, in JSON as a decimal number. Defaults to 0644.';
const OBJECT_OPTIONAL =
  'If true, the Pod also starts when the object or its keys do not exist. Defaults to false.';
const ITEMS = (what: string): string =>
  `Keys of the ${what} and their files. Defaults to a file for each key.`;

const VOLUME: TypeTexts = {
  Volume: {
    name: 'Name of the volume, unique in the Pod, to which mounts refer.',
    configMap: 'Files with the entries of a ConfigMap. They follow changes of the ConfigMap.',
    csi: 'Volume of a CSI driver with the lifetime of the Pod.',
    downwardAPI: 'Files with fields of the Pod.',
    emptyDir: 'Empty folder with the lifetime of the Pod.',
    ephemeral: 'PersistentVolumeClaim that is created with the Pod, and deleted with it.',
    hostPath: 'File or folder of the node. Many clusters allow it for privileged namespaces only.',
    image: 'Content of an OCI image or artifact, read-only.',
    nfs: 'Folder of an NFS server.',
    persistentVolumeClaim: 'Existing PersistentVolumeClaim in the namespace of the Pod.',
    projected: 'Several sources in one folder.',
    secret: 'Files with the entries of a Secret, in memory. They follow changes of the Secret.',
    awsElasticBlockStore: 'Disk of AWS EBS. Superseded by its CSI driver.',
    azureDisk: 'Disk of Azure. Superseded by its CSI driver.',
    azureFile: 'File share of Azure. Superseded by its CSI driver.',
    cephfs: 'CephFS file system. Not available since Kubernetes 1.31.',
    cinder: 'Disk of OpenStack Cinder. Superseded by its CSI driver.',
    fc: 'Fibre Channel device that is attached to the node.',
    flexVolume: 'Volume of a FlexVolume program on the node. Superseded by CSI.',
    flocker: 'Dataset of Flocker. Not available in supported releases of Kubernetes.',
    gcePersistentDisk: 'Persistent disk of Google Compute Engine. Superseded by its CSI driver.',
    gitRepo: 'Clone of a Git repository. Disabled by default since Kubernetes 1.33.',
    glusterfs: 'Volume of GlusterFS. Not available in supported releases of Kubernetes.',
    iscsi: 'iSCSI device that the kubelet attaches to the node.',
    photonPersistentDisk:
      'Disk of Photon Controller. Not available in supported releases of Kubernetes.',
    portworxVolume: 'Volume of Portworx. Superseded by its CSI driver.',
    quobyte: 'Volume of Quobyte. Not available in supported releases of Kubernetes.',
    rbd: 'RADOS block device of Ceph. Not available since Kubernetes 1.31.',
    scaleIO: 'Volume of ScaleIO. Not available in supported releases of Kubernetes.',
    storageos: 'Volume of StorageOS. Not available in supported releases of Kubernetes.',
    vsphereVolume: 'Disk of vSphere. Superseded by its CSI driver.',
  },
};

const FILES: TypeTexts = {
  ConfigMapVolumeSource: {
    defaultMode: DEFAULT_MODE,
    items: ITEMS('ConfigMap'),
    name: 'Name of the ConfigMap in the namespace of the Pod.',
    optional: OBJECT_OPTIONAL,
  },
  SecretVolumeSource: {
    defaultMode: DEFAULT_MODE,
    items: ITEMS('Secret'),
    optional: OBJECT_OPTIONAL,
    secretName: 'Name of the Secret in the namespace of the Pod.',
  },
  KeyToPath: {
    key: 'Key in the object.',
    mode: MODE,
    path: 'Relative path of the file in the volume, without "..".',
  },
  DownwardAPIVolumeSource: {
    defaultMode: DEFAULT_MODE,
    items: 'Files of the volume.',
  },
  DownwardAPIVolumeFile: {
    fieldRef: 'Field of the Pod: name, namespace, uid, labels or annotations.',
    mode: MODE,
    path: 'Relative path of the file in the volume, without "..".',
    resourceFieldRef: 'Resource request or limit of a container.',
  },
  ProjectedVolumeSource: {
    defaultMode: DEFAULT_MODE,
    sources: 'Sources whose files the volume contains. Each path can occur once.',
  },
  VolumeProjection: {
    clusterTrustBundle: 'CA certificates of ClusterTrustBundle objects.',
    configMap: 'Entries of a ConfigMap.',
    downwardAPI: 'Fields of the Pod.',
    podCertificate: 'Key and certificate that the kubelet requests for the Pod and renews.',
    secret: 'Entries of a Secret.',
    serviceAccountToken: 'Token of the ServiceAccount of the Pod, which the kubelet renews.',
  },
  ClusterTrustBundleProjection: {
    labelSelector:
      'Labels of the ClusterTrustBundles of signerName. An empty selector selects all, none selects none.',
    name: 'Name of one ClusterTrustBundle. Mutually exclusive with signerName.',
    optional: OBJECT_OPTIONAL,
    path: 'Relative path of the file with the certificates.',
    signerName: 'Signer whose ClusterTrustBundles are selected. Mutually exclusive with name.',
  },
  ConfigMapProjection: {
    items: ITEMS('ConfigMap'),
    name: 'Name of the ConfigMap in the namespace of the Pod.',
    optional: OBJECT_OPTIONAL,
  },
  DownwardAPIProjection: {
    items: 'Files of the volume.',
  },
  SecretProjection: {
    items: ITEMS('Secret'),
    name: 'Name of the Secret in the namespace of the Pod.',
    optional: OBJECT_OPTIONAL,
  },
  PodCertificateProjection: {
    certificateChainPath: 'Relative path of the file with the certificates.',
    credentialBundlePath: 'Relative path of one file with the private key and the certificates.',
    keyPath: 'Relative path of the file with the private key.',
    keyType: 'Type of the key, such as ECDSAP256 or RSA3072.',
    maxExpirationSeconds: 'Longest validity of the certificate in seconds. Defaults to 86400.',
    signerName: 'Signer that issues the certificate.',
    userAnnotations: 'Data for the signer, in the form that it expects.',
  },
  ServiceAccountTokenProjection: {
    audience: 'Recipient that the token is valid for. Defaults to the API server.',
    expirationSeconds: 'Validity of the token in seconds, at least 600. Defaults to 3600.',
    path: 'Relative path of the file with the token.',
  },
};

const LOCAL: TypeTexts = {
  EmptyDirVolumeSource: {
    medium:
      'Medium of the storage. Defaults to the disk of the node; Memory is a file system in memory, which counts as memory of the container.',
    sizeLimit:
      'Largest size, such as 2Gi. The kubelet evicts a Pod that exceeds it. Defaults to no limit.',
  },
  HostPathVolumeSource: {
    path: 'Absolute path on the node.',
    type: 'What must exist at the path: Directory, File, Socket, CharDevice or BlockDevice; DirectoryOrCreate and FileOrCreate create it. Defaults to no check.',
  },
  EphemeralVolumeSource: {
    volumeClaimTemplate: 'Template of the PersistentVolumeClaim.',
  },
  ImageVolumeSource: {
    pullPolicy:
      'Always, IfNotPresent or Never. Defaults to Always for the tag latest, otherwise to IfNotPresent.',
    reference: 'Name of the image with tag or digest.',
  },
  LocalObjectReference: {
    name: 'Name of the object in the namespace of the Pod.',
  },
  GitRepoVolumeSource: {
    directory: 'Folder of the clone in the volume. Defaults to the name of the repository.',
    repository: 'URL of the repository.',
    revision: 'Commit to check out. Defaults to the default branch.',
  },
};

const CLAIMS: TypeTexts = {
  PersistentVolumeClaimTemplate: {
    metadata: 'Labels and annotations of the PersistentVolumeClaim.',
    spec: 'Specification of the PersistentVolumeClaim.',
  },
  ObjectMeta: {
    name: 'Not allowed: the name follows from the Pod and the volume.',
    namespace: 'Not allowed: the namespace is that of the Pod.',
    labels: 'Labels of the object.',
    annotations: 'Annotations of the object.',
    finalizers: 'Not allowed.',
  },
  PersistentVolumeClaimSpec: {
    accessModes:
      'How nodes can mount the volume: ReadWriteOnce, ReadWriteOncePod, ReadOnlyMany or ReadWriteMany.',
    dataSource: 'Volume snapshot or PersistentVolumeClaim whose content the new volume gets.',
    dataSourceRef:
      'Any object that a populator copies into the new volume. Must equal dataSource if both are set.',
    resources: 'Size of the volume.',
    selector: 'Labels of the PersistentVolumes that can be used. It prevents dynamic provisioning.',
    storageClassName:
      'StorageClass of the volume. Defaults to the default StorageClass of the cluster; an empty text selects existing volumes without a class.',
    volumeAttributesClassName:
      'VolumeAttributesClass with settings such as the number of operations per second.',
    volumeMode: 'Filesystem or Block. Defaults to Filesystem.',
    volumeName: 'Name of an existing PersistentVolume to use.',
  },
  VolumeResourceRequirements: {
    limits: 'Largest size of the volume; most storage drivers ignore it.',
    requests: 'Smallest size of the volume, such as storage: 8Gi.',
  },
  TypedLocalObjectReference: {
    apiGroup: 'API group of the object. Defaults to the core group.',
    kind: 'Kind of the object, such as VolumeSnapshot.',
    name: 'Name of the object in the same namespace.',
  },
  TypedObjectReference: {
    apiGroup: 'API group of the object. Defaults to the core group.',
    kind: 'Kind of the object.',
    name: 'Name of the object.',
    namespace:
      'Namespace of the object, which a ReferenceGrant there must permit. Defaults to the same namespace.',
  },
};

export const VOLUME_TEXTS: TypeTexts = { ...VOLUME, ...FILES, ...LOCAL, ...CLAIMS };
