import { describe, expect, it } from '@jest/globals';
import type { KarmadaStatus } from '../api/karmada.ts';
import { hostEndpointOf, isHostInUse } from './host-reference.ts';

const [SERVER, OTHER] = ['https://host.example.com:6443', 'https://other.example.com:6443'];
const reference = (apiEndpoint?: string) => ({
  secret: { namespace: 'storage', name: 'host' },
  ...(apiEndpoint !== undefined && { apiEndpoint }),
});
const recorded = (hostEndpoint: string): KarmadaStatus => ({
  hostUID: 'u',
  hostSecret: 'storage/host',
  hostEndpoint,
});

describe('isHostInUse', () => {
  it.each<[string, KarmadaStatus, string | undefined, boolean]>([
    ['false before the installation', {}, SERVER, false],
    ['true for the recorded endpoint', recorded(SERVER), SERVER, true],
    ['false for another endpoint', recorded(SERVER), OTHER, false],
    ['true if the Secret names the server', recorded(SERVER), undefined, true],
    ['true without a record of an older operator', { hostUID: 'u' }, SERVER, true],
    ['false for another Secret', { ...recorded(SERVER), hostSecret: 'storage/b' }, SERVER, false],
  ])('returns %s', (_, status, apiEndpoint, expected) => {
    expect(isHostInUse(status, reference(apiEndpoint))).toBe(expected);
  });

  it('returns false for an endpoint that is set after the Secret had named the server', () => {
    const endpoint = hostEndpointOf(reference(), SERVER);
    expect(isHostInUse(recorded(endpoint), reference(OTHER))).toBe(false);
    expect(isHostInUse(recorded(endpoint), reference(SERVER))).toBe(true);
  });
});
