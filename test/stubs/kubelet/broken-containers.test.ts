import { expect, it } from '@jest/globals';
import { STEP_FAILURES } from '../../harness/step-failures.ts';
import { breakageOf } from './broken-containers.ts';

const KINDS = {
  'a bad image': 'not-created',
  'a bad flag': 'ends',
  'a missing file': 'ends',
  'a failing probe': 'not-ready',
} as const;

interface Settings {
  readonly imageRepository?: string;
  readonly extraArgs?: Readonly<Record<string, string>>;
}

it.each(STEP_FAILURES)('keeps %s with %s from becoming ready', (_, what, settings) => {
  const { imageRepository = 'docker.io/karmada/a', extraArgs = {} } = settings as Settings;
  const flags = Object.entries(extraArgs).map(([name, value]) => `--${name}=${value}`);
  const container = { image: `${imageRepository}:v1.18.2`, command: ['/bin/a', ...flags] };
  expect(breakageOf(container)?.kind).toBe(KINDS[what]);
});

it('lets all other containers become ready', () => {
  const command = ['/bin/a', '--kubeconfig=/etc/karmada/config', '--v=4'];
  expect(breakageOf({ image: 'registry.example.com/none-other:v1', command })).toBeUndefined();
});
