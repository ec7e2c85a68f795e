import { describe, expect, it } from '@jest/globals';
import { sampleObjects } from './install.ts';
import { withOperatorImage } from './manifests.ts';

describe('withOperatorImage', () => {
  it('sets the image of the operator and of the Pods of backups, and changes nothing else', async () => {
    const objects = await sampleObjects('config/deploy/3-operator.yaml');
    const before = JSON.stringify(objects);
    const image = 'localhost/karmada-operator-ts:0.1.0-abc';
    const text = JSON.stringify(withOperatorImage(objects, image));
    expect(text.match(/localhost\/karmada-operator-ts:0\.1\.0-abc/g)).toHaveLength(2);
    expect(text.replaceAll(image, 'localhost/karmada-operator-ts:0.1.0')).toBe(before);
  });

  it('returns objects without containers unchanged', async () => {
    const objects = await sampleObjects('config/deploy/1-namespace.yaml');
    expect(withOperatorImage(objects, 'image')).toEqual(objects);
  });
});
