import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import type { Addresses } from './slot.ts';
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
  /** Cgroup root of the kubelet. */
  cgroupRoot: string;
  /** Directory of the CNI plugins. */
  cniPlugins: string;
}

/** Returns the Pod CIDRs, one for each IP family. */
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

function cniNetwork(settings: ClusterSettings): object {
  const { name, directory } = settings;
  const ipam = {
    type: 'host-local',
    dataDir: join(directory, 'ipam'),
    ranges: podRanges(settings).map((subnet) => [{ subnet }]),
    routes: [{ dst: '0.0.0.0/0' }, ...(settings.dualStack ? [{ dst: '::/0' }] : [])],
  };
  const bridge = {
    type: 'bridge',
    bridge: 'cni0',
    isGateway: true,
    ipMasq: true,
    hairpinMode: true,
    ipam,
  };
  const portmap = { type: 'portmap', capabilities: { portMappings: true } };
  return { cniVersion: '0.4.0', name, plugins: [bridge, portmap, { type: 'loopback' }] };
}

/** Folder with the registry configuration, which the container runtime reads at every pull. */
export const registriesDirectory = (directory: string): string => join(directory, 'registries');

/** Renders the TOML of containerd 1.6. Values are our own paths and constants, quoted as JSON, which is valid TOML. */
function containerdToml({ directory, cniPlugins }: ClusterSettings): string {
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
    config_path = ${q(registriesDirectory(directory))}
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = ${q(cniPlugins)}
    conf_dir = ${q(join(directory, 'cni'))}
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
`;
}

function kubeletConfiguration(settings: ClusterSettings): object {
  const { directory, addresses, cgroupRoot, dnsDomain } = settings;
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
    cgroupRoot,
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
    volumePluginDir: join(directory, 'volume-plugins'),
    podLogsDir: join(directory, 'pod-logs'),
    syncFrequency: '10s',
    fileCheckFrequency: '60s',
  };
}

function proxyConfiguration(settings: ClusterSettings): object {
  const { name, directory } = settings;
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: join(directory, 'admin.kubeconfig') },
    clusterCIDR: podRanges(settings).join(),
    mode: 'iptables',
    hostnameOverride: nodeName(name),
    // 0 disables these, because they are kernel settings of the whole machine.
    conntrack: { maxPerCore: 0, min: 0 },
  };
}

/** Returns the name of the single node of a cluster. */
export const nodeName = (cluster: string): string => `node-${cluster}`;

/** Writes the configuration files of the cluster programs. */
export async function writeConfiguration(settings: ClusterSettings): Promise<void> {
  const { directory } = settings;
  await mkdir(join(directory, 'cni'), { recursive: true });
  await mkdir(join(directory, 'pod-logs'), { recursive: true });
  const files: Record<string, string> = {
    'audit-policy.yaml': dump(auditPolicy),
    'cni/10-bridge.conflist': JSON.stringify(cniNetwork(settings)),
    'containerd.toml': containerdToml(settings),
    'kubelet.yaml': dump(kubeletConfiguration(settings)),
    'proxy.yaml': dump(proxyConfiguration(settings)),
    'resolv.conf': 'nameserver 127.0.0.1\n',
  };
  for (const [name, content] of Object.entries(files))
    await writeFile(join(directory, name), content);
}
