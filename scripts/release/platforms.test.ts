import { basename, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { libraries } from '../image/libraries.ts';
import { LIBRARIES, PLATFORMS } from './platforms.ts';

it('LIBRARIES and the dynamic linker are what Node.js is linked with', async () => {
  const [platform] = PLATFORMS;
  const node = join(checkout, 'node_modules', platform?.nodePackage ?? '', 'bin/node');
  const linked = (await libraries(node)).map(({ path }) => basename(path));
  const expected = [...LIBRARIES, basename(platform?.linker ?? '')];
  expect(linked.sort()).toEqual(expected.sort());
});
