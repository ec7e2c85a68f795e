import { describe, expect, it } from '@jest/globals';
import type { Host, Remote } from '../../host-clusters/host.ts';
import { DEFAULT_ADDRESSES } from '../../kubernetes/connection/addresses.ts';
import { addressesOf, NameResolver } from '../../kubernetes/connection/name-resolver.ts';
import { components } from './feature.ts';

const instance = { key: 'team/demo', settled: new Map<string, string>() };
const REMOTE: Remote = {
  server: 'https://host.example.com',
  addresses: addressesOf(DEFAULT_ADDRESSES, new NameResolver())('team'),
  forward: () => Promise.reject(new Error('no Pod is reached')),
};

describe('facts of the components', () => {
  it.each<[string, Remote | undefined, object]>([
    ['in the management cluster', undefined, { operatorNamespace: 'operators' }],
    ['in a remote host cluster', REMOTE, {}],
  ])('contain the namespace of the operator for Pods %s', (_, remote, expected) => {
    const host = remote === undefined ? {} : { remote };
    const tools = { host, tenantPods: 'Any' as const, operatorNamespace: 'operators' };
    const { operatorNamespace } = components.observers.facts({ tools, instance });
    expect({ ...(operatorNamespace !== undefined && { operatorNamespace }) }).toEqual(expected);
  });

  it.each<[string, Readonly<Record<string, string>> | undefined, object]>([
    [
      'of a label',
      { 'pod-security.kubernetes.io/enforce': 'restricted' },
      { podSecurity: 'restricted' },
    ],
    ['of a namespace without a label', {}, {}],
    ['of a namespace that the cache lacks', undefined, {}],
  ])('contain the Pod Security level %s', (_, labels, expected) => {
    const found = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'team', ...(labels && { labels }) },
    };
    const cache = {
      get: ({ name }: { readonly name: string }) => (labels && name === 'team' ? found : undefined),
    };
    const host = { namespaces: { cache } } as unknown as Pick<Host, 'namespaces'>;
    const facts = components.observers.facts({ tools: { host, tenantPods: 'Any' }, instance });
    expect('podSecurity' in facts ? { podSecurity: facts.podSecurity } : {}).toEqual(expected);
  });
});
