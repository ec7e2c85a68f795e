/** The certificate of an API server with a node port, and the Nodes of a real API server. */
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { eventually } from '../../harness/servers/apiserver-client.ts';
import { startTenants, type Tenants } from '../../harness/servers/tenants.ts';

let environment: Tenants;

beforeAll(async () => {
  environment = await startTenants();
  await environment.namespace('team');
});

afterAll(() => environment.stop());

async function createNode(name: string, ...addresses: readonly string[]): Promise<void> {
  const { client } = environment;
  await client.create({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const entries = addresses.map((address) => ({ type: 'InternalIP', address }));
  const status = { addresses: entries };
  await client.patch(resources.Node, { name }, { status }, { subresource: 'status' });
}

/** SANs of the certificate; undefined before there is one. */
async function sans(): Promise<string | undefined> {
  const key = { namespace: 'team', name: 'karmada-cert' };
  const secret = await environment.client.find(resources.Secret, key);
  const data = secret?.['data'] as Readonly<Record<string, string>> | undefined;
  const certificate = data?.['apiserver.crt'];
  if (certificate === undefined) return undefined;
  return new X509Certificate(Buffer.from(certificate, 'base64')).subjectAltName;
}

it('covers the addresses of all Nodes', async () => {
  await createNode('one', '192.0.2.1');
  await createNode('two', '192.0.2.2', '198.51.100.2');
  const etcd = { local: { volumeData: { emptyDir: {} } } };
  const karmadaAPIServer = { serviceType: 'NodePort' } as const;
  await environment.karmada('team', { components: { etcd, karmadaAPIServer } });
  const found = await eventually('the certificate contains the addresses', async () => {
    const names = await sans();
    return names?.includes('192.0.2.1') ? names : undefined;
  });
  for (const address of ['192.0.2.2', '198.51.100.2'])
    expect(found).toContain(`IP Address:${address}`);
});
