import { describe, expect, it } from '@jest/globals';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import { snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import { initialServices } from './initial-services.ts';

const namesOf = (installed: readonly ('etcd' | 'karmada-apiserver')[]): readonly string[] =>
  initialServices(TEMPLATES, snapshotOf(wishOf(), installed)).map(
    ({ object }) => object.metadata.name,
  );

describe('initialServices', () => {
  it('returns the Services of etcd and the API server when no object exists', () => {
    expect(namesOf([])).toEqual([
      'karmada-demo-etcd',
      'karmada-demo-etcd-client',
      'karmada-demo-apiserver',
    ]);
  });

  it('renders the same Services as the complete desired state', () => {
    const later = new Map(wishOf().objects.map((wanted) => [wanted.id, wanted]));
    for (const service of initialServices(TEMPLATES, snapshotOf(wishOf(), [])))
      expect(service).toEqual(later.get(service.id));
  });

  it('returns no Services when an object of the control plane exists', () => {
    expect(namesOf(['etcd'])).toEqual([]);
  });
});
