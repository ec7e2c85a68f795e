import { describe, expect, it } from '@jest/globals';
import {
  apiVersionOf,
  clusterType,
  describe as nameOf,
  keyOf,
  keyText,
  namespacedType,
  pathOf,
  resources,
  typeOf,
} from './resources.ts';

describe('pathOf', () => {
  it.each([
    [resources.Pod, { namespace: 'a', name: 'b' }, undefined, '/api/v1/namespaces/a/pods/b'],
    [resources.Pod, {}, undefined, '/api/v1/pods'],
    [resources.Pod, { namespace: 'a' }, undefined, '/api/v1/namespaces/a/pods'],
    [
      resources.Deployment,
      { namespace: 'a', name: 'b' },
      'scale',
      '/apis/apps/v1/namespaces/a/deployments/b/scale',
    ],
    [
      resources.ClusterRole,
      { name: 'system:X' },
      undefined,
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3AX',
    ],
    [resources.Node, { namespace: 'ignored', name: 'n' }, 'status', '/api/v1/nodes/n/status'],
    [
      resources.Pod,
      { namespace: 'a', name: '../../x?y' },
      undefined,
      '/api/v1/namespaces/a/pods/..%2F..%2Fx%3Fy',
    ],
  ])(
    'returns the path of %j with key %j and subresource %j',
    (type, key, subresource, expected) => {
      expect(pathOf(type, key, subresource)).toBe(expected);
    },
  );

  it.each([
    [{ namespace: 'a', name: '' }],
    [{ namespace: '', name: 'a' }],
    [{ namespace: 'a', name: '..' }],
    [{ name: 'a' }],
  ])('throws when the key is %j', (key) => {
    expect(() => pathOf(resources.Secret, key)).toThrow(/must not be|needs a namespace/);
  });
});

describe('resource types', () => {
  it('typeOf finds a type by apiVersion and kind, and additional types first', () => {
    expect(typeOf({ apiVersion: 'v1', kind: 'Secret' })).toBe(resources.Secret);
    const more = [namespacedType('example.io/v1', 'Widget', 'widgets')];
    expect(typeOf({ apiVersion: 'example.io/v1', kind: 'Widget' }, more)).toBe(more[0]);
    expect(() => typeOf({ apiVersion: 'v2', kind: 'Secret' })).toThrow(
      'v2 Secret is not a known kind',
    );
  });

  it('returns apiVersion, message text and key text of a type', () => {
    expect(apiVersionOf(clusterType('a.io/v1', 'K', 'ks'))).toBe('a.io/v1');
    expect(apiVersionOf(resources.Pod)).toBe('v1');
    expect(nameOf(resources.Pod, { namespace: 'a', name: 'b' })).toBe('Pod a/b');
    expect(nameOf(resources.Pod)).toBe('pods');
    expect(keyText(keyOf({ metadata: { name: 'x' } }))).toBe('x');
  });
});
