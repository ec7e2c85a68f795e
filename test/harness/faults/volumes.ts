/** Volumes, ConfigMaps and Secrets that do not exist or cannot be used. */
import { object, settings, SMALL, type Fault } from './fault.ts';

const claim = (given: object): object => ({
  etcd: {
    local: {
      volumeData: {
        volumeClaim: {
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            ...given,
          },
        },
      },
    },
  },
});

/** kube-apiserver with one more volume. */
const volume = (source: object): object =>
  settings('karmadaAPIServer', {
    extraVolumes: [{ name: 'given', ...source }],
    extraVolumeMounts: [{ name: 'given', mountPath: '/etc/given' }],
  });

const variable = (valueFrom: object): object => ({
  podSettings: [{ components: ['karmadaScheduler'], env: [{ name: 'GIVEN', valueFrom }] }],
});

const MOUNT = /FailedMount/;
const CONFIG = /CreateContainerConfigError/;

/** A volume of the host whose directory belongs to root. Kubernetes does not apply fsGroup to it. */
const rootVolume: Fault['objects'] = (namespace) => [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: namespace },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      storageClassName: namespace,
      hostPath: { path: `/var/lib/karmada-faults/${namespace}`, type: 'DirectoryOrCreate' },
      persistentVolumeReclaimPolicy: 'Retain',
    },
  },
];

export const VOLUME_FAULTS: readonly Fault[] = [
  {
    id: 'storage-class',
    title: 'a StorageClass that does not exist',
    reports: ['brigadecore/brigade#293'],
    components: claim({ storageClassName: 'none' }),
    named: {
      type: 'EtcdReady',
      reason: 'ClaimNotBound',
      object: /Claim .*of StorageClass none/,
      remedy: /create it, or correct spec\.components\.etcd\.local\.volumeData/,
    },
    evidence: /FailedScheduling|ProvisioningFailed/,
  },
  {
    id: 'no-volume',
    title: 'a claim without a class that no PersistentVolume satisfies',
    reports: ['patroni/patroni#803', 'bitpoke/mysql-operator#360'],
    components: claim({ storageClassName: '' }),
    named: {
      type: 'EtcdReady',
      reason: 'ClaimNotBound',
      object: /Claim .*etcd-data-karmada-etcd-0/,
      remedy: /create a PersistentVolume or a default StorageClass/,
    },
    evidence: /FailedBinding|FailedScheduling/,
  },
  {
    id: 'root-volume',
    title: 'an etcd volume whose directory belongs to root',
    reports: ['kubernetes-sigs/kubespray#980', 'piraeusdatastore/piraeus-operator#93'],
    components: claim({ storageClassName: 'fault-root-volume' }),
    objects: rootVolume,
    named: {
      type: 'EtcdReady',
      reason: 'VolumeNotWritable',
      object: /Pod .*karmada-etcd-0.*\/var\/lib\/etcd/,
      remedy: /run chown -R 65532:65532 on the volume/,
    },
    evidence: /"terminated"|CrashLoopBackOff/,
  },
  {
    id: 'config-map',
    title: 'a volume of a ConfigMap that does not exist',
    reports: ['kubernetes/kubernetes#28772', 'dromara/CloudEon#177'],
    components: volume({ configMap: { name: 'none' } }),
    named: {
      type: 'APIServerReady',
      reason: 'VolumeSourceMissing',
      object: /ConfigMap \S+\/none does not exist/,
      remedy: /create it, or correct spec\.components\.karmadaAPIServer\.extraVolumes/,
    },
    evidence: MOUNT,
  },
  {
    id: 'secret',
    title: 'a volume of a Secret that does not exist',
    reports: ['cloudfoundry/eirini-release#111'],
    components: volume({ secret: { secretName: 'none' } }),
    named: {
      type: 'APIServerReady',
      reason: 'VolumeSourceMissing',
      object: /Secret \S+\/none does not exist/,
      remedy: /create it, or correct spec\.components\.karmadaAPIServer\.extraVolumes/,
    },
    evidence: MOUNT,
  },
  {
    id: 'config-key',
    title: 'a volume of a key that its ConfigMap does not have',
    reports: ['kubernetes/kubernetes#41573', 'galexrt/kubernetes-keycloak#5'],
    components: volume({ configMap: { name: 'given', items: [{ key: 'none', path: 'none' }] } }),
    objects: () => [object('ConfigMap', 'given', { data: { other: 'x' } })],
    named: {
      type: 'APIServerReady',
      reason: 'VolumeSourceMissing',
      object: /volume given .*no key none/,
      remedy: /add the key, or correct the items of the volume/,
    },
    evidence: MOUNT,
  },
  {
    id: 'host-path',
    title: 'a hostPath that does not exist on the node',
    reports: ['kubernetes/kubernetes#90263', 'Addyvan/valheim-k8s#27'],
    components: volume({ hostPath: { path: '/none', type: 'Directory' } }),
    named: {
      type: 'APIServerReady',
      reason: 'VolumeNotMounted',
      object: /volume given .*\/none on the node/,
      remedy: /create it on the node, or correct the hostPath/,
    },
    evidence: MOUNT,
  },
  {
    id: 'env-config-map',
    title: 'a variable of a ConfigMap that does not exist',
    reports: ['TwiN/gatus#1504'],
    components: SMALL,
    spec: variable({ configMapKeyRef: { name: 'none', key: 'a' } }),
    named: {
      type: 'SchedulerReady',
      reason: 'ContainerConfigError',
      object: /ConfigMap \S*none/,
      remedy: /create it/,
    },
    evidence: CONFIG,
  },
  {
    id: 'env-secret-key',
    title: 'a variable of a key that its Secret does not have',
    reports: ['keptn/lifecycle-toolkit#588', 'hetznercloud/csi-driver#1389'],
    components: SMALL,
    spec: variable({ secretKeyRef: { name: 'given', key: 'none' } }),
    objects: () => [object('Secret', 'given', { stringData: { other: 'x' } })],
    named: {
      type: 'SchedulerReady',
      reason: 'ContainerConfigError',
      object: /Secret \S+given has no key none/,
      remedy: /add the key/,
    },
    evidence: CONFIG,
  },
  {
    id: 'sidecar',
    title: 'a sidecar that ends at once',
    components: settings('karmadaAPIServer', {
      sidecarContainers: [
        {
          name: 'given',
          image: 'registry.k8s.io/etcd:3.6.14-0',
          command: ['etcd', '--no-such-flag'],
        },
      ],
    }),
    named: {
      type: 'APIServerReady',
      reason: 'SidecarFails',
      object: /container given ends with exit code/,
      remedy: /read its log with kubectl -n \S+ logs/,
    },
    evidence: /CrashLoopBackOff|"restartCount":[2-9]/,
  },
];
