import { describe, expect, it } from '@jest/globals';
import { TEMPLATES } from '../components/__fixtures__/golden.ts';
import { snapshotOf, wishOf } from './__fixtures__/instance.ts';
import { firstServices } from './introduce.ts';

const namesOf = (installed: readonly ('etcd' | 'karmada-apiserver')[]): readonly string[] =>
  firstServices(TEMPLATES, snapshotOf(wishOf(), installed)).map(
    ({ object }) => object.metadata.name,
  );

describe('the first Services', () => {
  it('a new instance has those of etcd and the API server before anything else', () => {
    expect(namesOf([])).toEqual([
      'karmada-demo-etcd',
      'karmada-demo-etcd-client',
      'karmada-demo-apiserver',
    ]);
  });

  it('they are the very same objects as later', () => {
    const later = new Map(wishOf().objects.map((wanted) => [wanted.id, wanted]));
    for (const service of firstServices(TEMPLATES, snapshotOf(wishOf(), [])))
      expect(service).toEqual(later.get(service.id));
  });

  it('an instance that has anything is left to its plan', () => {
    expect(namesOf(['etcd'])).toEqual([]);
  });
});
