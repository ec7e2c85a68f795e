/** Settings of a Karmada that cannot work in its host cluster, and versions. */
import { PLAIN, SMALL, type Fault } from './fault.ts';

const NETWORK: readonly Fault[] = [
  {
    id: 'dns-domain',
    title: 'a DNS domain that the host cluster does not have',
    reports: ['karmada-io/karmada#2338', 'karmada-io/karmada#3291', 'apache/apisix-helm-chart#33'],
    spec: { hostCluster: { networking: { dnsDomain: 'wrong.example' } } },
    named: {
      type: 'Degraded',
      reason: 'NameNotResolved',
      object: /spec\.hostCluster\.networking\.dnsDomain: .*wrong\.example/,
      remedy: /set the DNS domain of the host cluster, or check its DNS service/,
    },
    // The API server listens, so the operator tries to reach it.
    evidence: /apiserver","ready":true/,
  },
  {
    id: 'service-subnet',
    title: 'a range of Services of another IP family than its Pods',
    reports: ['kubernetes/kubernetes#111671', 'kubernetes/kubeadm#2754', 'k3s-io/k3s#6063'],
    components: { ...PLAIN, karmadaAPIServer: { serviceSubnet: 'fd00:10:96::/112' } },
    named: {
      type: 'Warning',
      reason: 'ServiceSubnetFamily',
      object: /karmadaAPIServer\.serviceSubnet/,
      remedy: /set an IPv4 range/,
    },
    // Pods show the family of the host cluster.
    evidence: /"podIP":"/,
  },
  {
    id: 'proxy-etcd',
    title: 'a proxy for etcd',
    reports: ['k3s-io/k3s#2388'],
    components: PLAIN,
    spec: {
      podSettings: [
        { components: ['etcd'], env: [{ name: 'HTTPS_PROXY', value: 'http://127.0.0.1:9' }] },
      ],
    },
    named: {
      type: 'Warning',
      reason: 'ProxyIgnored',
      object: /spec\.podSettings\[0\]\.env/,
      remedy: /remove etcd from components/,
    },
    isWarning: true,
  },
  {
    id: 'host-cluster',
    title: 'a remote host cluster whose Secret does not exist',
    components: SMALL,
    spec: { hostCluster: { secretRef: { name: 'none', namespace: 'fault-host-cluster' } } },
    named: {
      type: 'HostReachable',
      reason: 'HostSecretMissing',
      object: /Secret \S*none not found/,
      remedy: /create it/,
    },
  },
];

const VERSIONS: readonly Fault[] = [
  {
    id: 'pair',
    title: 'a Kubernetes version that the Karmada release does not support',
    components: { ...PLAIN, karmadaAPIServer: { imageTag: 'v1.26.0' } },
    named: {
      type: 'Warning',
      reason: 'UnsupportedVersions',
      object: /kube-apiserver 1\.27 to 1\.36, not v1\.26\.0/,
      remedy: /set spec\.components\.\{karmadaAPIServer,kubeControllerManager\}\.imageTag/,
    },
  },
  {
    id: 'etcd-tag',
    title: 'an etcd tag that is no version of etcd',
    components: { etcd: { local: { imageTag: '1.8.1' } } },
    named: {
      type: 'Warning',
      reason: 'UnknownVersion',
      object: /etcd\.local\.imageTag/,
      remedy: /use a tag such as/,
    },
  },
  {
    id: 'unknown-flag',
    title: 'a flag that the release does not have, before the component runs',
    components: { ...PLAIN, karmadaWebhook: { extraArgs: { 'no-such-flag': 'x' } } },
    named: {
      type: 'Warning',
      reason: 'UnknownFlag',
      object: /karmadaWebhook\.extraArgs: .* has no flag "no-such-flag"/,
      remedy: /remove the flag/,
    },
  },
  {
    id: 'etcd-fault',
    title: 'an etcd release with a known fault',
    reports: ['etcd-io/etcd#16798', 'etcd-io/etcd#10114'],
    components: { etcd: { local: { imageTag: '3.6.6-0' } } },
    named: {
      type: 'Warning',
      reason: 'FaultyEtcdRelease',
      object: /etcd\.local\.imageTag/,
      remedy: /use etcd 3\.6\.\d+ or a newer patch release/,
    },
  },
];

export const SPEC_FAULTS: readonly Fault[] = [...NETWORK, ...VERSIONS];
