import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { coreDnsTag } from './releases.ts';

/** Domain whose names the cluster DNS never answers, like one whose name servers are silent. */
export const SILENT_DOMAIN = 'silent.test';

const corefile = (domain: string): string => `.:53 {
    errors
    health
    ready
    kubernetes ${domain} in-addr.arpa ip6.arpa {
      pods insecure
      ttl 5
    }
    cache 5
    reload
    loadbalance
}
${SILENT_DOMAIN}:53 {
    erratic {
      drop 1
    }
}
`;

const meta = { name: 'coredns', namespace: 'kube-system' };
const labels = { 'k8s-app': 'kube-dns' };

function coreDnsDeployment(node: string): KubernetesObject {
  const container = {
    name: 'coredns',
    image: `registry.k8s.io/coredns/coredns:${coreDnsTag}`,
    args: ['-conf', '/etc/coredns/Corefile'],
    volumeMounts: [{ name: 'config', mountPath: '/etc/coredns' }],
    readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
  };
  const template = {
    metadata: { labels },
    spec: {
      serviceAccountName: 'coredns',
      priorityClassName: 'system-cluster-critical',
      dnsPolicy: 'Default',
      // The only replica must not be on a node that a test freezes or removes.
      nodeSelector: { 'kubernetes.io/hostname': node },
      containers: [container],
      volumes: [{ name: 'config', configMap: { name: 'coredns' } }],
    },
  };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta, spec };
}

/**
 * Returns the objects of a new cluster: cluster DNS and a default StorageClass.
 * @param node name of the node for the cluster DNS
 */
export function clusterAddons(
  dnsAddress: string,
  domain: string,
  node: string,
): KubernetesObject[] {
  const rules = [
    {
      apiGroups: [''],
      resources: ['endpoints', 'services', 'pods', 'namespaces'],
      verbs: ['list', 'watch'],
    },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
  ];
  const rbac = 'rbac.authorization.k8s.io';
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'system:coredns' }, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'system:coredns' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'system:coredns' },
      subjects: [{ kind: 'ServiceAccount', ...meta }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta, data: { Corefile: corefile(domain) } },
    coreDnsDeployment(node),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace: 'kube-system' },
      spec: { clusterIP: dnsAddress, selector: labels, ports },
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: {
        name: 'local-path',
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: 'embedded.cluster/local-path',
      volumeBindingMode: 'WaitForFirstConsumer',
      reclaimPolicy: 'Delete',
    },
  ];
}
