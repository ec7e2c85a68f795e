import { connect, createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { chainOf, constraintFault, type TrialLeaf } from './ca-constraints.ts';
import {
  constrainedCA,
  directoryTree,
  dnsTree,
  ipTree,
  ISSUED,
  type CAExtensions,
} from './__fixtures__/constrained-ca.ts';
import { countingRandom, INPUTS } from './fixture.test-data.ts';
import { makeKey } from './keys.ts';
import { OID } from './oids.ts';
import { trialLeaves } from './plan.ts';
import type { KeyPair } from './types.ts';
import { signedBy } from './x509.ts';

const SERVER: TrialLeaf = {
  name: 'server',
  usages: ['serverAuth'],
  dns: ['demo.team.svc', '*.team.svc'],
  ips: ['10.0.0.7', 'fd00::7'],
};
const CLIENT: TrialLeaf = { name: 'client', usages: ['clientAuth'], dns: [], ips: [] };
const LEAVES = [SERVER, CLIENT];

const issue = async (authority: KeyPair, { usages, dns, ips }: TrialLeaf): Promise<KeyPair> =>
  signedBy(
    authority,
    { subject: { commonName: 'x' }, validityDays: 90, leaf: { usages, dns, ips } },
    await makeKey('ec-p256'),
    { now: ISSUED, random: countingRandom() },
  );

/** Whether server and client accept the certificates of each other, with the CA certificates that both trust. */
async function accepts(authority: KeyPair, trusted: readonly string[]): Promise<boolean> {
  const [server, client] = await Promise.all(LEAVES.map((leaf) => issue(authority, leaf)));
  const ca = [...trusted];
  const listener = createServer({
    key: server?.key,
    cert: server?.certificate,
    ca,
    requestCert: true,
    rejectUnauthorized: false,
  });
  const seen = new Promise<boolean>((resolve) => {
    listener.on('secureConnection', (socket: TLSSocket) => {
      resolve(socket.authorized);
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const socket = connect({
    port,
    host: '127.0.0.1',
    ca,
    key: client?.key,
    cert: client?.certificate,
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  });
  const fromServer = new Promise<boolean>((resolve, reject) => {
    socket.on('secureConnect', () => resolve(socket.authorized));
    socket.on('error', reject);
  });
  try {
    const both = await Promise.all([fromServer, seen]);
    return both.every(Boolean);
  } finally {
    socket.destroy();
    listener.close();
  }
}

const { serverAuth, clientAuth } = OID;
const ALL: CAExtensions = { usages: [serverAuth, clientAuth], keyUsage: 0x06, pathLength: 0 };

type Row = readonly [title: string, extensions: CAExtensions, fault: RegExp | undefined];

const ROWS: readonly Row[] = [
  ['no constraint', {}, undefined],
  ['constraints that permit everything', ALL, undefined],
  [
    'any extended key usage',
    { usages: ['2.5.29.37.0'] },
    /extended key usage without serverAuth and clientAuth/,
  ],
  [
    'permitted names and addresses',
    {
      permitted: [
        dnsTree('svc'),
        ipTree(10, 0, 0, 0, 255, 0, 0, 0),
        ipTree(0xfd, ...Array<number>(15).fill(0), 0xff, ...Array<number>(15).fill(0)),
      ],
    },
    undefined,
  ],
  [
    'only serverAuth',
    { usages: [serverAuth] },
    /extended key usage without clientAuth, which certificates of the control plane need$/,
  ],
  ['only clientAuth', { usages: [clientAuth] }, /extended key usage without serverAuth/],
  ['no keyCertSign', { keyUsage: 0x80 }, /key usage without keyCertSign/],
  [
    'other permitted names',
    { permitted: [dnsTree('example.com')] },
    /name constraints that do not permit the SANs demo\.team\.svc, \*\.team\.svc$/,
  ],
  [
    'other permitted addresses',
    { permitted: [ipTree(192, 0, 2, 0, 255, 255, 255, 0)] },
    /do not permit the SANs 10\.0\.0\.7, fd00::7$/,
  ],
  ['an excluded name', { excluded: [dnsTree('team.svc')] }, /do not permit the SANs/],
  [
    'an excluded address',
    { excluded: [ipTree(10, 0, 0, 0, 255, 255, 255, 0)] },
    /do not permit the SANs 10\.0\.0\.7$/,
  ],
  [
    'an unknown critical extension',
    { critical: '1.3.6.1.4.1.99999.1' },
    /critical constraints that the components do not support \(1\.3\.6\.1\.4\.1\.99999\.1\)/,
  ],
];

describe('constraintFault', () => {
  beforeAll(() => {
    // The certificates are valid at a fixed time.
    jest.useFakeTimers({ now: ISSUED, doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] });
  });
  afterAll(() => {
    jest.useRealTimers();
  });

  it.each(ROWS)('agrees with OpenSSL about a CA with %s', async (_, extensions, fault) => {
    const { pair, name } = await constrainedCA('Example', extensions);
    const found = constraintFault([pair.certificate], LEAVES);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
    if (found !== undefined) expect(found).toContain(`CN=${name}`);
    expect(await accepts(pair, [pair.certificate])).toBe(fault === undefined);
  });

  it.each<readonly [title: string, root: CAExtensions, fault: RegExp | undefined]>([
    ['no constraint', {}, undefined],
    ['room for the CA below it', { pathLength: 1 }, undefined],
    ['no room for a CA below it', { pathLength: 0 }, /path length constraint of 0, but 1 CA/],
    ['other names', { permitted: [dnsTree('example.com')] }, /name constraints/],
  ])('agrees with OpenSSL about a CA below a root with %s', async (_, extensions, fault) => {
    const root = await constrainedCA('Root', extensions);
    const { pair } = await constrainedCA('Intermediate', {}, root);
    const chain = chainOf(pair.certificate, [root.pair.certificate]);
    expect(chain).toEqual([pair.certificate, root.pair.certificate]);
    const found = constraintFault(chain, LEAVES);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
    expect(await accepts(pair, chain)).toBe(fault === undefined);
  });

  it('reports names of directories, which Go programs do not support', async () => {
    const { pair } = await constrainedCA('Example', { permitted: [directoryTree('Example')] });
    expect(constraintFault([pair.certificate], [CLIENT])).toMatch(
      /name constraints on other names/,
    );
  });

  it('names the SANs of a control plane that the CA does not permit', async () => {
    const { pair } = await constrainedCA('Example', { permitted: [dnsTree('example.com')] });
    expect(constraintFault([pair.certificate], trialLeaves(INPUTS))).toMatch(
      /do not permit the SANs .*karmada-system\.svc.* and \d+ more$/,
    );
  });
});
