import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { ensureCertificates, type EnsureRequest } from './ensure.ts';
import {
  allAbsent,
  decode,
  inDays,
  INPUTS,
  issuance,
  ready,
  readsOf,
  request,
  type Ready,
} from './fixture.test-data.ts';
import { certificateHashes } from './hashes.ts';
import { wantedLeaves } from './inventory.ts';
import { MAX_EXECUTED, parseReissues, REISSUE_KEY } from './reissue-record.ts';
import { reissuedFor, storedReissues } from './reissues.ts';
import type { LeafName, SecretReads } from './types.ts';

const INSTALLED = ready(await ensureCertificates(request(), issuance()));
const READS = readsOf(INSTALLED);
const ALL = wantedLeaves(INPUTS).map(({ name }) => name);

/** What the operator writes next. */
const ensureOnce = async (
  reads: SecretReads,
  rotate: string | undefined,
  change: Partial<EnsureRequest> = {},
): Promise<Ready> => {
  const inputs = { ...INPUTS, ...(rotate !== undefined && { rotate }) };
  return ready(await ensureCertificates({ ...request({ inputs, reads }), ...change }, later()));
};

/** What the operator writes when the record of the request is stored. */
const ensure: typeof ensureOnce = async (reads, rotate, change) => {
  const first = await ensureOnce(reads, rotate, change);
  if (!first.isReissuePending) return first;
  expect(issued(first)).toEqual([]);
  return ensureOnce(readsOf(first), rotate, change);
};

/** A new clock, so that certificates and serial numbers differ. */
let days = 0;
const later = () => {
  days += 1;
  return issuance(inDays(days / 100));
};

const issued = ({ plan }: Ready): readonly LeafName[] =>
  plan.leaves.filter(({ action }) => action === 'issue').map(({ name }) => name);

/** Without the values, which tests must not print. */
const isSame = (one: SecretReads, other: SecretReads): boolean => isDeepStrictEqual(one, other);

const fingerprints = ({ info }: Ready): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(ALL.map((name) => [name, info.leaves[name]?.certificate?.sha256]));

const recordIn = (reads: SecretReads) => parseReissues(storedReissues(reads) ?? '');

describe('requested reissues', () => {
  it('replace all certificates and no CA or key, once', async () => {
    const first = await ensure(READS, 'leaves/1');
    expect(issued(first)).toEqual(ALL);
    expect(first.plan.leaves.every(({ reason }) => reason === 'Requested')).toBe(true);
    expect(first.plan.leaves[0]?.message).toBe(
      'certificate karmada: its reissue is requested by operator.karmada.io/rotate=leaves/1',
    );
    expect(first.info.authorities).toEqual(INSTALLED.info.authorities);
    expect(first.info.serviceAccount).toEqual(INSTALLED.info.serviceAccount);
    const second = await ensure(readsOf(first), 'leaves/1');
    expect(issued(second)).toEqual([]);
    expect(isSame(readsOf(second), readsOf(first))).toBe(true);
  });

  it('replace only the named certificates, with new private keys', async () => {
    const result = await ensure(READS, 'apiserver,webhook-serving/1');
    expect(issued(result)).toEqual(['apiserver', 'webhook-serving']);
    const key = (reads: SecretReads): string => decode(reads.cert, 'apiserver.key');
    expect(key(readsOf(result)) === key(READS)).toBe(false);
  });

  it('restart exactly the components that do not reload', async () => {
    const before = certificateHashes(INPUTS, INSTALLED.info);
    const after = certificateHashes(INPUTS, (await ensure(READS, 'leaves/1')).info);
    const restarted = Object.entries(after).filter(([name, hash]) =>
      Object.entries(before).some(([other, former]) => other === name && former !== hash),
    );
    expect(restarted.map(([name]) => name).sort()).toEqual([
      'descheduler',
      'scheduler',
      'scheduler-estimator',
    ]);
  });

  it('are executed once for each value, also if an earlier value returns', async () => {
    const first = await ensure(READS, 'apiserver/1');
    const second = await ensure(readsOf(first), 'apiserver/2');
    expect(issued(second)).toEqual(['apiserver']);
    const back = await ensure(readsOf(second), 'apiserver/1');
    expect(issued(back)).toEqual([]);
    const without = await ensure(readsOf(second), undefined);
    expect(isSame(readsOf(without), readsOf(second))).toBe(true);
  });

  it('have a record of limited length', async () => {
    const executed = Array.from({ length: MAX_EXECUTED }, (_, index) => `leaves/${String(index)}`);
    const text = JSON.stringify({ executed, leaves: {} });
    const backup = { [REISSUE_KEY]: Buffer.from(text).toString('base64') };
    const reads = { ...READS, 'ca-backup': { ...(READS['ca-backup'] as object), ...backup } };
    const result = await ensure(reads as SecretReads, 'apiserver/new');
    const values = recordIn(readsOf(result))?.executed ?? [];
    expect(values).toHaveLength(MAX_EXECUTED);
    expect(values.at(-1)).toBe('apiserver/new');
  });

  it('name the request of each certificate that was reissued for it, until it is renewed', async () => {
    const first = await ensure(READS, 'apiserver/1');
    const record = recordIn(readsOf(first)) ?? { executed: [], leaves: {} };
    const { apiserver = '', karmada = '' } = fingerprints(first);
    expect(reissuedFor(record, 'apiserver', apiserver)).toMatchObject({ request: 'apiserver/1' });
    expect(reissuedFor(record, 'karmada', karmada)).toBeUndefined();
    expect(reissuedFor(record, 'apiserver', 'f'.repeat(64))).toBeUndefined();
  });

  it('execute nothing during the installation, and record the value', async () => {
    const installed = await ensure(allAbsent(INPUTS), 'leaves/1');
    expect(recordIn(readsOf(installed))).toEqual({ executed: ['leaves/1'], leaves: {} });
    expect(issued(await ensure(readsOf(installed), 'leaves/1'))).toEqual([]);
  });

  it('issue nothing before their record is stored, except in a preview', async () => {
    const first = await ensureOnce(READS, 'apiserver/1');
    expect(issued(first)).toEqual([]);
    expect(first.isReissuePending).toBe(true);
    const written = first.secrets.filter(({ role, data }) => !isDeepStrictEqual(data, READS[role]));
    expect(written.map(({ role }) => role)).toEqual(['ca-backup']);
    const second = await ensureOnce(readsOf(first), 'apiserver/1');
    expect(issued(second)).toEqual(['apiserver']);
    expect(second.isReissuePending).toBe(false);
    expect(issued(await ensureOnce(READS, 'apiserver/1', { isPreview: true }))).toEqual([
      'apiserver',
    ]);
  });

  it('converge after each prefix and other parts of the writes, and replace no certificate that was written', async () => {
    const recorded = readsOf(await ensureOnce(READS, 'leaves/1'));
    const first = await ensureOnce(recorded, 'leaves/1');
    const before = fingerprints(INSTALLED);
    const parts = [
      ...[...first.secrets.keys()].map((count) => first.secrets.slice(0, count)),
      ...[...first.secrets.keys()].map((count) => first.secrets.slice(count)),
      ...[0, 1].map((rest) => first.secrets.filter((_, index) => index % 2 === rest)),
    ];
    for (const part of parts) {
      const written = part.map(({ role, data }) => [role, data] as const);
      const reads: SecretReads = { ...recorded, ...Object.fromEntries(written) };
      const again = await ensure(reads, 'leaves/1');
      const kept = ALL.filter((name) => !issued(again).includes(name));
      for (const name of ALL) expect(fingerprints(again)[name] === before[name]).toBe(false);
      for (const name of kept) expect(fingerprints(again)[name]).toBe(fingerprints(first)[name]);
      expect(issued(await ensure(readsOf(again), 'leaves/1'))).toEqual([]);
    }
  });

  it('replace a certificate again that returns from a backup of its Secret', async () => {
    const first = await ensure(READS, 'leaves/1');
    const restored = { ...readsOf(first), 'webhook-cert': READS['webhook-cert'] ?? 'absent' };
    expect(issued(await ensure(restored, 'leaves/1'))).toEqual(['webhook-serving']);
  });

  it('wait for a certificate that must not be reissued, and say so', async () => {
    const blocked = new Map<LeafName, string>([['apiserver', 'a reason']]);
    const first = await ensure(READS, 'apiserver,karmada/1', { blocked });
    expect(issued(first)).toEqual(['karmada']);
    const message = first.plan.leaves.find(({ action }) => action === 'block')?.message;
    expect(message).toBe(
      'certificate apiserver: its reissue is requested by operator.karmada.io/rotate=apiserver,karmada/1; reissue blocked: a reason',
    );
    expect(issued(await ensure(readsOf(first), undefined))).toEqual(['apiserver']);
  });

  it('wait until the record can be written', async () => {
    const first = await ensure(READS, 'leaves/1', { recordBlock: 'Secret x is paused' });
    expect(issued(first)).toEqual([]);
    expect(first.reissueRemarks).toEqual([
      'annotation operator.karmada.io/rotate=leaves/1 not executed: Secret x is paused',
    ]);
    expect(isSame(readsOf(first), READS)).toBe(true);
  });

  it.each([
    ['leaves', 'the value is not names joined by commas'],
    ['api-server/1', '"api-server" is none of leaves'],
  ])('reject %s with the field, the cause and what to do', async (value, cause) => {
    const result = await ensure(READS, value);
    expect(issued(result)).toEqual([]);
    expect(isSame(readsOf(result), READS)).toBe(true);
    expect(result.reissueRemarks).toHaveLength(1);
    expect(result.reissueRemarks[0]).toMatch(
      /^annotation operator\.karmada\.io\/rotate: .*remove the annotation from the Karmada$/,
    );
    expect(result.reissueRemarks[0]).toContain(cause);
  });

  it.each(['ca/1', 'service-account-key,etcd-ca/2'])(
    'leave %s to the rotation of CAs and keys',
    async (value) => {
      const result = await ensure(READS, value);
      expect(issued(result)).toEqual([]);
      expect(isSame(readsOf(result), READS)).toBe(true);
      expect(result.reissueRemarks).toEqual([]);
    },
  );

  it('reject a certificate that the control plane does not have, and execute nothing', async () => {
    const result = await ensure(READS, 'apiserver,search-serving/1', {
      inputs: {
        ...INPUTS,
        addons: { ...INPUTS.addons, search: false },
        rotate: 'apiserver,search-serving/1',
      },
    });
    expect(issued(result)).toEqual([]);
    expect(result.reissueRemarks).toEqual([
      'annotation operator.karmada.io/rotate: the control plane has no certificate search-serving; remove the name from the value',
    ]);
  });

  it('change nothing if the record is not valid, and keep it', async () => {
    const backup = { ...(READS['ca-backup'] as object), [REISSUE_KEY]: 'eA==' };
    const reads = { ...READS, 'ca-backup': backup } as SecretReads;
    const result = await ensure(reads, 'leaves/1');
    expect(issued(result)).toEqual([]);
    expect(isSame(readsOf(result), reads)).toBe(true);
    expect(result.reissueRemarks[0]).toContain(
      'Secret demo-karmada-ca-backup: reissues.json is not a record',
    );
  });
});
