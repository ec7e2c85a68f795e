import { describe, expect, it } from '@jest/globals';
import { requireLinuxOnX64 } from './platform.ts';

describe('requireLinuxOnX64', () => {
  it('accepts Linux on x86-64', () => {
    requireLinuxOnX64('a cluster', { platform: 'linux', arch: 'x64' });
  });

  it.each([
    ['darwin', 'arm64'],
    ['darwin', 'x64'],
    ['linux', 'arm64'],
  ] as const)('names what does not run on %s with %s', (platform, arch) => {
    expect(() => requireLinuxOnX64('a cluster', { platform, arch })).toThrow(
      `a cluster needs Linux on x86-64, and this is ${platform} on ${arch}: use such a machine; \`npm run check\` runs here`,
    );
  });
});
