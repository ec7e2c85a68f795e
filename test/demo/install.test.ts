import { describe, expect, it } from '@jest/globals';
import { splitReference } from './install.ts';

describe('an image reference', () => {
  it.each([
    ['name', '', 'name', 'latest'],
    ['name:1', '', 'name', '1'],
    ['karmada/operator:v1.17.1', '', 'karmada/operator', 'v1.17.1'],
    ['localhost/operator:0.1.0', 'localhost', 'operator', '0.1.0'],
    ['localhost:5000/a/b:1', 'localhost:5000', 'a/b', '1'],
    ['registry.example.com/a/b', 'registry.example.com', 'a/b', 'latest'],
    ['docker.io/karmada/operator:1', 'docker.io', 'karmada/operator', '1'],
  ])('%s', (reference, registry, repository, tag) => {
    expect(splitReference(reference)).toEqual({ registry, repository, tag });
  });

  it.each(['', ':1', 'name@sha256:abc', 'name:', 'a:b:c'])('%j is refused', (reference) => {
    expect(() => splitReference(reference)).toThrow(
      'is no image reference such as registry/name:tag',
    );
  });
});
