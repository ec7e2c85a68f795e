import { describe, expect, it } from '@jest/globals';
import { filesFor, platformOf } from './own-executable.ts';

describe('platformOf', () => {
  const version = 'v26.12.1';

  it.each([
    ['darwin', 'arm64', 'darwin-arm64'],
    ['darwin', 'x64', 'darwin-amd64'],
    ['linux', 'x64', 'linux-amd64'],
    ['win32', 'x64', 'windows-amd64'],
  ])('of %s on %s is %s', (platform, arch, expected) => {
    expect(platformOf({ platform, arch, version }, '26.12.1')).toBe(expected);
  });

  it.each([
    [{ platform: 'freebsd', arch: 'x64', version }, 'freebsd-x64: no executable'],
    [{ platform: 'linux', arch: 's390x', version }, 'linux-s390x: no executable'],
    [{ platform: 'darwin', arch: 'arm64', version: 'v26.12.0' }, 'the executable needs 26.12.1'],
  ])('rejects %j', (computer, message) => {
    expect(() => platformOf(computer, '26.12.1')).toThrow(message);
  });
});

describe('filesFor', () => {
  it('has a program that Windows starts, without the completion for other shells', () => {
    expect(filesFor('windows-amd64')).toEqual({
      program: 'kubectl-karmada_operator.exe',
      others: ['LICENSE', 'THIRD-PARTY-LICENCES.txt'],
    });
  });

  it('is signed on macOS only', () => {
    expect(filesFor('darwin-arm64').sign?.[0]).toBe('codesign');
    expect(filesFor('linux-amd64').sign).toBeUndefined();
  });
});
