import { expect, it } from '@jest/globals';
import type { KubernetesClient } from './client-interface.ts';
import { readingOnlyIn } from './namespace-guard.ts';
import { resources } from '../objects/resources.ts';

it.each<[string, Parameters<KubernetesClient['find']>, string]>([
  ['reads a watched namespace', [resources.Secret, { namespace: 'team', name: 's' }], 'read'],
  ['reads a cluster-scoped object', [resources.Namespace, { name: 'other' }], 'read'],
  [
    'refuses another namespace without a request',
    [resources.Secret, { namespace: 'other', name: 's' }],
    'get Secret other/s: 403 Forbidden: the operator does not watch namespace other (--watch-namespaces)',
  ],
])('%s', async (_, call, expected) => {
  const read = (): Promise<never> => Promise.reject(new Error('read'));
  const client = readingOnlyIn({ get: read, find: read } as unknown as KubernetesClient, ['team']);
  await expect(client.find(...call)).rejects.toThrow(expected);
  await expect(client.get(...call)).rejects.toThrow(expected);
});
