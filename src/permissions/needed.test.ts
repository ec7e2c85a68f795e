import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import type { RoleName } from './need.ts';
import { NEEDED_PERMISSIONS, permissionsOf } from './needed.ts';
import { permissionText, type Permission, type Rule, type Verb } from './permission.ts';
import { CLUSTER_RESOURCES, scopedPermissions } from './watch-scope.ts';

const checkout = join(import.meta.dirname, '../..');

const DEPLOY = 'config/deploy/2-rights.yaml';
const WATCH = 'config/watch-namespaces/2-rights.yaml';
const REMOTE = 'config/remote-host/rights.yaml';

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
}

const namesOf = ({ resourceNames = [] }: Rule): readonly ({ name: string } | object)[] =>
  resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ name }));

function textsOf(rule: Rule): string[] {
  const { apiGroups = [], resources = [], verbs } = rule;
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        namesOf(rule).map((name) =>
          permissionText({ verb: verb as Verb, group, resource, ...name }),
        ),
      ),
    ),
  );
}

function granted(file: string, name: string, namespace?: string): string[] {
  const objects = loadAll(readFileSync(join(checkout, file), 'utf8')) as Role[];
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const role = objects.find(
    ({ kind: of, metadata }) =>
      of === kind && metadata.name === name && metadata.namespace === namespace,
  );
  return (role?.rules ?? []).flatMap(textsOf).sort();
}

describe('NEEDED_PERMISSIONS', () => {
  it.each<[RoleName[], string, string, string?]>([
    [['operator', 'backups'], DEPLOY, 'karmada-operator'],
    [['leader'], DEPLOY, 'karmada-operator', 'karmada-system'],
    [['one-operator'], DEPLOY, 'karmada-operator', 'kube-system'],
    [['remote'], REMOTE, 'karmada-operator-remote'],
    [['remote-port-forward'], REMOTE, 'karmada-operator-remote-port-forward'],
  ])('equals the permissions of roles %s in %s', (roles, ...where) => {
    expect(granted(...where)).toEqual(
      permissionsOf(...roles)
        .map(permissionText)
        .sort(),
    );
  });

  it('equals, with watched namespaces, the Role in each of them and the ClusterRole', () => {
    const texts = (rights: readonly Permission[]): string[] => rights.map(permissionText).sort();
    const scope = { namespaces: ['team-a'], without: [] };
    const { needed, neededInNamespaces } = scopedPermissions(scope);
    expect(granted(WATCH, 'karmada-operator')).toEqual(texts(needed));
    expect(granted(WATCH, 'karmada-operator-karmadas', 'team-a')).toEqual(
      texts([...neededInNamespaces, ...permissionsOf('backups')]),
    );
    expect(scopedPermissions({ ...scope, without: CLUSTER_RESOURCES }).needed).toEqual([]);
    expect(scopedPermissions(undefined)).toEqual({
      needed: permissionsOf('operator'),
      neededInNamespaces: [],
    });
  });

  // A cluster without the kinds of backups may have an older role, which lacks nothing.
  it('does not count permissions for backups as lacking', () => {
    const groups = permissionsOf('operator').map(({ group }) => group);
    expect(groups.filter((group) => group.startsWith('backup.'))).toEqual([]);
  });

  it('references only modules that exist', () => {
    const modules = [...new Set(NEEDED_PERMISSIONS.map(({ module }) => module))];
    expect(modules.filter((module) => !existsSync(join(checkout, 'src', module)))).toEqual([]);
  });
});
