/** Rules for volumes and volume sources. */
import { annotations, labels, SHORT_KEYS } from './claims.ts';
import { exactlyOne, FILES, NAMED } from './files.ts';
import type { Overlay, TypeRules } from './overlay.ts';
import {
  ALNUM,
  AMOUNT,
  DNS_LABEL,
  FILE_MODE,
  NOT_EMPTY,
  OBJECT_NAME,
  OPTIONAL_DNS_LABEL,
  OPTIONAL_RELATIVE_PATH,
  PATH,
  PULL_POLICY,
} from './patterns.ts';

const PARTITION: Overlay = { minimum: 0, maximum: 255 };
const ISCSI_NAME =
  '(iqn\\.(.*iqn\\.)?\\d{4}-\\d{2}\\.[-.A-Za-z0-9]+:[^,;*&$|\\s]+|eui.[A-Za-z0-9]{16}|naa.[A-Za-z0-9]{32})';
/** `host:port`; a host that contains colons is in brackets. */
const HOST_AND_PORT = '(\\[[^\\[\\],]*\\]|[^\\[\\]:,]*):[^\\[\\]:,]*';

const SOURCES: TypeRules = {
  AWSElasticBlockStoreVolumeSource: { fields: { volumeID: NOT_EMPTY, partition: PARTITION } },
  AzureDiskVolumeSource: {
    fields: {
      diskName: NOT_EMPTY,
      diskURI: NOT_EMPTY,
      cachingMode: { enum: ['None', 'ReadOnly', 'ReadWrite'] },
      kind: { enum: ['Shared', 'Dedicated', 'Managed'] },
    },
    rules: [
      {
        rule: "self.diskURI.startsWith(self.?kind.orValue('Shared') == 'Managed' ? '/subscriptions/' : 'https://')",
        message: 'diskURI must start with /subscriptions/ for kind Managed, else with https://',
      },
    ],
  },
  AzureFileVolumeSource: { fields: { secretName: NOT_EMPTY, shareName: NOT_EMPTY } },
  CSIVolumeSource: {
    fields: {
      driver: { pattern: `^${ALNUM}+((\\.|-+)${ALNUM}+)*$`, maxLength: 63 },
      nodePublishSecretRef: { required: ['name'], fields: { name: OBJECT_NAME } },
      volumeAttributes: SHORT_KEYS,
    },
  },
  CephFSVolumeSource: { fields: { monitors: { minItems: 1 } } },
  CinderVolumeSource: { fields: { volumeID: NOT_EMPTY, secretRef: NAMED } },
  EmptyDirVolumeSource: { fields: { sizeLimit: AMOUNT } },
  EphemeralVolumeSource: { required: ['volumeClaimTemplate'] },
  FCVolumeSource: {
    rules: [
      {
        rule: 'self.?targetWWNs.orValue([]) != [] ? self.?wwids.orValue([]) == [] && has(self.lun) && self.lun >= 0 && self.lun <= 255 : self.?wwids.orValue([]) != []',
        message: 'set either wwids, or targetWWNs with a lun of 0 to 255',
      },
    ],
  },
  FlexVolumeSource: {
    fields: {
      driver: NOT_EMPTY,
      options: {
        maxProperties: 256,
        rules: [
          {
            rule: "self.all(k, size(k) <= 150 && !k.matches('^(?i)([^/]*[.])?(kubernetes|k8s)[.]io(/|$)'))",
            message: 'keys must not exceed 150 characters; kubernetes.io and k8s.io are reserved',
          },
        ],
      },
    },
  },
  FlockerVolumeSource: {
    fields: { datasetName: { pattern: '^[^/]*$' } },
    rules: [
      {
        rule: "(self.?datasetName.orValue('') == '') != (self.?datasetUUID.orValue('') == '')",
        message: 'exactly one of datasetName and datasetUUID must be set',
      },
    ],
  },
  GCEPersistentDiskVolumeSource: { fields: { pdName: NOT_EMPTY, partition: PARTITION } },
  GitRepoVolumeSource: { fields: { repository: NOT_EMPTY, directory: OPTIONAL_RELATIVE_PATH } },
  GlusterfsVolumeSource: { fields: { endpoints: NOT_EMPTY, path: NOT_EMPTY } },
  HostPathVolumeSource: {
    fields: {
      path: PATH,
      type: {
        enum: [
          '',
          'DirectoryOrCreate',
          'Directory',
          'FileOrCreate',
          'File',
          'Socket',
          'CharDevice',
          'BlockDevice',
        ],
      },
    },
  },
  ISCSIVolumeSource: {
    fields: {
      targetPortal: { minLength: 1, maxLength: 1024 },
      iqn: { pattern: `^${ISCSI_NAME}$` },
      initiatorName: { pattern: `^${ISCSI_NAME}$` },
      lun: PARTITION,
    },
    rules: [
      {
        rule: 'has(self.secretRef) || !(self.?chapAuthDiscovery.orValue(false) || self.?chapAuthSession.orValue(false))',
        message: 'chapAuthDiscovery and chapAuthSession require secretRef',
      },
    ],
  },
  ImageVolumeSource: { fields: { pullPolicy: PULL_POLICY } },
  NFSVolumeSource: { fields: { server: NOT_EMPTY, path: { pattern: '^/' } } },
  PersistentVolumeClaimVolumeSource: { fields: { claimName: NOT_EMPTY } },
  PhotonPersistentDiskVolumeSource: { fields: { pdID: NOT_EMPTY } },
  PortworxVolumeSource: { fields: { volumeID: NOT_EMPTY } },
  QuobyteVolumeSource: {
    fields: {
      registry: { pattern: `^${HOST_AND_PORT}(,${HOST_AND_PORT})*$` },
      volume: NOT_EMPTY,
      tenant: { pattern: '^[\\x00-\\x7f]{0,64}$' },
    },
  },
  RBDVolumeSource: { fields: { monitors: { minItems: 1 }, image: NOT_EMPTY } },
  ScaleIOVolumeSource: {
    required: ['volumeName'],
    fields: { gateway: NOT_EMPTY, system: NOT_EMPTY, volumeName: NOT_EMPTY },
  },
  SecretVolumeSource: {
    required: ['secretName'],
    fields: { secretName: NOT_EMPTY, defaultMode: FILE_MODE },
  },
  StorageOSVolumeSource: {
    required: ['volumeName'],
    fields: { volumeName: DNS_LABEL, volumeNamespace: OPTIONAL_DNS_LABEL, secretRef: NAMED },
  },
  VsphereVirtualDiskVolumeSource: { fields: { volumePath: NOT_EMPTY } },
};

/**
 * Rules for a Pod volume. `src/api/validation/volumes.ts` validates that files of a projected volume have different
 * paths: comparing all pairs in CEL exceeds the cost budget.
 * @param sources names of the fields that are volume sources
 */
export function volume(sources: readonly string[]): Overlay {
  return {
    fields: {
      name: DNS_LABEL,
      ephemeral: {
        fields: {
          volumeClaimTemplate: {
            fields: {
              metadata: {
                fields: {
                  name: { maxLength: 0 },
                  namespace: { maxLength: 0 },
                  labels: labels(),
                  annotations: annotations(),
                },
                rules: [
                  {
                    rule: '!has(self.finalizers)',
                    message:
                      'finalizers are not allowed in the PVC template of an ephemeral volume',
                  },
                ],
              },
            },
          },
        },
      },
    },
    rules: [
      exactlyOne(sources, 'exactly one volume source, such as emptyDir, must be set'),
      {
        rule: '!has(self.iscsi) || !has(self.iscsi.initiatorName) || size(self.name) + size(self.iscsi.targetPortal) < 64',
        message: 'name and iscsi.targetPortal together must have fewer than 64 characters',
      },
    ],
  };
}

export const VOLUMES: TypeRules = { ...SOURCES, ...FILES };
