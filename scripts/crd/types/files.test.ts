import { expect, it } from '@jest/globals';
import { stale } from '../../deploy/generate.ts';
import { typeFiles } from './files.ts';

it('the generated types are up to date', async () => {
  const old = await stale(await typeFiles());
  expect(old.map((path) => `${path}: run npm run crd`)).toEqual([]);
});
