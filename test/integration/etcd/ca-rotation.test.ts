/**
 * Facts about real etcd members on which the rotation of their CA is based: they read their certificates at each handshake, and the
 * CAs that they trust only when they start.
 *
 * @size small
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withEtcdReader, type EtcdReader } from '../../../src/etcd/client.ts';
import { dialTcp, secureContextOf } from '../../../src/etcd/dial.ts';
import { askEtcd } from '../../../src/features/rotation/ask-etcd.ts';
import { presentedCertificate } from '../../../src/features/rotation/presented-certificate.ts';
import { isSignedBy } from '../../../src/pki/certificate-info.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import { issueProbe } from '../../../src/pki/probe.ts';
import type { KeyPair } from '../../../src/pki/types.ts';
import { selfSigned, signedBy } from '../../../src/pki/x509.ts';
import { eventually } from '../../harness/servers/apiserver-client.ts';
import { EtcdProcesses } from '../../harness/servers/etcd-processes.ts';

const DOMAIN = 'etcd.team.svc';
const CALL_MS = 3_000;
const NAMES = ['etcd-0', 'etcd-1', 'etcd-2'] as const;
type Name = (typeof NAMES)[number];
type Root = 'A' | 'B' | 'C';

const issuance = {
  ...{ now: new Date(), random: randomBytes },
  keys: { generate: () => makeKey('ec-p256') },
};

/** What a Secret contains. */
interface Content {
  readonly signer: Root;
  readonly bundle: readonly Root[];
}

const OVERLAP: Content = { signer: 'B', bundle: ['A', 'B'] };
const COMPLETED: Content = { signer: 'B', bundle: ['B', 'C'] };

let etcds: EtcdProcesses;
let directory: string;
let roots: Readonly<Record<Root, KeyPair>>;
let mounts = 0;

const newRoot = async (name: string): Promise<KeyPair> =>
  selfSigned(name, await makeKey('ec-p256'), issuance);

/** PEM bundle. */
const bundleOf = (names: readonly Root[]): string =>
  names.map((name) => roots[name].certificate).join('');

async function leafOf(root: Root): Promise<KeyPair> {
  const usages = ['serverAuth', 'clientAuth'] as const;
  const leaf = { usages, dns: [`*.${DOMAIN}`], ips: ['127.0.0.1'] };
  const certified = { subject: { commonName: 'etcd' }, validityDays: 30, leaf };
  return signedBy(roots[root], certified, await makeKey('ec-p256'), issuance);
}

/** Replaces all files of a member at once, as a kubelet does. */
async function mount(name: Name, { signer, bundle }: Content): Promise<void> {
  const version = `${name}-${String((mounts += 1))}`;
  const { certificate, key } = await leafOf(signer);
  const files = { 'ca.crt': bundleOf(bundle), 'tls.crt': certificate, 'tls.key': key };
  await mkdir(join(directory, version));
  for (const [file, text] of Object.entries(files))
    await writeFile(join(directory, version, file), text);
  await symlink(version, join(directory, `${version}-link`));
  await rename(join(directory, `${version}-link`), join(directory, name));
}

const mountAll = (content: Content): Promise<unknown> =>
  Promise.all(NAMES.map((name) => mount(name, content)));

function start(name: Name): void {
  const [ca, certificate, key] = ['ca.crt', 'tls.crt', 'tls.key'].map((file) =>
    join(directory, name, file),
  );
  const own = etcds.peerURL(name, 'https');
  const cluster = NAMES.map((other) => `${other}=${etcds.peerURL(other, 'https')}`).join();
  const flags = [
    ...[`--cert-file=${certificate}`, `--key-file=${key}`, `--trusted-ca-file=${ca}`],
    ...[`--peer-cert-file=${certificate}`, `--peer-key-file=${key}`],
    ...[`--peer-trusted-ca-file=${ca}`, '--peer-client-cert-auth'],
    ...[`--listen-peer-urls=${own}`, `--initial-advertise-peer-urls=${own}`],
    `--initial-cluster=${cluster}`,
  ];
  etcds.start(name, { cluster: NAMES, flags });
}

/** @param meanwhile while it does not run */
async function restart(name: Name, meanwhile?: () => Promise<void>): Promise<void> {
  await etcds.server(name).end('SIGTERM');
  await meanwhile?.();
  start(name);
}

/** Calls a member as a client with a leaf certificate of a CA, which trusts all of them. */
async function call<T>(name: Name, root: Root, use: (etcd: EtcdReader) => Promise<T>): Promise<T> {
  const context = secureContextOf({ ca: bundleOf(['A', 'B', 'C']), ...(await leafOf(root)) });
  const target = { dial: etcds.dial(name), tls: { context, serverName: `${name}.${DOMAIN}` } };
  return withEtcdReader(target, AbortSignal.timeout(CALL_MS), use);
}

/** Waits until members confirm a read with a quorum. */
async function untilServed(root: Root, names: readonly Name[] = NAMES): Promise<void> {
  let seen = '';
  await eventually(
    `${names.join()} serve`,
    () =>
      Promise.all(names.map((name) => call(name, root, (etcd) => etcd.readWithQuorum()))).then(
        () => true,
        (error: unknown) => {
          seen = String(error);
          return false;
        },
      ),
    () => seen,
  );
}

/** Answers of the members to the question of the operator with a leaf certificate of a CA. */
async function answersTo(root: Root): Promise<readonly string[]> {
  const leaf = await issueProbe('etcd-ca', roots[root], issuance);
  const ca = bundleOf(['A', 'B', 'C']);
  return Promise.all(
    NAMES.map(async (name) => {
      const access = { dial: etcds.dial(name), serverName: `${name}.${DOMAIN}`, ca, leaf };
      return (await askEtcd(access)).kind;
    }),
  );
}

/** CAs of the certificates that the members present, each at its ports for clients and for members. */
async function presented(): Promise<readonly string[]> {
  const signers = NAMES.map(async (name) => {
    const { hostname: host, port } = new URL(etcds.peerURL(name));
    const dials = [etcds.dial(name), dialTcp({ host, port: Number(port) })];
    const shown = await Promise.all(
      dials.map((dial) => presentedCertificate(dial, DOMAIN).catch(() => '')),
    );
    return shown
      .map((pem) =>
        (['A', 'B', 'C'] as const).find((one) => isSignedBy(pem, roots[one].certificate)),
      )
      .join('');
  });
  return Promise.all(signers);
}

const each = <T>(value: T): readonly T[] => NAMES.map(() => value);

describe('etcd members whose CA is replaced', () => {
  beforeEach(async () => {
    etcds = await EtcdProcesses.create(DOMAIN);
    directory = await mkdtemp(join(tmpdir(), 'etcd-ca-'));
    roots = { A: await newRoot('A'), B: await newRoot('B'), C: await newRoot('C') };
    await etcds.allocate(NAMES);
    await mountAll({ signer: 'A', bundle: ['A', 'B'] });
    for (const name of NAMES) start(name);
    await untilServed('A');
  });

  afterEach(async () => {
    await etcds.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('present the new one without a restart, and refuse the former one after one restart each', async () => {
    expect(await presented()).toEqual(each('AA'));
    expect(await answersTo('A')).toEqual(each('answered'));
    expect(await answersTo('B')).toEqual(each('answered'));
    expect(await answersTo('C')).toEqual(each('closed'));
    await mountAll(OVERLAP);
    expect(await presented()).toEqual(each('BB'));
    await untilServed('A');
    await mountAll(COMPLETED);
    expect(await answersTo('A')).toEqual(each('answered'));
    for (const [index, name] of NAMES.entries()) {
      // Members of both kinds form one quorum.
      const others = NAMES.filter((other) => other !== name);
      await restart(name, () => untilServed('B', others));
      await untilServed('B');
      const expected = NAMES.map((_, other) => (other <= index ? 'closed' : 'answered'));
      expect(await answersTo('A')).toEqual(expected);
      expect(await answersTo('B')).toEqual(each('answered'));
    }
    expect(await answersTo('C')).toEqual(each('answered'));
    expect(await presented()).toEqual(each('BB'));
  });

  it('do not form a quorum with one that still presents the former one', async () => {
    const [late, ...others] = NAMES;
    for (const name of others) await mount(name, OVERLAP);
    await untilServed('B');
    for (const name of others) await mount(name, COMPLETED);
    for (const name of others) await restart(name);
    await untilServed('B', others);
    const leader = await eventually(`${late} has no leader`, async () => {
      const { leaderId } = await call(late, 'A', (etcd) => etcd.status());
      return leaderId === '0' ? leaderId : undefined;
    });
    expect(leader).toBe('0');
  });
});
