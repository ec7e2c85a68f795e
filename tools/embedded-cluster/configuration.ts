import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { cgroupOf } from './cgroups.ts';
import { nodeAddress, nodeDirectory, nodePods, type Addresses } from './slot.ts';
import { pauseTag } from './releases.ts';

/** Settings of a cluster that determine the files and flags of its programs. */
export interface ClusterSettings {
  name: string;
  directory: string;
  addresses: Addresses;
  /** True for IPv4 and IPv6, false for IPv4 only. */
  dualStack: boolean;
  /** Domain of the cluster DNS. */
  dnsDomain: string;
  /** Number of nodes. */
  nodes: number;
  /** Directory of the CNI plugins. */
  cniPlugins: string;
}

/** Settings of one node of a cluster. */
export interface NodeSettings {
  /** Counted from 1. The first node also runs the control plane. */
  number: number;
  /** Name of the Node object. */
  name: string;
  directory: string;
  /** Addresses of the Node object, one for each IP family. */
  addresses: string[];
  /** Pod CIDRs, one for each IP family. */
  podRanges: string[];
  /** Cgroup root of the kubelet. */
  cgroupRoot: string;
}

/** Returns the settings of the node with this number. */
export function nodeSettings(settings: ClusterSettings, number: number): NodeSettings {
  const { name, addresses, dualStack, nodes } = settings;
  const { node, pods } = addresses.ipv6;
  return {
    number,
    name: nodeName(name, number),
    directory: nodeDirectory(name, number),
    addresses: [nodeAddress(addresses, number), ...(dualStack ? [node] : [])],
    podRanges: [nodePods(addresses, number, nodes), ...(dualStack ? [pods] : [])],
    cgroupRoot: cgroupOf(name, number),
  };
}

/** Returns the settings of all nodes, the first node first. */
export const allNodeSettings = (settings: ClusterSettings): NodeSettings[] =>
  Array.from({ length: settings.nodes }, (_, index) => nodeSettings(settings, index + 1));

/** Returns the Pod CIDRs of the cluster, one for each IP family. */
export const podRanges = ({ addresses, dualStack }: ClusterSettings): string[] => [
  addresses.pods,
  ...(dualStack ? [addresses.ipv6.pods] : []),
];

/** Audit policy: logs the user, verb and resource of every request, without the stage RequestReceived. */
const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};

function cniNetwork({ name, dualStack, nodes }: ClusterSettings, node: NodeSettings): object {
  const ipam = {
    type: 'host-local',
    dataDir: join(node.directory, 'ipam'),
    ranges: node.podRanges.map((subnet) => [{ subnet }]),
    routes: [{ dst: '0.0.0.0/0' }, ...(dualStack ? [{ dst: '::/0' }] : [])],
  };
  const bridge = {
    type: 'bridge',
    bridge: 'cni0',
    isGateway: true,
    // The plugin would also replace source addresses of packets to Pods of other nodes.
    ipMasq: nodes === 1,
    hairpinMode: true,
    ipam,
  };
  const portmap = { type: 'portmap', capabilities: { portMappings: true } };
  return { cniVersion: '0.4.0', name, plugins: [bridge, portmap, { type: 'loopback' }] };
}

/** Folder with the registry configuration, which the container runtime reads at every pull. */
export const registriesDirectory = (directory: string): string => join(directory, 'registries');

/** Renders the TOML of containerd 1.6. Values are our own paths and constants, quoted as JSON, which is valid TOML. */
function containerdToml(settings: ClusterSettings, { directory }: NodeSettings): string {
  const q = JSON.stringify;
  return `version = 2
root = ${q(join(directory, 'containerd'))}
state = "/run/containerd/state"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = ${q(join(directory, 'opt'))}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:${pauseTag}"
  disable_apparmor = true
  # Without CAP_SYS_RESOURCE runc cannot lower an OOM score.
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = ${q(registriesDirectory(settings.directory))}
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = ${q(settings.cniPlugins)}
    conf_dir = ${q(join(directory, 'cni'))}
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
`;
}

function kubeletConfiguration(settings: ClusterSettings, node: NodeSettings): object {
  const { directory, addresses, dnsDomain } = settings;
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: false },
      x509: { clientCAFile: join(directory, 'pki/ca.crt') },
    },
    authorization: { mode: 'AlwaysAllow' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: node.cgroupRoot,
    failCgroupV1: false,
    failSwapOn: false,
    clusterDNS: [addresses.dns],
    clusterDomain: dnsDomain,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    resolvConf: join(directory, 'resolv.conf'),
    maxPods: 250,
    serializeImagePulls: false,
    // Otherwise Pods without credentials could not use an image that was pulled with credentials. Suites share images.
    imagePullCredentialsVerificationPolicy: 'NeverVerify',
    // The disks of many users are nearly full. The kubelet evicts Pods only shortly before a disk is full.
    evictionHard: {
      'nodefs.available': '1Gi',
      'imagefs.available': '1Gi',
      'memory.available': '100Mi',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    enforceNodeAllocatable: ['pods'],
    volumePluginDir: join(node.directory, 'volume-plugins'),
    podLogsDir: join(node.directory, 'pod-logs'),
    syncFrequency: '10s',
    fileCheckFrequency: '60s',
  };
}

function proxyConfiguration(settings: ClusterSettings, node: NodeSettings): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: join(settings.directory, 'admin.kubeconfig') },
    clusterCIDR: podRanges(settings).join(),
    mode: 'iptables',
    hostnameOverride: node.name,
    // 0 disables these, because they are kernel settings of the whole machine.
    conntrack: { maxPerCore: 0, min: 0 },
  };
}

/** Returns the name of a node. `node-e2e-2` would be easy to confuse with the first node of the cluster `e2e-2`. */
export const nodeName = (cluster: string, number = 1): string =>
  number === 1 ? `node-${cluster}` : `node-${String(number)}-${cluster}`;

async function writeFiles(
  directory: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files))
    await writeFile(join(directory, name), content);
}

/** Writes the configuration files of the programs of all nodes. */
export async function writeConfiguration(settings: ClusterSettings): Promise<void> {
  await writeFiles(settings.directory, {
    'audit-policy.yaml': dump(auditPolicy),
    'resolv.conf': 'nameserver 127.0.0.1\n',
  });
  for (const node of allNodeSettings(settings)) {
    await mkdir(join(node.directory, 'cni'), { recursive: true });
    await mkdir(join(node.directory, 'pod-logs'), { recursive: true });
    await writeFiles(node.directory, {
      'cni/10-bridge.conflist': JSON.stringify(cniNetwork(settings, node)),
      'containerd.toml': containerdToml(settings, node),
      'kubelet.yaml': dump(kubeletConfiguration(settings, node)),
      'proxy.yaml': dump(proxyConfiguration(settings, node)),
    });
  }
}
