import { describe, expect, it } from '@jest/globals';
import { accessSecret, withEndpoint } from './remote.ts';
import { karmadaIn, sampleObjects } from './install.ts';

const metadata = { name: 'host-cluster', namespace: 'karmada-remote' };
const token = 'dG9rZW4=';
const ca = 'Y2E=';

const issued = (data?: object): Parameters<typeof accessSecret>[0] => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'issued' },
  ...(data && { data }),
});

describe("the operator's Secret for the host", () => {
  it('has the token and the authority as the host issued them, and nothing else', () => {
    const secret = accessSecret(issued({ token, 'ca.crt': ca, namespace: 'eA==' }), metadata);
    expect(secret).toMatchObject({ kind: 'Secret', metadata });
    expect(secret?.['data']).toEqual({ token, caBundle: ca });
  });

  it.each([
    ['there is no Secret', undefined],
    ['it has no data', issued()],
    ['the token is missing', issued({ 'ca.crt': ca })],
    ['the authority is missing', issued({ token })],
  ])('waits while %s', (_, found) => {
    expect(accessSecret(found, metadata)).toBeUndefined();
  });
});

describe('the sample of a remote host', () => {
  it('gets the address of the host, and nothing else of it changes', async () => {
    const objects = await sampleObjects('samples/karmada-remote-host.yaml');
    const changed = withEndpoint(objects, 'https://192.0.2.1:6443');
    const { hostCluster, ...spec } = karmadaIn(changed).spec ?? {};
    const { hostCluster: before, ...specBefore } = karmadaIn(objects).spec ?? {};
    expect(hostCluster).toEqual({ ...before, apiEndpoint: 'https://192.0.2.1:6443' });
    expect(spec).toEqual(specBefore);
    expect(changed.map(({ kind }) => kind)).toEqual(objects.map(({ kind }) => kind));
  });
});
