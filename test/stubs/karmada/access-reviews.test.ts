import { describe, expect, it } from '@jest/globals';
import { inputOf } from '../../../src/components/__fixtures__/inputs.ts';
import { namespaces } from '../../../src/controlplane/namespaces.ts';
import { rbac } from '../../../src/controlplane/rbac.ts';
import { IDENTITIES } from '../../../src/controlplane/rbac-rules.ts';
import { reviewsOf, type AccessReview } from '../../../src/features/identities/access-reviews.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { isAllowed } from './access-reviews.ts';

const { spec } = inputOf({ components: { karmadaDescheduler: {}, karmadaSearch: {} } });
const INPUT = { name: 'demo', namespace: 'team', spec, caBundle: '' };
const OBJECTS = [...rbac(INPUT), ...namespaces(INPUT)];

/** @param without kind of objects that do not exist */
const allows = (review: AccessReview, without?: string): boolean => {
  const list = (resource: string): readonly KubernetesObject[] =>
    OBJECTS.filter(({ kind }) => kind !== without && resource.endsWith(`/${kind.toLowerCase()}s`));
  return isAllowed({ list } as never, review);
};

describe('isAllowed', () => {
  it.each(IDENTITIES.map((identity) => [identity.suffix, identity] as const))(
    'allows all reviews of %s with the roles that the operator applies',
    (_, identity) => {
      const reviews = reviewsOf(identity, INPUT);
      expect(reviews.length).toBeGreaterThan(5);
      expect(reviews.filter((review) => !allows(review))).toEqual([]);
    },
  );

  it.each(['ClusterRole', 'ClusterRoleBinding'])('denies them without a %s', (kind) => {
    for (const identity of IDENTITIES)
      expect(reviewsOf(identity, INPUT).some((review) => !allows(review, kind))).toBe(true);
  });

  it('denies what a role of another namespace allows', () => {
    const [review] = IDENTITIES.flatMap((identity) => reviewsOf(identity, INPUT)).filter(
      ({ user, resourceAttributes }) =>
        user === 'system:karmada:scheduler' && resourceAttributes?.resource === 'leases',
    );
    if (review?.resourceAttributes === undefined) throw new Error('the scheduler has no Lease');
    const elsewhere = { ...review.resourceAttributes, namespace: 'other' };
    expect(allows(review)).toBe(true);
    expect(allows({ ...review, resourceAttributes: elsewhere })).toBe(false);
  });
});
