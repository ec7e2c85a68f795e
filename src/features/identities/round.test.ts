import { describe, expect, it } from '@jest/globals';
import { NetworkError } from '../../kubernetes/client/errors.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import { LateCalls } from '../../control-plane-access/late-calls.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { karmadaOf, NOW, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import { namespaces } from '../../controlplane/namespaces.ts';
import { rbac } from '../../controlplane/rbac.ts';
import { intentHash, withHash } from '../../kubernetes/objects/intent.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { identitiesRound } from './round.ts';

interface Review {
  readonly spec: { readonly user: string; readonly resourceAttributes?: { resource: string } };
}

const karmada = karmadaOf();
const BASE = snapshotOf(wishOf(), [], { karmada });
const { name, namespace = '' } = karmada.metadata;
const INPUT = { name, namespace, spec: BASE.spec, caBundle: '' };
/** Roles and bindings as the operator applies them. */
const ROLES = [...rbac(INPUT), ...namespaces(INPUT)].map((object) =>
  withHash(object, intentHash(object)),
);

/** @param answer to a review, or an error @param memory of earlier reconciles */
function observed(
  annotation: string,
  answer: (review: Review) => boolean,
  memory: Pick<InstanceCache, 'lackedPermissions'> = {},
  objects: readonly KubernetesObject[] = ROLES,
) {
  const sent: Review[] = [];
  const create = (review: Review): Promise<object> => {
    sent.push(review);
    return Promise.resolve().then(() => ({ status: { allowed: answer(review) } }));
  };
  const calls = new LateCalls({ clock: manualClock(), onEnd: () => undefined });
  const controlPlane = { client: { create }, calls };
  const instance = {
    ...memory,
    key: 'team/a',
    settled: new Map(),
    controlPlane,
  } as unknown as InstanceCache;
  const annotations = { 'operator.karmada.io/component-identities': annotation };
  const known = {
    snapshot: {
      ...BASE,
      karmada: { ...karmada, metadata: { ...karmada.metadata, annotations } },
      controlPlane: { ...BASE.controlPlane, objects },
    },
    view: { ...VIEW, identities: { webhook: 'masters', search: 'own' } },
    before: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
  return { sent, learned: identitiesRound.observe?.({}, known as never, instance) };
}

const results = async (learned: ReturnType<typeof observed>['learned']): Promise<unknown> =>
  Object.fromEntries((await learned)?.remember?.identityReviews ?? []);

describe('identitiesRound', () => {
  it.each([
    ['names for 30 seconds', NOW - 29_999, ['ClusterRole a lacks get b']],
    ['forgets after 30 seconds', NOW - 30_000, undefined],
  ])('%s what a role has lacked', async (_, at, expected) => {
    const lackedPermissions = { texts: ['ClusterRole a lacks get b'], at };
    const { learned } = observed('Keep', () => true, { lackedPermissions });
    const { snapshot, remember } = (await learned) ?? {};
    expect(snapshot?.lackedPermissions).toEqual(expected);
    expect(remember?.lackedPermissions?.texts).toEqual(expected);
  });

  it('asks the control plane for each permission of the next component', async () => {
    const { sent, learned } = observed('Own', () => true);
    expect(await results(learned)).toEqual({ webhook: { result: 'allowed', at: NOW } });
    expect(sent.length).toBeLessThan(40);
    expect(new Set(sent.map(({ spec }) => spec.user))).toEqual(new Set(['system:karmada:webhook']));
  });

  it.each<[string, readonly KubernetesObject[]]>([
    ['do not exist', []],
    ['lack one', ROLES.filter(({ kind }) => kind !== 'RoleBinding')],
    [
      'are those of an earlier version',
      ROLES.map((role) => ({ ...role, ...withHash(role, 'earlier'), rules: [] })),
    ],
  ])('asks nothing while its roles %s, because the answer would be no', async (_, objects) => {
    const { sent, learned } = observed('Own', () => false, {}, objects);
    expect(await results(learned)).toEqual({});
    expect(sent).toEqual([]);
  });

  it('asks when another client has taken a rule from a role, because that may last', async () => {
    const taken = ROLES.map((role) =>
      role.kind === 'ClusterRole' ? { ...role, rules: [] } : role,
    );
    const { learned } = observed('Own', () => true, {}, taken);
    expect(await results(learned)).toEqual({ webhook: { result: 'allowed', at: NOW } });
  });

  it('ends with the first permission that is denied', async () => {
    const { learned } = observed(
      'Own',
      ({ spec }) => spec.resourceAttributes?.resource !== 'federatedresourcequotas',
    );
    const result = { denied: 'list federatedresourcequotas.policy.karmada.io' };
    expect(await results(learned)).toEqual({ webhook: { result, at: NOW } });
  });

  it('learns nothing when the control plane does not answer', async () => {
    const { learned } = observed('Own', () => {
      throw new NetworkError('POST', 'ECONNREFUSED', 'refused');
    });
    expect(await results(learned)).toEqual({});
  });

  it('sends nothing when no component leaves the group', async () => {
    const { sent, learned } = observed('Keep', () => true);
    expect((await learned)?.remember).toEqual({});
    expect(sent).toEqual([]);
  });
});
