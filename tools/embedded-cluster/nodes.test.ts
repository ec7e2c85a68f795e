import { describe, expect, it } from '@jest/globals';
import { cgroupOf, controlGroups } from './cgroups.ts';
import { allNodeSettings, nodeName, nodeSettings, type ClusterSettings } from './configuration.ts';
import { freezeNode, removeNode, thawNode } from './node-failures.ts';
import { masqueradeRules } from './node-network.ts';
import { nodeProgramCommands, programCommands } from './programs.ts';
import { addressesOf, clusterDirectory } from './slot.ts';

const settingsFor = (nodes: number, dualStack = false): ClusterSettings => ({
  name: 'a',
  directory: clusterDirectory('a'),
  addresses: addressesOf(0),
  dualStack,
  dnsDomain: 'cluster.local',
  nodes,
  cniPlugins: '/cni',
});

const executables = { etcd: '/bin/etcd', kubernetes: '/bin/kubernetes' };

describe('nodes of a cluster', () => {
  it('have unique names, directories, addresses, Pod CIDRs and cgroups', () => {
    const nodes = allNodeSettings(settingsFor(3));
    for (const key of ['name', 'directory', 'addresses', 'podRanges', 'cgroupRoot'] as const)
      expect(new Set(nodes.map((node) => String(node[key]))).size).toBe(3);
  });

  it.each([
    [1, 'node-e2e', '/karmada-embedded-e2e'],
    [2, 'node-2-e2e', '/karmada-embedded-e2e/node-2'],
  ])('node %d has its name and its cgroup', (number, name, cgroup) => {
    expect(nodeName('e2e', number)).toBe(name);
    expect(cgroupOf('e2e', number)).toBe(cgroup);
  });

  it('have other names than the nodes of a cluster whose name ends with a number', () => {
    expect(nodeName('e2e', 2)).not.toBe(nodeName('e2e-2'));
  });

  it('have both IP families when the cluster is dual-stack', () => {
    const { ipv6, node, pods } = addressesOf(0);
    expect(nodeSettings(settingsFor(1, true), 1)).toMatchObject({
      addresses: [node, ipv6.node],
      podRanges: [pods, ipv6.pods],
    });
  });
});

describe('programs of a node', () => {
  it('use the files of the node and the kubeconfig of the cluster', () => {
    const settings = settingsFor(2);
    const commands = nodeProgramCommands(settings, nodeSettings(settings, 2), executables);
    const directory = '/var/lib/karmada-embedded/a/node-2';
    expect(commands.containerd).toEqual(['containerd', '--config', `${directory}/containerd.toml`]);
    expect(commands.kubelet).toEqual(
      expect.arrayContaining([
        `--config=${directory}/kubelet.yaml`,
        '--kubeconfig=/var/lib/karmada-embedded/a/admin.kubeconfig',
        `--root-dir=${directory}/kubelet`,
        '--hostname-override=node-2-a',
        '--node-ip=10.240.0.3',
      ]),
    );
    expect(commands['kube-proxy']).toContain('--hostname-override=node-2-a');
  });

  it('are the same on the first node, whatever the number of nodes', () => {
    expect(programCommands(settingsFor(3), executables)).toEqual(
      programCommands(settingsFor(1), executables),
    );
  });
});

describe('masqueradeRules', () => {
  it('returns none when the CNI plugin of a single node adds them', () => {
    expect(masqueradeRules(settingsFor(1), 1)).toEqual([]);
  });

  it('keeps the source addresses of packets between Pods of the cluster', () => {
    const pods = '-s 10.240.160.0/19 ! -d 10.240.128.0/17 -j MASQUERADE';
    expect(masqueradeRules(settingsFor(2), 2).map((rule) => rule.join(' '))).toEqual([pods]);
  });

  it('hides other nodes from other clusters, which know only the first node', () => {
    expect(masqueradeRules(settingsFor(2), 1).map((rule) => rule.join(' '))).toEqual([
      '-s 10.240.128.0/19 ! -d 10.240.128.0/17 -j MASQUERADE',
      '-s 10.240.0.0/24 -o neighbour+ -j MASQUERADE',
    ]);
  });
});

describe('node failures', () => {
  it.each([
    ['freezeNode', freezeNode],
    ['thawNode', thawNode],
    ['removeNode', removeNode],
  ])('%s rejects the first node, which runs the control plane', async (_, fail) => {
    const groups = controlGroups('a');
    const node = { number: 1, name: 'node-a', directory: '', logPrefix: '', groups, holder: 0 };
    const cluster = { name: 'a', node, otherNodes: [], kubeconfig: '', bin: '' };
    await expect(fail(cluster, 'node-a')).rejects.toThrow(/node-a cannot fail/);
  });
});
