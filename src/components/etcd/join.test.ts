import { describe, expect, it } from '@jest/globals';
import { isWorkload, type Workload } from '../workload.ts';
import { TEMPLATES } from '../__fixtures__/golden.ts';
import { inputOf } from '../__fixtures__/inputs.ts';
import type { EtcdMembership } from '../component.ts';
import { renderComponent } from '../desired.ts';
import { EFFECTIVE_HASH, OTHER_SIZE_HASH, withEffectiveHash } from './effective-hash.ts';
import { etcd } from './etcd.ts';
import { reportsLearners } from './join.ts';

describe('reportsLearners', () => {
  it.each([
    ['3.5.18-0', false],
    ['3.5.19-0', true],
    ['3.6.0-0', true],
    ['3.6.14-0', true],
    ['3.4.40', false],
    ['v4.0.0', true],
    ['latest', false],
  ])('of %s is %s', (tag, reports) => {
    expect(reportsLearners(tag)).toBe(reports);
  });
});

const membership = (
  replicas: number,
  state: EtcdMembership['state'] = 'existing',
): EtcdMembership => ({
  replicas,
  state,
  ordinals: Array.from({ length: replicas }, (_, ordinal) => ordinal),
});

function hashes(
  etcdMembership: EtcdMembership,
  local: object = {},
): { readonly own: string | undefined; readonly other: string | undefined } {
  const input = { ...inputOf({ components: { etcd: { local } } }), etcdMembership };
  const rendered = renderComponent(TEMPLATES, etcd, input).find((object): object is Workload =>
    isWorkload(object),
  );
  const set = rendered && withEffectiveHash(rendered);
  const { annotations } = set?.spec.template.metadata ?? {};
  return {
    own: annotations?.[EFFECTIVE_HASH],
    other: set?.metadata.annotations?.[OTHER_SIZE_HASH],
  };
}

describe('template hash', () => {
  it('of one member and of three names the other one', () => {
    const [one, three] = [hashes(membership(1)), hashes(membership(3))];
    expect(one).toEqual({ own: three.other, other: three.own });
    expect(one.own).not.toBe(three.own);
  });

  it('is equal for three and five members, and for an etcd that is not sealed yet', () => {
    expect(hashes(membership(5))).toEqual(hashes(membership(3)));
    expect(hashes(membership(1, 'new'))).toEqual(hashes(membership(1)));
  });

  it('differs for another release', () => {
    const [one, three] = [1, 3].map((count) => hashes(membership(count), { imageTag: '3.6.1-0' }));
    expect([one?.own, one?.other]).not.toContain(hashes(membership(1)).own);
    expect(three).toEqual({ own: one?.other, other: one?.own });
  });
});
