/** StatefulSet of an etcd as the Go operator of Karmada v1.17 writes it (operator/pkg/controlplane/etcd/manifests.go). */
import { instanceName, SECRET_SUFFIX } from '../../../src/api/naming.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { VOLUME_CLAIM } from '../../harness/etcd-scene.ts';

interface GoEtcd {
  readonly namespace: string;
  /** Name of the Karmada. */
  readonly name: string;
  readonly image: string;
  readonly members: number;
  readonly isInPods?: boolean;
}

const VOLUME = 'etcd-data';
const PKI = '/etc/karmada/pki/etcd';

/** Without `--cipher-suites`. */
function commandOf({ namespace, name, members }: GoEtcd): readonly string[] {
  const set = instanceName(name, 'etcd');
  const domain = `${namespace}.svc.cluster.local`;
  const initial = Array.from({ length: members }, (_, ordinal) => {
    const member = `${set}-${String(ordinal)}`;
    return `${member}=http://${member}.${set}.${domain}:2380`;
  });
  return [
    '/usr/local/bin/etcd',
    '--name=$(KARMADA_ETCD_NAME)',
    '--listen-client-urls=https://0.0.0.0:2379',
    '--listen-peer-urls=http://0.0.0.0:2380',
    `--advertise-client-urls=https://${instanceName(name, 'etcd-client')}.${domain}:2379`,
    `--initial-cluster=${initial.join()}`,
    '--initial-cluster-state=new',
    '--client-cert-auth=true',
    `--trusted-ca-file=${PKI}/etcd-ca.crt`,
    `--cert-file=${PKI}/etcd-server.crt`,
    `--key-file=${PKI}/etcd-server.key`,
    '--data-dir=/var/lib/etcd',
    '--snapshot-count=10000',
    '--log-level=debug',
  ];
}

/** Without the liveness probe, which needs a shell. */
const containerOf = (etcd: GoEtcd): object => ({
  name: 'etcd',
  image: etcd.image,
  imagePullPolicy: 'IfNotPresent',
  command: commandOf(etcd),
  env: [
    {
      name: 'KARMADA_ETCD_NAME',
      valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
    },
  ],
  ports: [
    { containerPort: 2379, name: 'client', protocol: 'TCP' },
    { containerPort: 2380, name: 'server', protocol: 'TCP' },
  ],
  volumeMounts: [
    { mountPath: '/var/lib/etcd', name: VOLUME },
    { mountPath: PKI, name: 'etcd-cert' },
  ],
});

export function goStatefulSet(etcd: GoEtcd): KubernetesObject {
  const { namespace, name, members, isInPods = false } = etcd;
  const set = instanceName(name, 'etcd');
  const labels = { 'app.kubernetes.io/name': 'etcd', 'app.kubernetes.io/instance': name };
  const secret = { secretName: instanceName(name, SECRET_SUFFIX.etcdCert) };
  const claim = { metadata: { name: VOLUME }, spec: VOLUME_CLAIM.volumeClaim.spec };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      namespace,
      name: set,
      labels: { ...labels, 'app.kubernetes.io/managed-by': 'karmada-operator' },
    },
    spec: {
      replicas: members,
      serviceName: set,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          containers: [containerOf(etcd)],
          volumes: [
            { name: 'etcd-cert', secret },
            ...(isInPods ? [{ name: VOLUME, emptyDir: {} }] : []),
          ],
        },
      },
      ...(!isInPods && { volumeClaimTemplates: [claim] }),
    },
  };
}
