import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import { makeKey } from '../../pki/keys.ts';
import type { KeyPair } from '../../pki/types.ts';
import { selfSigned, signedBy } from '../../pki/x509.ts';
import { createFileStore } from '../stores/file-store.ts';
import { takeBackup } from '../take-backup.ts';
import type { JobConfig } from './config.ts';
import { PATHS, PROOF_FILES, SNAPSHOT_FILE } from './paths.ts';
import { STAGES } from './stages.ts';

const KARMADA = { namespace: 'team', name: 'demo', uid: 'karmada-uid' };
const BACKUP = { namespace: 'team', name: 'first', uid: 'backup-uid' };
const FOLDER = 'team/first';
const SNAPSHOT = randomBytes(100);
const { signal } = new AbortController();
const clock = manualClock();

const config: JobConfig = {
  backup: BACKUP,
  karmada: KARMADA,
  operatorVersion: '0.0.0',
  isExisting: false,
  folder: FOLDER,
  store: 'volume',
  encryption: 'None',
  deadlineMs: 1_000,
  etcd: { hosts: [], port: 2379 },
  secrets: ['demo-ca-backup'],
};

/** CAs of two control planes, and a serving certificate of each. */
let ours: { ca: KeyPair; server: KeyPair };
let other: typeof ours;
let root: string;

beforeAll(async () => {
  const context = { now: new Date(), random: randomBytes };
  const pair = async (): Promise<typeof ours> => {
    const ca = await selfSigned('karmada', await makeKey('ec-p256'), context);
    const subject = { subject: { commonName: 'karmada-apiserver' }, validityDays: 1 };
    const leaf = { usages: ['serverAuth' as const], dns: ['localhost'], ips: [] };
    const key = await makeKey('ec-p256');
    return { ca, server: await signedBy(ca, { ...subject, leaf }, key, context) };
  };
  [ours, other] = [await pair(), await pair()];
});

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'stages-'));
  for (const path of [SNAPSHOT_FILE, PROOF_FILES.snapshot, `${PATHS.volume}/x`])
    await mkdir(dirname(join(root, path)), { recursive: true });
  await mountCA(ours.ca.certificate);
});

/** Mounts the CA of the control plane whose data is replaced. */
async function mountCA(certificate: string): Promise<void> {
  const file = join(root, PATHS.secrets, 'demo-ca-backup', 'ca.crt');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, certificate);
}

const secretsOf = (ca: KeyPair, server: KeyPair, key = ca.key): object[] => [
  { name: 'demo-ca-backup', data: { 'ca.crt': base64(ca.certificate), 'ca.key': base64(key) } },
  { name: 'demo-cert', data: { 'apiserver.crt': base64(server.certificate) } },
];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Takes a backup of a stub of etcd into the mounted volume. */
async function take(secrets: readonly object[]): Promise<void> {
  const hash = { hash: '1', compactRevision: '1', hashRevision: '1' };
  const status = { revision: '1', version: '3.6.6', clusterId: '1', memberId: '1' };
  const etcd = {
    readWithQuorum: () => Promise.resolve(),
    status: () => Promise.resolve(status as never),
    hashKV: () => Promise.resolve(hash),
    countKeys: () => Promise.resolve('1'),
    async *snapshot() {
      yield await Promise.resolve(SNAPSHOT);
    },
  };
  await takeBackup(config, {
    clock,
    randomBytes,
    signal,
    etcd,
    store: createFileStore(join(root, PATHS.volume)),
    readObjects: () => Promise.resolve(Buffer.from(JSON.stringify({ karmada: {}, secrets }))),
  });
}

const run = async (stage: string, more: Partial<JobConfig> = {}): Promise<object | undefined> =>
  STAGES[stage]?.(
    { ...config, ...more },
    {
      clock,
      random: Math.random,
      randomBytes,
      signal,
      root,
      read: (path) => readFile(join(root, path), 'utf8'),
    },
  );

const restored = { ...KARMADA, uid: 'of-a-new-karmada' };

describe('stage load', () => {
  it.each([
    ['the same Karmada', KARMADA],
    ['a Karmada with the same CA', restored],
  ])('writes the snapshot for etcdutl for %s', async (_, karmada) => {
    await take(secretsOf(ours.ca, ours.server));
    expect(await run('load', { karmada })).toEqual({});
    expect(await readFile(join(root, SNAPSHOT_FILE))).toEqual(SNAPSHOT);
  });

  it('rejects a backup whose CA did not issue the certificate of the API server', async () => {
    await take(secretsOf(ours.ca, other.server));
    await expect(run('load')).rejects.toThrow('no CA of the backup issued the certificate');
  });

  it('rejects a backup without the key of the CA', async () => {
    await take(secretsOf(ours.ca, ours.server, ''));
    await expect(run('load')).rejects.toThrow('the backup has no private key of the CA');
  });

  it('rejects a backup of a control plane with another CA', async () => {
    await take(secretsOf(other.ca, other.server));
    await expect(run('load', { karmada: restored })).rejects.toThrow('with another CA');
  });

  it('rejects a backup of a Karmada with another name, and writes nothing', async () => {
    await take(secretsOf(ours.ca, ours.server));
    const karmada = { ...KARMADA, name: 'other' };
    await expect(run('load', { karmada })).rejects.toThrow('spec.karmadaRef.name');
    expect(existsSync(join(root, SNAPSHOT_FILE))).toBe(false);
  });
});

describe('stage fetch', () => {
  it('writes the snapshot for the proof, and returns sizes only of a backup that another object has taken', async () => {
    await take(secretsOf(ours.ca, ours.server));
    expect(await run('fetch')).toEqual({});
    expect(await readFile(join(root, PROOF_FILES.snapshot))).toEqual(SNAPSHOT);
  });

  it('rejects the files of another backup unless it verifies existing ones', async () => {
    await take(secretsOf(ours.ca, ours.server));
    const backup = { ...BACKUP, uid: 'another' };
    await expect(run('fetch', { backup })).rejects.toThrow(
      'the manifest is that of another backup',
    );
    expect(await run('fetch', { backup, isExisting: true })).toMatchObject({
      backup: { etcd: { revision: '1' } },
    });
  });

  it('rejects a backup whose CA did not issue the certificate of the API server', async () => {
    await take(secretsOf(ours.ca, other.server));
    await expect(run('fetch')).rejects.toThrow('no CA of the backup issued the certificate');
  });
});
