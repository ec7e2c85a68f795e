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

describe('accessSecret', () => {
  it('contains only the token and CA that the host cluster issued', () => {
    const secret = accessSecret(issued({ token, 'ca.crt': ca, namespace: 'eA==' }), metadata);
    expect(secret).toMatchObject({ kind: 'Secret', metadata });
    expect(secret?.['data']).toEqual({ token, caBundle: ca });
  });

  it.each([
    ['there is no Secret', undefined],
    ['the Secret has no data', issued()],
    ['the token is missing', issued({ 'ca.crt': ca })],
    ['the CA is missing', issued({ token })],
  ])('returns undefined while %s', (_, found) => {
    expect(accessSecret(found, metadata)).toBeUndefined();
  });
});

describe('withEndpoint', () => {
  it('changes only the API server address of the host cluster in the sample', async () => {
    const objects = await sampleObjects('samples/karmada-remote-host.yaml');
    const changed = withEndpoint(objects, 'https://192.0.2.1:6443');
    const { hostCluster, ...spec } = karmadaIn(changed).spec ?? {};
    const { hostCluster: before, ...specBefore } = karmadaIn(objects).spec ?? {};
    expect(hostCluster).toEqual({ ...before, apiEndpoint: 'https://192.0.2.1:6443' });
    expect(spec).toEqual(specBefore);
    expect(changed.map(({ kind }) => kind)).toEqual(objects.map(({ kind }) => kind));
  });
});
