import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { authorityFacts, rolesOf, type AuthorityFacts } from './authority-facts.ts';
import type { AuthorityPlan } from './authority-plan.ts';
import { ensureCertificates } from './ensure.ts';
import { inDays, INPUTS, issuance, NOW, ready, readsOf, request } from './fixture.test-data.ts';
import { NEW_KEY } from './key-plan.ts';
import { probedRoot } from './probe.ts';
import { certificateBlocks } from '../untrusted/pem.ts';
import type { AuthorityName, SecretReads, SecretRole } from './types.ts';

const AUTHORITIES: readonly AuthorityName[] = ['ca', 'etcd-ca', 'front-proxy-ca'];

const ensured = async (
  reads: SecretReads,
  plan?: readonly [AuthorityName, AuthorityPlan],
  now = NOW,
): Promise<SecretReads> => {
  const authorityPlans = new Map(plan ? [plan] : []);
  const keepsTrust = plan !== undefined;
  const made = await ensureCertificates(
    request({ reads, authorityPlans, keepsTrust }),
    issuance(now),
  );
  return readsOf(ready(made));
};

function factsOf(reads: SecretReads, name: AuthorityName, now = NOW): AuthorityFacts {
  const facts = authorityFacts(INPUTS, name, reads, now);
  if (facts === undefined) throw new Error(`no ${name}`);
  return facts;
}

/** Contents of the Secrets after each phase of a rotation, with the plan that led there. */
type Phase = readonly [phase: string, plan: AuthorityPlan, before: SecretReads, after: SecretReads];

async function phasesOf(name: AuthorityName, first: SecretReads): Promise<readonly Phase[]> {
  const { active, successor } = factsOf(first, name);
  const [A, B] = [active.sha256, successor?.sha256 ?? ''];
  const preparing = { signer: A, bundle: [A, B], successor: B, probe: A };
  const switching = { signer: B, bundle: [B, A], retired: A, probe: A };
  const overlap = { signer: B, bundle: [B, A], successor: NEW_KEY, probe: A };
  const prepared = await ensured(first, [name, preparing]);
  const switched = await ensured(prepared, [name, switching]);
  const overlapped = await ensured(switched, [name, overlap]);
  const C = factsOf(overlapped, name).successor?.sha256 ?? '';
  const completing = { signer: B, bundle: [B, C], successor: C, probe: A };
  return [
    ['Preparing', preparing, first, prepared],
    ['Switching', switching, prepared, switched],
    ['Overlap', overlap, switched, overlapped],
    ['Completing', completing, overlapped, await ensured(overlapped, [name, completing])],
  ];
}

const ROTATED = new Map<AuthorityName, readonly Phase[]>();
let installed: SecretReads;

beforeAll(async () => {
  installed = await ensured(readsOf(ready(await ensureCertificates(request(), issuance()))));
  for (const name of AUTHORITIES) ROTATED.set(name, await phasesOf(name, installed));
});

const phasesIn = (name: AuthorityName): readonly Phase[] => ROTATED.get(name) ?? [];

/** The Secrets after each write: those in use in any order, and the CA backup last. */
function interrupted(name: AuthorityName, [, , before, after]: Phase): readonly SecretReads[] {
  const roles: readonly SecretRole[] = [...rolesOf(INPUTS, name), 'ca-backup'];
  const written = (some: readonly SecretRole[]): SecretReads => ({
    ...before,
    ...Object.fromEntries(some.map((role) => [role, after[role]])),
  });
  const prefixes = roles.map((_, count) => written(roles.slice(0, count + 1)));
  return [...prefixes, ...roles.slice(0, -1).map((role) => written([role]))];
}

const signers = ({ secrets }: AuthorityFacts): ReadonlySet<string | undefined> =>
  new Set(secrets.map(({ signer }) => signer));

const bundles = ({ secrets }: AuthorityFacts): ReadonlySet<string> =>
  new Set(secrets.flatMap(({ bundle = [] }) => bundle));

/** At any time, the private keys of what signs exist, and each bundle contains what signs. */
function expectSigned({ pairs, active, secrets }: AuthorityFacts): void {
  expect(pairs.has(active.sha256)).toBe(true);
  for (const { signer = '' } of secrets) {
    expect(pairs.has(signer)).toBe(true);
    for (const { bundle } of secrets) expect(bundle ?? [signer]).toContain(signer);
  }
}

describe.each(AUTHORITIES)('a rotation of %s', (name) => {
  it('signs with the new CA from the second phase on, which everything has trusted before', () => {
    const after = phasesIn(name).map(([, , , reads]) => factsOf(reads, name));
    const { active, successor } = factsOf(installed, name);
    const [A, B] = [active.sha256, successor?.sha256];
    expect(after.map((facts) => facts.active.sha256)).toEqual([A, B, B, B]);
    expect(after.slice(1).map(signers)).toEqual(Array.from({ length: 3 }, () => new Set([B])));
    const C = after[2]?.successor?.sha256;
    const both = new Set([A, B]);
    expect(after.map(bundles)).toEqual([both, both, both, new Set([B, C])]);
    expect([A, B]).not.toContain(C);
  });

  it('keeps the private key of the former CA until the overlap, and its leaf until the end', async () => {
    const A = factsOf(installed, name).active.sha256;
    const kept = phasesIn(name).map(([, , , after]) => {
      const { pairs, probes } = factsOf(after, name);
      return [pairs.has(A), probes.has(A)];
    });
    expect(kept).toEqual([
      [true, true],
      [true, true],
      [false, true],
      [false, true],
    ]);
    const [last] = phasesIn(name).slice(-1);
    const after = await ensured(last?.[3] ?? {});
    expect(factsOf(after, name).probes.size).toBe(0);
    expect(await ensured(after)).toEqual(after);
  });

  it('ends with the same CAs, whichever Secrets were written', async () => {
    for (const phase of phasesIn(name)) {
      const [, plan, , after] = phase;
      const whole = factsOf(after, name);
      for (const reads of interrupted(name, phase)) {
        expectSigned(factsOf(reads, name));
        const facts = factsOf(await ensured(reads, [name, plan]), name);
        expect(facts.active).toEqual(whole.active);
        expect(facts.saved).toBe(whole.saved);
        expect([...facts.probes.keys()]).toEqual([...whole.probes.keys()]);
        const roots = ({ secrets }: AuthorityFacts) =>
          secrets.map(({ role, signer, bundle = [] }) => [role, signer, bundle]);
        expect(roots(facts)).toEqual(roots(whole));
        const isNew = plan.successor === NEW_KEY;
        expect(isNew || facts.successor?.sha256 === whole.successor?.sha256).toBe(true);
      }
    }
  });

  it('issues nothing again that was written before an interruption', async () => {
    const roles = rolesOf(INPUTS, name);
    for (const [, plan, before, after] of phasesIn(name))
      for (const [index] of roles.entries()) {
        const written = roles.slice(0, index + 1).map((role) => [role, after[role]] as const);
        const reads = await ensured({ ...before, ...Object.fromEntries(written) }, [name, plan]);
        const changed = written.filter(([role, data]) => !isDeepStrictEqual(reads[role], data));
        expect(changed.map(([role]) => role)).toEqual([]);
      }
  });

  it('writes nothing when the content is that of the phase', async () => {
    for (const [, plan, , after] of phasesIn(name))
      expect(await ensured(after, [name, plan])).toEqual(after);
  });

  it('leaves the other CAs as they are', () => {
    for (const other of AUTHORITIES.filter((one) => one !== name))
      for (const [, , , after] of phasesIn(name))
        expect(factsOf(after, other)).toEqual(factsOf(installed, other));
  });

  it('signs with the former CA again when it is aborted after the switch', async () => {
    const [, second] = phasesIn(name);
    const { active, successor } = factsOf(installed, name);
    const [A, B] = [active.sha256, successor?.sha256 ?? ''];
    const plan = { signer: A, bundle: [A, B], successor: B };
    for (const reads of [second?.[3] ?? {}, ...(second ? interrupted(name, second) : [])]) {
      const facts = factsOf(await ensured(reads, [name, plan]), name);
      expect(facts.active.sha256).toBe(A);
      expect(facts.saved).toBe(A);
      expect([...facts.pairs.keys()].toSorted()).toEqual([A, B].toSorted());
      for (const { signer, bundle = [A, B] } of facts.secrets)
        expect([signer, bundle]).toEqual([A, [A, B]]);
    }
  });

  it('trusts the former CA again when it is aborted in the last phase', async () => {
    const [, , third, last] = phasesIn(name);
    if (third === undefined || last === undefined) throw new Error('no phases');
    const [, overlap, , overlapped] = third;
    const expected = factsOf(overlapped, name);
    for (const reads of [last[3], ...interrupted(name, last)]) {
      const facts = factsOf(await ensured(reads, [name, overlap]), name);
      expect(facts.secrets).toEqual(expected.secrets);
      expect(new Set(facts.pairs.keys())).toEqual(new Set(expected.pairs.keys()));
      expect([...facts.probes.keys()]).toEqual([...expected.probes.keys()]);
    }
  });

  it('changes nothing without a CA that the plan needs', async () => {
    const { active, successor } = factsOf(installed, name);
    const [A, B] = [active.sha256, successor?.sha256 ?? ''];
    for (const plan of [
      { signer: 'f'.repeat(64), bundle: [A] },
      { signer: B, bundle: [B, 'f'.repeat(64)] },
    ])
      expect(await ensured(installed, [name, plan])).toEqual(installed);
  });

  it('asks with a leaf that is valid as long as the former CA', () => {
    const [first] = phasesIn(name);
    const reads = first?.[3] ?? {};
    const { pairs, probes, active } = factsOf(reads, name);
    const probe = probes.get(active.sha256);
    if (probe === undefined) throw new Error('no leaf');
    expect(probedRoot(probe, inDays(3_649))).toBe(active.sha256);
    expect(probedRoot(probe, inDays(3_651))).toBeUndefined();
    expect(factsOf(reads, name, inDays(3_651)).probes.size).toBe(0);
    const other = pairs.get(factsOf(reads, name).successor?.sha256 ?? '')?.certificate ?? '';
    const [leaf = ''] = certificateBlocks(probe.certificate);
    expect(probedRoot({ ...probe, certificate: `${leaf}${other}` }, NOW)).toBeUndefined();
    expect(probedRoot({ ...probe, certificate: leaf }, NOW)).toBeUndefined();
  });
});
