import { describe, expect, it } from '@jest/globals';
import { liveKey } from '../../actions/execution-result.ts';
import { rbac } from '../../controlplane/rbac.ts';
import { namespaces } from '../../controlplane/namespaces.ts';
import { IDENTITIES } from '../../controlplane/rbac-rules.ts';
import { karmadaOf, snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import { intentHash, withHash } from '../../kubernetes/objects/intent.ts';
import { identity, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { lackedPermissions } from './lacked-permissions.ts';

const SPEC = { components: { karmadaDescheduler: {}, karmadaSearch: {} } };
const BASE = snapshotOf(wishOf(SPEC), [], { karmada: karmadaOf(SPEC) });
const { name, namespace = '' } = BASE.karmada.metadata;
const input = { name, namespace, spec: BASE.spec, caBundle: '' };
const OBJECTS = [...rbac(input), ...namespaces(input)].map((object) =>
  withHash(object, intentHash(object)),
);

type Change = (object: KubernetesObject) => readonly KubernetesObject[];

/** @param change of the objects of this kind and name */
function lacked(
  kind: string,
  called: string,
  change: Change,
  more: Partial<typeof BASE> = {},
): readonly string[] {
  const objects = OBJECTS.flatMap((one) =>
    one.kind === kind && one.metadata.name === called ? change(one) : [one],
  );
  const controlPlane = { ...BASE.controlPlane, state: 'ready' as const, objects };
  return lackedPermissions({ ...BASE, controlPlane, ...more });
}

const SCHEDULER = 'system:karmada:scheduler';
const without =
  (index: number): Change =>
  (object) => [{ ...object, rules: (object['rules'] as object[]).filter((_, at) => at !== index) }];
const removed: Change = () => [];
const unchanged: Change = (object) => [object];

describe('lackedPermissions', () => {
  it('is empty for the roles that the operator applies', () => {
    expect(lacked('ClusterRole', SCHEDULER, unchanged)).toEqual([]);
  });

  it.each(IDENTITIES.map(({ suffix, grants }) => [suffix, grants] as const))(
    'names the permissions that a role of %s lacks',
    (suffix, grants) => {
      const count = grants.filter((grant) => grant.namespace === undefined).length;
      for (let index = 0; index < count; index += 1) {
        const [text, ...others] = lacked('ClusterRole', `system:karmada:${suffix}`, without(index));
        expect(text).toMatch(new RegExp(`^ClusterRole system:karmada:${suffix} lacks \\S+`));
        expect(others).toEqual([]);
      }
    },
  );

  it('names each permission of a rule', () => {
    expect(lacked('ClusterRole', SCHEDULER, without(3))).toEqual([
      'ClusterRole system:karmada:scheduler lacks get services',
    ]);
  });

  it('names what the role of a namespace lacks', () => {
    expect(lacked('Role', SCHEDULER, without(0))).toEqual([
      'Role karmada-system/system:karmada:scheduler lacks get leases.coordination.k8s.io, create leases.coordination.k8s.io, update leases.coordination.k8s.io',
    ]);
  });

  it('names a binding without its user', () => {
    const unbound: Change = (object) => [{ ...object, subjects: [] }];
    expect(lacked('ClusterRoleBinding', SCHEDULER, unbound)).toEqual([
      'ClusterRoleBinding system:karmada:scheduler does not name its user and role',
    ]);
  });

  it('ignores a role with more rules', () => {
    const rule = { apiGroups: ['x'], resources: ['y'], verbs: ['get'] };
    const more: Change = (object) => [
      { ...object, rules: [...(object['rules'] as object[]), rule] },
    ];
    expect(lacked('ClusterRole', SCHEDULER, more)).toEqual([]);
  });

  it('ignores a role that another version of the operator has applied', () => {
    const older: Change = (object) =>
      without(0)(object).map((one) => ({ ...one, metadata: { ...one.metadata, annotations: {} } }));
    expect(lacked('ClusterRole', SCHEDULER, older)).toEqual([]);
  });

  it('names a role that has existed, and none of an installation', () => {
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const role = { apiVersion, kind: 'ClusterRole', metadata: { name: SCHEDULER } };
    const key = liveKey('controlPlane', identity(role));
    expect(lacked('ClusterRole', SCHEDULER, removed)).toEqual([]);
    expect(lacked('ClusterRole', SCHEDULER, removed, { installed: new Set([key]) })).toEqual([
      'ClusterRole system:karmada:scheduler does not exist',
    ]);
  });

  it('is empty while the control plane is not ready', () => {
    const controlPlane = { ...BASE.controlPlane, state: 'waiting' as const, objects: [] };
    expect(lackedPermissions({ ...BASE, controlPlane })).toEqual([]);
  });
});
