import { describe, expect, it } from '@jest/globals';
import { listedKinds, MemberKinds, preferredVersions } from './member-kinds.ts';

const GROUPS = { groups: [{ name: 'apps', preferredVersion: { groupVersion: 'apps/v1' } }, {}] };
const verbs = ['get', 'list'];
const APPS = {
  resources: [
    { name: 'deployments', kind: 'Deployment', namespaced: true, verbs },
    { name: 'deployments/scale', kind: 'Scale', namespaced: true, verbs },
    { name: 'reviews', kind: 'Review', namespaced: false, verbs: ['create'] },
    'text',
  ],
};
const CORE = { resources: [{ name: 'namespaces', kind: 'Namespace', namespaced: false, verbs }] };
const PATHS: Readonly<Record<string, unknown>> = {
  '/apis': GROUPS,
  '/apis/apps/v1': APPS,
  '/api/v1': CORE,
};

describe('preferredVersions and listedKinds', () => {
  it('leave out what is not valid, subresources, and kinds that cannot be listed', () => {
    expect(preferredVersions(GROUPS)).toEqual(['apps/v1']);
    expect(listedKinds('apps/v1', APPS).map(({ kind }) => kind)).toEqual(['Deployment']);
  });

  it.each([undefined, null, 'x', [], { groups: 'x', resources: 1 }])(
    'return nothing for %j',
    (found) => {
      expect([preferredVersions(found), listedKinds('v1', found)]).toEqual([[], []]);
    },
  );
});

describe('MemberKinds', () => {
  const read: string[] = [];
  const kinds = new MemberKinds({
    raw: (path) => {
      read.push(path);
      const found = PATHS[path];
      if (path.includes('broken')) return Promise.resolve({ status: 503, body: 'no JSON' });
      const status = found === undefined ? 404 : 200;
      return Promise.resolve({ status, body: JSON.stringify(found ?? {}) });
    },
  });

  it('finds kinds, and reads each version once', async () => {
    expect(await kinds.find('apps/v1', 'Deployment')).toMatchObject({
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      namespaced: true,
    });
    expect(await kinds.find('apps/v1', 'Missing')).toBeUndefined();
    expect(await kinds.find('gone.example/v1', 'Gone')).toBeUndefined();
    expect((await kinds.all()).map(({ kind }) => kind)).toEqual(['Namespace', 'Deployment']);
    expect(read).toEqual(['/apis/apps/v1', '/apis/gone.example/v1', '/apis', '/api/v1']);
  });

  it('rejects when the member cluster does not respond as expected', async () => {
    await expect(kinds.find('broken.example/v1', 'X')).rejects.toThrow(/503/);
  });

  const kindsOf = (count: number, name: string): object => ({
    resources: Array.from({ length: count }, (_, n) => ({
      name: `${name}${n}`,
      kind: 'Kind',
      namespaced: true,
      verbs,
    })),
  });
  const groupsOf = (names: readonly string[]): object => ({
    groups: names.map((name) => ({ preferredVersion: { groupVersion: `${name}/v1` } })),
  });
  const many = Array.from({ length: 20 }, (_, n) => `g${n}`);

  it.each([
    ['long names of kinds', groupsOf(['g']), kindsOf(1, 'x'.repeat(320)), /more than 320 char/],
    ['long API versions', groupsOf(['g'.repeat(320)]), {}, /more than 320 characters/],
    ['many kinds of one API version', groupsOf(['g']), kindsOf(1_001, 'x'), /more than 1000 kinds/],
    ['many kinds in all', groupsOf(many), kindsOf(600, 'x'), /more than 10000 kinds/],
  ])('rejects a member cluster with %s', async (_, groups, resources, error) => {
    const hostile = new MemberKinds({
      raw: (path) =>
        Promise.resolve({
          status: 200,
          body: JSON.stringify(path === '/apis' ? groups : resources),
        }),
    });
    await expect(hostile.all()).rejects.toThrow(error);
  });
});
