import { describe, expect, it } from '@jest/globals';
import { parsePath } from './request-path.ts';

const core = { group: '', version: 'v1' };
const apps = { group: 'apps', version: 'v1' };

describe('parsePath', () => {
  it.each([
    ['/api/v1/pods', { ...core, plural: 'pods' }],
    ['/api/v1/namespaces', { ...core, plural: 'namespaces' }],
    ['/api/v1/namespaces/a', { ...core, plural: 'namespaces', name: 'a' }],
    [
      '/api/v1/namespaces/a/finalize',
      { ...core, plural: 'namespaces', name: 'a', subresource: 'finalize' },
    ],
    [
      '/api/v1/namespaces/a/status',
      { ...core, plural: 'namespaces', name: 'a', subresource: 'status' },
    ],
    ['/api/v1/namespaces/a/pods', { ...core, plural: 'pods', namespace: 'a' }],
    [
      '/apis/apps/v1/namespaces/a/deployments/b/status',
      { ...apps, plural: 'deployments', namespace: 'a', name: 'b', subresource: 'status' },
    ],
    [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa',
      {
        group: 'rbac.authorization.k8s.io',
        version: 'v1',
        plural: 'clusterroles',
        name: 'system:a',
      },
    ],
    ['/readyz', undefined],
    ['/apis/apps/v1', undefined],
    ['/apis', undefined],
  ])('parses %s', (path, expected) => {
    expect(parsePath(path)).toEqual(expected);
  });
});
