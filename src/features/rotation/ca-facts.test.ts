import { describe, expect, it } from '@jest/globals';
import { CLAIM_ANNOTATION } from '../../etcd-cluster/identity/record.ts';
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { authorityFacts } from '../../pki/authority-facts.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import { INPUTS, issuance, NOW, ready, readsOf, request } from '../../pki/fixture.test-data.ts';
import { caAuthority, type CaObservation } from './ca-facts.ts';

const READS = readsOf(ready(await ensureCertificates(request(), issuance())));
const STORED = authorityFacts(INPUTS, 'etcd-ca', READS, NOW);
if (STORED === undefined) throw new Error('no CA');
const [A, B] = [STORED.active.sha256, STORED.successor?.sha256 ?? ''];
const MINUTE = 60_000;

const secret = (role: string, createdAt: number, annotations = {}): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'Secret' },
  metadata: {
    name: `demo-karmada-${role}`,
    creationTimestamp: new Date(createdAt).toISOString(),
    annotations,
  },
});

/** @param createdAt creation of the Secrets with bundles, from the issue of the CAs on */
const seenWith = (
  createdAt: readonly [number, number],
  more: Partial<CaObservation> = {},
): CaObservation => {
  const [cert, etcd] = createdAt.map((ms) => NOW.getTime() + ms) as [number, number];
  const all = [secret('cert', cert), secret('etcd-cert', etcd), secret('ca-backup', cert)];
  return {
    ...{ karmada: 'demo', name: 'etcd-ca', stored: STORED, pods: [], claims: [], listedAt: 7 },
    ...{ secrets: new Map(all.map((one) => [one.metadata.name, one])), workloads: new Map() },
    shown: new Map(),
    ...more,
  };
};

const stamp = { clusterID: '1', token: 'x', ordinal: 0, members: 1, ca: A };
const claim = (name: string, value: string): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  metadata: { name, annotations: { [CLAIM_ANNOTATION]: value } },
});

describe('caAuthority', () => {
  it('describes the Secrets', () => {
    const { secrets, backup, active } = caAuthority(seenWith([0, 0]));
    expect(active.sha256).toBe(A);
    expect(secrets).toEqual([
      { name: 'demo-karmada-cert', signer: A, bundle: [A, B] },
      { name: 'demo-karmada-etcd-cert', signer: A, bundle: [A, B] },
    ]);
    expect(backup).toMatchObject({ active: A, keys: [A, B], probes: [] });
    expect(backup.successor?.sha256).toBe(B);
  });

  it('tells which Secrets are paused', () => {
    const paused = secret('etcd-cert', 0, { [PAUSE_REPAIR]: 'true' });
    const seen = seenWith([0, 0]);
    const secrets = new Map([...seen.secrets, [paused.metadata.name, paused]]);
    const facts = caAuthority({ ...seen, secrets });
    expect(facts.secrets.map(({ isPaused }) => isPaused)).toEqual([undefined, true]);
    expect(facts.backup.isPaused).toBeUndefined();
  });

  it.each<[string, readonly [number, number], readonly string[]]>([
    ['are as old as their CAs', [0, MINUTE], [A, B]],
    ['were created in an interrupted installation', [0, 9 * MINUTE], [A, B]],
    ['were restored later', [0, 11 * MINUTE], []],
    ['are older than their CAs', [-11 * MINUTE, 0], []],
  ])('knows the CAs since the creation of Secrets that %s', (_, createdAt, roots) => {
    expect(caAuthority(seenWith(createdAt)).sinceCreation).toEqual(roots);
  });

  it('knows none since then if a user provides them, who may have appended one later', () => {
    const custom = { secret: 'team/ca', keys: [A] };
    expect(caAuthority(seenWith([0, 0], { custom }))).toMatchObject({ custom, sinceCreation: [] });
  });

  it.each([
    ['of each member', JSON.stringify(stamp), [A]],
    ['of none with an unreadable annotation', 'x', []],
  ])('returns the CA of the data %s', (_, value, roots) => {
    const claims = [claim('etcd-data-0', value)];
    expect(caAuthority(seenWith([0, 0], { claims })).objects).toEqual([
      { name: 'PersistentVolumeClaim etcd-data-0', kind: 'stamp', roots, observedAt: 7 },
    ]);
  });
});
