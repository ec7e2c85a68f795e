import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { certificateBlocks } from '../untrusted/pem.ts';
import { authorityFacts, type AuthorityFacts } from './authority-facts.ts';
import type { AuthorityPlan } from './authority-plan.ts';
import { CROSS_KEY, readCross } from './cross-certificates.ts';
import { ensureCertificates } from './ensure.ts';
import {
  decode,
  inDays,
  INPUTS,
  issuance,
  NOW,
  ready,
  readsOf,
  request,
  type Ready,
} from './fixture.test-data.ts';
import { NEW_KEY } from './key-plan.ts';
import type { SecretReads } from './types.ts';

const ensured = async (reads: SecretReads, plan?: AuthorityPlan, now = NOW): Promise<Ready> => {
  const authorityPlans = new Map(plan ? [['ca' as const, plan]] : []);
  const keepsTrust = plan !== undefined;
  return ready(
    await ensureCertificates(request({ reads, authorityPlans, keepsTrust }), issuance(now)),
  );
};

const after = async (...args: Parameters<typeof ensured>): Promise<SecretReads> =>
  readsOf(await ensured(...args));

function factsOf(reads: SecretReads): AuthorityFacts {
  const facts = authorityFacts(INPUTS, 'ca', reads, NOW);
  if (facts === undefined) throw new Error('no CA');
  return facts;
}

const savedCross = (reads: SecretReads): string => decode(reads['ca-backup'], CROSS_KEY);
const served = (reads: SecretReads): string => decode(reads.cert, 'apiserver.crt');
const rootsIn = (reads: SecretReads): readonly string[] =>
  certificateBlocks(decode(reads.cert, 'ca.crt'));

/** The Secrets after each phase of a rotation. */
async function rotation(first: SecretReads, now = NOW) {
  const { active, successor } = factsOf(first);
  const [A, B] = [active.sha256, successor?.sha256 ?? ''];
  const certified = { root: B, by: A };
  const preparing = { signer: A, bundle: [A, B], successor: B, probe: A, certified };
  const switching = { signer: B, bundle: [B, A], retired: A, probe: A, certified };
  const overlap = { signer: B, bundle: [B, A], successor: NEW_KEY, probe: A };
  const prepared = await after(first, preparing, now);
  const switched = await after(prepared, switching, now);
  const overlapped = await after(switched, overlap, now);
  const C = factsOf(overlapped).successor?.sha256 ?? '';
  const completing = { signer: B, bundle: [B, C], successor: C, probe: A };
  const ended = await after(await after(overlapped, completing, now), undefined, now);
  return { plans: { preparing, switching }, prepared, switched, ended };
}

/** Whether a client that trusts only a CA accepts the API server. */
async function isAccepted(reads: SecretReads, ca: string): Promise<boolean> {
  const pair = { cert: served(reads), key: decode(reads.cert, 'apiserver.key') };
  const server = createServer(pair).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const servername = new URL(INPUTS.inClusterServer).hostname;
  const socket = connect({ host: '127.0.0.1', port, ca, servername });
  const outcome = await Promise.race([
    once(socket, 'secureConnect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  server.close();
  return outcome;
}

let installed: SecretReads;
let first: Awaited<ReturnType<typeof rotation>>;
let second: Awaited<ReturnType<typeof rotation>>;

beforeAll(async () => {
  installed = readsOf(ready(await ensureCertificates(request(), issuance())));
  first = await rotation(installed);
  second = await rotation(first.ended);
});

describe('a CA certified by its predecessor', () => {
  it('is accepted by clients that trust only a former CA, also after a second rotation', async () => {
    const [A = '', B = ''] = rootsIn(installed);
    const [, C = ''] = rootsIn(first.ended);
    for (const reads of [installed, first.prepared, first.switched, first.ended, second.ended])
      expect(await isAccepted(reads, A)).toBe(true);
    for (const reads of [first.switched, first.ended, second.switched, second.ended])
      expect(await isAccepted(reads, B)).toBe(true);
    expect(await isAccepted(second.ended, C)).toBe(true);
    expect(await isAccepted(first.ended, C)).toBe(false);
  });

  it('is not accepted without the certificate', async () => {
    const [A = ''] = rootsIn(installed);
    const [leaf = ''] = certificateBlocks(served(second.ended));
    const cert = { ...(second.ended.cert as object), 'apiserver.crt': btoa(leaf) };
    expect(await isAccepted({ ...second.ended, cert }, A)).toBe(false);
  });

  it('is stored before it signs, and presented from the switch on, the newest first', () => {
    const { active, successor } = factsOf(installed);
    const certifications = [{ root: successor?.sha256, by: active.sha256 }];
    expect(factsOf(first.prepared).crossSigned).toEqual(certifications);
    expect(factsOf(installed).crossSigned).toEqual([]);
    expect(served(first.prepared)).toBe(served(installed));
    expect(certificateBlocks(savedCross(second.ended))).toHaveLength(2);
    expect(served(second.ended).endsWith(savedCross(second.ended))).toBe(true);
    const [, , oldest = ''] = certificateBlocks(served(second.ended));
    expect(savedCross(first.ended)).toBe(oldest);
  });

  it('changes no Secret without a reason', async () => {
    const { preparing, switching } = first.plans;
    for (const [reads, plan] of [
      [first.prepared, preparing],
      [first.switched, switching],
      [first.ended, undefined],
      [second.ended, undefined],
    ] as const)
      expect(await after(reads, plan)).toEqual(reads);
  });

  it('does not hide the certificate of the server: it is kept, and renewed with the same chain', async () => {
    const kept = await ensured(second.ended);
    const own = new X509Certificate(served(second.ended)).fingerprint256;
    const { sha256, notAfter } = kept.info.leaves.apiserver?.certificate ?? {};
    expect(sha256).toBe(own.replaceAll(':', '').toLowerCase());
    expect(notAfter?.getTime()).toBeLessThan(inDays(366).getTime());
    const renewed = await after(second.ended, undefined, inDays(300));
    expect(certificateBlocks(served(renewed))[0]).not.toBe(
      certificateBlocks(served(second.ended))[0],
    );
    expect(served(renewed).endsWith(savedCross(second.ended))).toBe(true);
  });

  it('is not presented when the former CA signs again', async () => {
    const { signer, bundle, successor } = first.plans.preparing;
    const returned = await after(first.switched, { signer, bundle, successor });
    expect(certificateBlocks(served(returned))).toHaveLength(1);
    expect(savedCross(returned)).toBe(savedCross(first.switched));
  });

  it('is read from the server if the CA backup lacks it', async () => {
    const entries = Object.entries(second.ended['ca-backup'] as object);
    const backup = Object.fromEntries(entries.filter(([key]) => key !== CROSS_KEY));
    expect(await after({ ...second.ended, 'ca-backup': backup })).toEqual(second.ended);
  });

  it('stays what the server presents if the CA backup has another one', async () => {
    const backup = { ...(second.ended['ca-backup'] as object) };
    const restored = { ...backup, [CROSS_KEY]: btoa(savedCross(first.ended)) };
    const reads = { ...second.ended, 'ca-backup': restored };
    expect(await after(reads)).toEqual(reads);
    expect(await isAccepted(reads, rootsIn(installed)[0] ?? '')).toBe(true);
  });

  it('leaves other certificates behind that of the server alone', async () => {
    const chain = `${served(installed)}${rootsIn(installed).join('')}`;
    const cert = { ...(installed.cert as object), 'apiserver.crt': btoa(chain) };
    const reads = { ...installed, cert };
    expect(await after(reads)).toEqual(reads);
  });

  it('goes with the next rotation after it has expired', async () => {
    const { active, successor } = factsOf(first.ended);
    const [B, C] = [active.sha256, successor?.sha256 ?? ''];
    const certified = { root: C, by: B };
    const plan = { signer: B, bundle: [B, C], successor: C, probe: B, certified };
    const kept = await after(first.ended, plan, inDays(100));
    expect(certificateBlocks(savedCross(kept))).toHaveLength(2);
    const later = await after(first.ended, plan, inDays(3_651));
    expect(certificateBlocks(savedCross(later))).toHaveLength(1);
    expect(savedCross(later)).not.toBe(savedCross(first.ended));
    expect(savedCross(await after(later, plan, inDays(3_651)))).toBe(savedCross(later));
  });
});

describe('readCross', () => {
  it('reads no more certificates than the operator stores, because each is compared with all CAs', async () => {
    const reads = readsOf(ready(await ensureCertificates(request(), issuance())));
    const [authority = ''] = rootsIn(reads);
    expect(
      readCross({ saved: authority.repeat(32), presented: undefined }, undefined),
    ).toHaveLength(8);
  });
});
