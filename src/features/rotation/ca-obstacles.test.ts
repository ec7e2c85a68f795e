import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import { keptControlPlaneCa } from './ca-obstacles.ts';

type Seen = Parameters<typeof keptControlPlaneCa>[0];

function seenWith(controllers: readonly string[] = [], more: Partial<Seen> = {}): Seen {
  const given = { components: { kubeControllerManager: { controllers: [...controllers] } } };
  const spec = defaultSpec(controllers.length > 0 ? given : {}, { defaultStorageClass: false });
  return { snapshot: { spec }, view: undefined, inputs: {}, ...more };
}

describe('keptControlPlaneCa', () => {
  it.each<[string, Seen]>([
    ['the default controllers', seenWith()],
    ['a list with the signer', seenWith(['namespace', 'csrsigning'])],
    ['all controllers', seenWith(['*', '-nodeipam'])],
  ])('permits a rotation with %s', (_, seen) => {
    expect(keptControlPlaneCa(seen)).toBeUndefined();
  });

  it.each<[string, Seen, RegExp]>([
    ['a list without the signer', seenWith(['namespace']), /lacks csrsigning/],
    ['a signer that is taken out', seenWith(['*', '-csrsigning']), /lacks csrsigning/],
    ['a shared key', seenWith([], { view: { sharesKey: true } }), /complete the rollout/],
    [
      'the pair of the Go operator',
      seenWith([], { inputs: { holdsAdminPair: true } }),
      /Go operator/,
    ],
  ])('forbids it with %s', (_, seen, message) => {
    expect(keptControlPlaneCa(seen)).toMatch(message);
  });
});
