import { describe, expect, it } from '@jest/globals';
import { inputOf } from '../../components/__fixtures__/inputs.ts';
import { IDENTITIES, type Grant } from '../../controlplane/rbac-rules.ts';
import { permissionText, reviewsOf, type AccessReview } from './access-reviews.ts';
import { ruleAllows } from './rbac-evaluation.ts';

const INPUT = inputOf({});

const textsOf = (grants: readonly Grant[]): readonly string[] =>
  reviewsOf({ suffix: 'x', user: 'u', grants }, INPUT)
    .map(permissionText)
    .filter((text) => !text.startsWith('get /'));

const grant = (rule: Grant['rule'], namespace?: string): Grant => ({
  rule,
  source: 'pkg/a.go',
  ...(namespace !== undefined && { namespace }),
});

/** Whether RBAC allows what a review asks. */
const allows = ({ rule, namespace }: Grant, review: AccessReview): boolean =>
  ruleAllows(rule, review) &&
  (namespace === undefined || namespace === review.resourceAttributes?.namespace);

describe('reviewsOf', () => {
  it.each<[string, Grant, readonly string[]]>([
    [
      'each verb of each resource in each API group',
      grant({ apiGroups: ['', 'a.io'], resources: ['b', 'c/status'], verbs: ['get', 'patch'] }),
      [
        'get b',
        'patch b',
        'get c/status',
        'patch c/status',
        'get b.a.io',
        'patch b.a.io',
        'get c/status.a.io',
        'patch c/status.a.io',
      ],
    ],
    [
      'a named object in a namespace',
      grant({ apiGroups: [''], resources: ['c'], resourceNames: ['n'], verbs: ['list'] }, 's'),
      ['list c n in s'],
    ],
    ['everything', grant({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }), ['* *.*']],
  ])('asks for %s', (_, given, texts) => {
    expect(textsOf([given])).toEqual(texts);
  });

  it('asks as the user and the groups that the certificate will have', () => {
    for (const identity of IDENTITIES)
      for (const { user, groups } of reviewsOf(identity, INPUT)) {
        expect(user).toBe(identity.user);
        expect(groups).toEqual(['system:karmada:components', 'system:authenticated']);
      }
  });

  it.each(IDENTITIES.map((identity) => [identity.suffix, identity] as const))(
    'notices each rule that the role of %s lacks',
    (_, identity) => {
      const reviews = reviewsOf(identity, INPUT);
      for (const missing of identity.grants) {
        const left = identity.grants.filter((one) => one !== missing);
        const denied = reviews.filter((review) => {
          const isOwn = identity.grants.some((one) => allows(one, review));
          return isOwn && !left.some((one) => allows(one, review));
        });
        expect(denied.length).toBeGreaterThan(0);
      }
    },
  );
});
