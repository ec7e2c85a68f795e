import { expect, it } from '@jest/globals';
import { releaseImages } from './images-command.ts';

it('releaseImages returns every image once, with its name in a private registry', () => {
  const images = releaseImages('v1.17.1', 'registry.example.com/karmada/');
  expect(images).toHaveLength(new Set(images.map(({ source }) => source)).size);
  expect(images).toContainEqual({
    source: 'docker.io/karmada/karmada-webhook:v1.17.1',
    target: 'registry.example.com/karmada/karmada-webhook:v1.17.1',
  });
  expect(images.map(({ source }) => source.replace(/:.*/, ''))).toContain(
    'registry.k8s.io/kube-apiserver',
  );
});
