import { join } from 'node:path';
import {
  nodeSettings,
  podRanges,
  type ClusterSettings,
  type NodeSettings,
} from './configuration.ts';

/** Names of the programs that run on every node. */
export type NodeProgramName = 'containerd' | 'kubelet' | 'kube-proxy';

/** Names of the programs of the first node. */
export type ProgramName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'local-path-provisioner'
  | NodeProgramName;

/** Paths of the executables. */
export interface Executables {
  etcd: string;
  kubernetes: string;
}

function flags(values: Readonly<Record<string, string | boolean>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${String(value)}`);
}

const joined = (first: string, second: string, { dualStack }: ClusterSettings): string =>
  dualStack ? `${first},${second}` : first;

function apiServer(settings: ClusterSettings): Record<string, string | boolean> {
  const { directory, addresses, dnsDomain } = settings;
  const pki = (file: string): string => join(directory, 'pki', file);
  return {
    'etcd-servers': 'http://127.0.0.1:2379',
    'advertise-address': addresses.node,
    'secure-port': '6443',
    'service-cluster-ip-range': joined(addresses.services, addresses.ipv6.services, settings),
    'tls-cert-file': pki('apiserver.crt'),
    'tls-private-key-file': pki('apiserver.key'),
    'client-ca-file': pki('ca.crt'),
    'service-account-key-file': pki('service-account.pub'),
    'service-account-signing-key-file': pki('service-account.key'),
    'service-account-issuer': `https://kubernetes.default.svc.${dnsDomain}`,
    'authorization-mode': 'RBAC',
    'allow-privileged': true,
    'enable-admission-plugins': 'NodeRestriction,PodSecurity',
    'kubelet-client-certificate': pki('admin.crt'),
    'kubelet-client-key': pki('admin.key'),
    'kubelet-preferred-address-types': 'InternalIP',
    'requestheader-client-ca-file': pki('ca.crt'),
    'requestheader-allowed-names': 'front-proxy-client',
    'requestheader-username-headers': 'X-Remote-User',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'proxy-client-cert-file': pki('front-proxy.crt'),
    'proxy-client-key-file': pki('front-proxy.key'),
    'audit-log-path': join(directory, 'audit.log'),
    'audit-policy-file': join(directory, 'audit-policy.yaml'),
    v: '1',
  };
}

/** Flags of the etcd of the embedded cluster (not of Karmada). It skips fsync, because its data is temporary. */
function etcd({ directory }: ClusterSettings): Record<string, string | boolean> {
  return {
    'data-dir': join(directory, 'etcd'),
    'listen-client-urls': 'http://127.0.0.1:2379',
    'advertise-client-urls': 'http://127.0.0.1:2379',
    'listen-peer-urls': 'http://127.0.0.1:2380',
    'initial-advertise-peer-urls': 'http://127.0.0.1:2380',
    'initial-cluster': 'default=http://127.0.0.1:2380',
    'unsafe-no-fsync': true,
    'log-level': 'warn',
  };
}

function controllerManager(settings: ClusterSettings): Record<string, string | boolean> {
  const { directory } = settings;
  const pki = (file: string): string => join(directory, 'pki', file);
  return {
    kubeconfig: join(directory, 'admin.kubeconfig'),
    'root-ca-file': pki('ca.crt'),
    'service-account-private-key-file': pki('service-account.key'),
    'cluster-signing-cert-file': pki('ca.crt'),
    'cluster-signing-key-file': pki('ca.key'),
    'use-service-account-credentials': true,
    'cluster-cidr': podRanges(settings).join(),
    'allocate-node-cidrs': false,
    'leader-elect': false,
    'bind-address': '127.0.0.1',
  };
}

function kubelet(
  settings: ClusterSettings,
  { name, directory, addresses }: NodeSettings,
): Record<string, string | boolean> {
  return {
    config: join(directory, 'kubelet.yaml'),
    kubeconfig: join(settings.directory, 'admin.kubeconfig'),
    'root-dir': join(directory, 'kubelet'),
    'hostname-override': name,
    'node-ip': addresses.join(),
    'cert-dir': join(directory, 'kubelet-pki'),
    v: '2',
  };
}

/** Returns the command lines of the programs that run on every node. The first word is the executable. */
export function nodeProgramCommands(
  settings: ClusterSettings,
  node: NodeSettings,
  { kubernetes }: Pick<Executables, 'kubernetes'>,
): Record<NodeProgramName, string[]> {
  const { name, directory } = node;
  return {
    containerd: ['containerd', '--config', join(directory, 'containerd.toml')],
    kubelet: [kubernetes, 'kubelet', ...flags(kubelet(settings, node))],
    'kube-proxy': [
      kubernetes,
      'kube-proxy',
      '--config',
      join(directory, 'proxy.yaml'),
      `--hostname-override=${name}`,
    ],
  };
}

/** Returns the command line of each program of the first node. The first word is the executable. */
export function programCommands(
  settings: ClusterSettings,
  { etcd: etcdFile, kubernetes }: Executables,
): Record<ProgramName, string[]> {
  const { directory } = settings;
  const kubeconfig = join(directory, 'admin.kubeconfig');
  const scheduler = { kubeconfig, 'leader-elect': false, 'bind-address': '127.0.0.1' };
  const provisioner = { kubeconfig, root: join(directory, 'volumes') };
  return {
    etcd: [etcdFile, ...flags(etcd(settings))],
    'kube-apiserver': [kubernetes, 'kube-apiserver', ...flags(apiServer(settings))],
    'kube-controller-manager': [
      kubernetes,
      'kube-controller-manager',
      ...flags(controllerManager(settings)),
    ],
    'kube-scheduler': [kubernetes, 'kube-scheduler', ...flags(scheduler)],
    'local-path-provisioner': [kubernetes, 'local-path-provisioner', ...flags(provisioner)],
    ...nodeProgramCommands(settings, nodeSettings(settings, 1), { kubernetes }),
  };
}
