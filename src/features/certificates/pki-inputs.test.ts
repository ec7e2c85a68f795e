import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { KarmadaAPIServer } from '../../api/karmada.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { karmadaOf } from '../../instance/__fixtures__/instance.ts';
import { pkiInputs, withClusterAddresses } from './pki-inputs.ts';

const IN_CLUSTER = 'https://karmada-demo-apiserver.team.svc.cluster.local:5443';

const node: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'one' },
  status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
};

const controlPlane: KubernetesObject = {
  ...node,
  metadata: { name: 'two', labels: { 'node-role.kubernetes.io/control-plane': '' } },
  status: {
    addresses: [
      { type: 'Hostname', address: 'two' },
      { type: 'ExternalIP', address: '198.51.100.2' },
      { type: 'InternalIP', address: '192.0.2.2' },
    ],
  },
};

const service = (ingress: readonly object[] = []): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'karmada-demo-apiserver' },
  spec: { ports: [{ name: 'client', port: 5443, nodePort: 30443 }] },
  status: { loadBalancer: { ingress } },
});

type Row = [
  string,
  KarmadaAPIServer,
  KubernetesObject | undefined,
  { readonly server: string; readonly addresses: readonly string[] | 'unknown' },
];

describe('identities of components', () => {
  const inputsWith = (annotations: Readonly<Record<string, string>>, imageTag = '') => {
    const karmada = karmadaOf();
    const metadata = { ...karmada.metadata, annotations };
    const given = { components: { karmadaAPIServer: { imageTag } } };
    const spec = defaultSpec(given, { defaultStorageClass: false });
    return pkiInputs({ karmada: { ...karmada, metadata }, spec }, undefined, []).identities;
  };
  const recorded = { 'operator.karmada.io/features-in-use': 'own-identities@0.1.0' };
  const left = { 'operator.karmada.io/component-identities': 'Masters' };

  it('may be their own only when that is recorded', () => {
    expect(inputsWith({})).toBeUndefined();
    expect(inputsWith(recorded)).toEqual({ mayStartOwn: true, decided: {} });
    expect(inputsWith(recorded, 'v1.29.9')).toBeUndefined();
  });

  it('are in system:masters when the user leaves the feature', () => {
    const identities = inputsWith({ ...recorded, ...left });
    expect(identities?.mayStartOwn).toBe(false);
    expect(Object.keys(identities?.decided ?? {})).toHaveLength(8);
    expect(new Set(Object.values(identities?.decided ?? {}))).toEqual(new Set(['masters']));
  });
});

describe('pkiInputs', () => {
  it.each<Row>([
    ['uses the Service name for ClusterIP', {}, service(), { server: IN_CLUSTER, addresses: [] }],
    [
      'uses a Node address and the node port for NodePort',
      { serviceType: 'NodePort' },
      service(),
      { server: 'https://192.0.2.1:30443', addresses: ['192.0.2.1'] },
    ],
    [
      'is unknown when the node port is not allocated',
      { serviceType: 'NodePort' },
      undefined,
      { server: 'unknown', addresses: 'unknown' },
    ],
    [
      'is unknown when the load balancer has no address',
      { serviceType: 'LoadBalancer' },
      service(),
      { server: 'unknown', addresses: 'unknown' },
    ],
    [
      'uses the hostname and the IP of the load balancer',
      { serviceType: 'LoadBalancer' },
      service([{ hostname: 'lb.example.com', ip: '198.51.100.7' }]),
      { server: 'https://lb.example.com:5443', addresses: ['lb.example.com', '198.51.100.7'] },
    ],
    [
      'uses the external endpoint',
      { externalEndpoint: 'karmada.example.com' },
      service(),
      { server: 'https://karmada.example.com:443', addresses: ['karmada.example.com'] },
    ],
    [
      'uses an IPv6 external endpoint with a port',
      { externalEndpoint: '[fd00::1]:6443' },
      service(),
      { server: 'https://[fd00::1]:6443', addresses: ['fd00::1'] },
    ],
    [
      'uses the external endpoint with the port of the Service when the load balancer has no address',
      { serviceType: 'LoadBalancer', externalEndpoint: 'karmada.example.com' },
      service(),
      { server: 'https://karmada.example.com:5443', addresses: 'unknown' },
    ],
    [
      'adds the load balancer address to the external endpoint',
      { serviceType: 'LoadBalancer', externalEndpoint: 'karmada.example.com:443' },
      service([{ ip: '198.51.100.7' }]),
      {
        server: 'https://karmada.example.com:443',
        addresses: ['karmada.example.com', '198.51.100.7'],
      },
    ],
  ])('%s', (_, karmadaAPIServer, live, { server, addresses }) => {
    const karmada = karmadaOf({ components: { karmadaAPIServer } });
    const spec = defaultSpec(karmada.spec, { defaultStorageClass: false });
    const inputs = pkiInputs({ karmada, spec }, live, [node]);
    expect(inputs.externalServer).toBe(server);
    expect(inputs.exposedAddresses).toEqual(addresses);
    expect(inputs.inClusterServer).toBe(IN_CLUSTER);
  });

  const inputsOf = (
    karmadaAPIServer: KarmadaAPIServer,
    nodes: readonly KubernetesObject[] | undefined,
  ) => {
    const karmada = karmadaOf({ components: { karmadaAPIServer } });
    const spec = defaultSpec(karmada.spec, { defaultStorageClass: false });
    return pkiInputs({ karmada, spec }, service(), nodes);
  };
  const serviceType = 'NodePort';

  it('collects the addresses of all Nodes for NodePort, and uses that of a control plane Node', () => {
    const inputs = inputsOf({ serviceType }, [node, controlPlane]);
    expect(inputs.externalServer).toBe('https://192.0.2.2:30443');
    expect(inputs.exposedAddresses).toEqual(['192.0.2.2']);
    expect(inputs.nodeAddresses).toEqual(['192.0.2.1', '192.0.2.2', '198.51.100.2']);
    expect(inputsOf({}, [node]).nodeAddresses).toBeUndefined();
  });

  it.each(['', 'true', 'yes'])('prefers a control plane Node whose role label is "%s"', (value) => {
    const labels = { 'node-role.kubernetes.io/control-plane': value };
    const second = { ...controlPlane, metadata: { name: 'two', labels } };
    expect(inputsOf({ serviceType }, [node, second]).exposedAddresses).toEqual(['192.0.2.2']);
  });

  it('collects the cluster IPs of the Service, also of one that was created later', () => {
    const spec = { ...(service()['spec'] as object), clusterIPs: ['fd00::7', '10.96.7.7'] };
    const live = { ...service(), spec };
    const karmada = karmadaOf();
    const defaulted = defaultSpec(karmada.spec, { defaultStorageClass: false });
    const inputs = pkiInputs({ karmada, spec: defaulted }, live, []);
    expect(inputs.clusterAddresses).toEqual(['10.96.7.7', 'fd00::7']);
    const before = pkiInputs({ karmada, spec: defaulted }, undefined, []);
    expect(before.clusterAddresses).toEqual([]);
    expect(withClusterAddresses(before, [live])).toEqual({
      ...before,
      clusterAddresses: inputs.clusterAddresses,
    });
    const headless = { ...service(), spec: { clusterIP: 'None' } };
    expect(withClusterAddresses(before, [headless]).clusterAddresses).toEqual([]);
  });

  it('collects the request to reissue certificates', () => {
    const { metadata, ...karmada } = karmadaOf();
    const spec = defaultSpec(karmada.spec, { defaultStorageClass: false });
    const requestIn = (annotations: Readonly<Record<string, string>>): string | undefined =>
      pkiInputs(
        { karmada: { ...karmada, metadata: { ...metadata, annotations } }, spec },
        undefined,
        [],
      ).rotate;
    expect(requestIn({ 'operator.karmada.io/rotate': 'leaves/1' })).toBe('leaves/1');
    expect(requestIn({})).toBeUndefined();
  });

  it('collects at most 64 addresses, first those of control plane Nodes', () => {
    const many = Array.from({ length: 100 }, (_, index) => ({
      ...node,
      metadata: { name: `node-${String(index).padStart(3, '0')}` },
      status: { addresses: [{ type: 'InternalIP', address: `203.0.113.${String(index)}` }] },
    }));
    const { nodeAddresses = [] } = inputsOf({ serviceType }, [...many, controlPlane]);
    expect(nodeAddresses).toHaveLength(64);
    expect(nodeAddresses).toEqual(expect.arrayContaining(['192.0.2.2', '203.0.113.61']));
  });

  it('uses only the external endpoint when the operator must not read Nodes', () => {
    const endpoint = inputsOf({ serviceType, externalEndpoint: 'karmada.example.com' }, undefined);
    expect(endpoint.exposedAddresses).toEqual(['karmada.example.com']);
    expect(inputsOf({ serviceType }, undefined).exposedAddresses).toBe('unknown');
  });
});
