import { describe, expect, it } from '@jest/globals';
import { splitReference, withPreloadedImage } from './install.ts';

describe('splitReference', () => {
  it.each([
    ['name', '', 'name', 'latest'],
    ['name:1', '', 'name', '1'],
    ['karmada/operator:v1.17.1', '', 'karmada/operator', 'v1.17.1'],
    ['localhost/operator:0.1.0', 'localhost', 'operator', '0.1.0'],
    ['localhost:5000/a/b:1', 'localhost:5000', 'a/b', '1'],
    ['registry.example.com/a/b', 'registry.example.com', 'a/b', 'latest'],
    ['docker.io/karmada/operator:1', 'docker.io', 'karmada/operator', '1'],
  ])('splits the image reference %s', (reference, registry, repository, tag) => {
    expect(splitReference(reference)).toEqual({ registry, repository, tag });
  });

  it.each(['', ':1', 'name@sha256:abc', 'name:', 'a:b:c'])(
    'rejects the image reference %j',
    (reference) => {
      expect(() => splitReference(reference)).toThrow(
        'is not an image reference; write it like registry/name:tag',
      );
    },
  );
});

it('withPreloadedImage keeps all other values', () => {
  expect(withPreloadedImage({ a: 1, operator: { replicaCount: 2 } })).toEqual({
    a: 1,
    operator: { replicaCount: 2, image: { preloaded: true } },
  });
});
