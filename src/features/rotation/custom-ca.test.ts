/** Decisions about a rotation to a CA that a user provides. */
import { describe, expect, it } from '@jest/globals';
import { without } from '../../etcd-cluster/recovery/without.ts';
import {
  A,
  authorityWith,
  B,
  C,
  factsWith,
  NOW,
  rootOf,
  rotationOf,
} from './__fixtures__/facts.ts';
import type { AuthorityFacts, CustomFacts } from './facts.ts';
import { nextRotationStep } from './next-step.ts';
import { pkiPlansIn } from './pki-plans.ts';
import { EMPTY_RECORD, formatRecord, type Rotation } from './record.ts';
import { ABORT_ANNOTATION, requestsIn } from './requests.ts';

const HOUR = 3_600_000;
const SECRET = 'team/example-ca';
const CERTIFICATE: CustomFacts = { secret: SECRET, offer: rootOf(B), keys: [A] };
const KEY: CustomFacts = { secret: SECRET, offer: rootOf(B), keys: [B] };

const customRotation = (given: Partial<Rotation> = {}): Rotation => {
  const rotation = rotationOf(given);
  return { ...without(rotation, 'next'), custom: true };
};

/** Everything is as the phase expects. Only the CA backup Secret has the keys, besides what a test gives. */
function authorityOf(rotation: Rotation, changes: Partial<AuthorityFacts> = {}): AuthorityFacts {
  const { backup, ...facts } = authorityWith(rotation);
  const isForgotten = rotation.phase === 'Overlap' || rotation.phase === 'Completing';
  const kept = isForgotten ? { ...without(backup, 'successor'), keys: [B] } : backup;
  return { ...facts, backup: kept, sinceCreation: [], custom: KEY, ...changes };
}

const decide = (
  given: Partial<Rotation>,
  changes: Partial<AuthorityFacts> = {},
  annotations = {},
) => {
  const rotation = customRotation(given);
  const authorities = [authorityOf(rotation, changes)];
  return nextRotationStep(factsWith(rotation, { authorities }, annotations));
};

/** The CA backup Secret before the user has stored the private key of B. */
const keyless = (): Pick<AuthorityFacts, 'backup' | 'pods'> => {
  const { backup, pods } = authorityOf(customRotation());
  const items = pods.items.map((pod) => ({
    ...{ ...pod, startedAt: NOW - HOUR / 2 },
    probes: pod.probes.filter(({ root }) => root === A),
  }));
  return {
    backup: { ...without(backup, 'successor'), keys: [A], crossSigned: [] },
    pods: { ...pods, items },
  };
};

describe('the start of a rotation to a custom CA', () => {
  const start = (custom: CustomFacts, changes: Partial<AuthorityFacts> = {}) => {
    const { backup, secrets, ...facts } = authorityWith(rotationOf());
    const own = { ...without(backup, 'successor'), keys: [A], crossSigned: [], probes: [] };
    const alone = secrets.map((one) => ({ ...one, bundle: [A] }));
    return nextRotationStep(
      factsWith(undefined, {
        authorities: [{ ...facts, backup: own, secrets: alone, custom, ...changes }],
        requests: requestsIn({ 'operator.karmada.io/rotate': 'ca/1' }),
      }),
    );
  };

  it.each([
    ['the certificate', CERTIFICATE],
    ['the certificate and the private key', KEY],
  ])('is recorded with %s of the new CA', (_, custom) => {
    const step = start(custom);
    expect(step.kind === 'record' && step.record).toEqual({
      ...EMPTY_RECORD,
      rotations: [
        { authority: 'ca', phase: 'Preparing', since: NOW, from: A, to: B, custom: true },
      ],
      executed: ['rotate=ca/1'],
    });
  });

  it('is refused if the new CA expires before the overlap would end', () => {
    const offer = { ...rootOf(B), notAfter: NOW + HOUR };
    expect(start({ ...KEY, offer }, { active: offer })).toMatchObject({
      ...{ kind: 'hold', reason: 'RotationUnsupported' },
      message: expect.stringContaining(`Secret ${SECRET}: the other CA certificate in tls.crt`),
    });
  });
});

describe('without a request, a rotation to a custom CA', () => {
  const { policy } = factsWith(undefined);
  const stepOf = (custom: CustomFacts, authorities: 'Automatic' | 'OnRequest', executed = ['']) => {
    const facts = authorityOf(customRotation(), { custom });
    const record = { ...EMPTY_RECORD, executed };
    const settings = { ...policy, authorities };
    return nextRotationStep(
      factsWith(undefined, { record, policy: settings, authorities: [facts] }),
    );
  };
  const request = `rotate=ca/auto-${B.slice(0, 16)}`;

  it('starts only if the spec says so, and once', () => {
    const step = stepOf(CERTIFICATE, 'Automatic');
    expect(step.kind === 'record' && step.record.executed).toContain(request);
    expect(stepOf(CERTIFICATE, 'OnRequest')).toEqual({ kind: 'nothing' });
    expect(stepOf(CERTIFICATE, 'Automatic', [request])).toEqual({ kind: 'nothing' });
  });

  it('never starts because of the age of the CA', () => {
    const old = { ...rootOf(A), notBefore: 0 };
    const custom = { secret: SECRET, fault: 'has no other CA', keys: [A] };
    const facts = authorityOf(customRotation(), { custom, active: old });
    const settings = { ...policy, authorities: 'Automatic' as const };
    expect(
      nextRotationStep(factsWith(undefined, { policy: settings, authorities: [facts] })),
    ).toEqual({ kind: 'nothing' });
  });
});

describe('a rotation to a custom CA', () => {
  it('asks for the private key when the components trust the certificate', () => {
    expect(decide({}, { ...keyless(), custom: CERTIFICATE })).toEqual({
      ...{ kind: 'hold', reason: 'CustomKeyRequired', waitingFor: [], dueAt: NOW + 60_000 },
      message: `ca (${A.slice(0, 16)} to ${B.slice(0, 16)}): the components trust the new CA; store the private key of ${B.slice(0, 16)} in tls.key of Secret ${SECRET}, and keep its certificate in tls.crt, or annotate the Karmada with ${ABORT_ANNOTATION}=ca/${B.slice(0, 16)}`,
    });
  });

  it.each<[string, CustomFacts, string]>([
    ['the Secret is missing', { secret: SECRET, fault: 'not found', keys: [] }, '(not found)'],
    ['the Secret has another key', { ...KEY, keys: [C] }, `Secret ${SECRET}`],
    ['the spec names no Secret', { fault: 'no reference', keys: [] }, '(no reference)'],
  ])('goes on with the former CA while %s', (_, custom, message) => {
    const step = decide({}, { ...keyless(), custom });
    expect(step).toMatchObject({ kind: 'hold', reason: 'CustomKeyRequired' });
    expect(step.kind === 'hold' && step.message).toContain(message);
  });

  it('does not ask for the private key before the components trust the certificate', () => {
    const { backup, pods } = keyless();
    const items = pods.items.map((pod) => ({ ...pod, startedAt: NOW - 2 * HOUR }));
    const changes = { backup, custom: CERTIFICATE };
    expect(decide({}, { ...changes, pods: { ...pods, items } }).kind).toBe('restart');
    const secrets = authorityOf(customRotation()).secrets.map((one) => ({ ...one, bundle: [A] }));
    expect(decide({}, { ...changes, pods, secrets }).kind).toBe('record');
    const unwritten = without(customRotation(), 'writtenAt');
    const authorities = [authorityOf(unwritten, { ...changes, secrets })];
    expect(nextRotationStep(factsWith(unwritten, { authorities }))).toMatchObject({
      kind: 'write',
    });
  });

  it('names the Secret that has lost the certificate before the components trust it', () => {
    const custom = { secret: SECRET, fault: 'not found', keys: [] };
    const step = decide({}, { ...keyless(), custom, known: [A] });
    expect(step).toMatchObject({ kind: 'hold', reason: 'RotationKeyMissing' });
    expect(step.kind === 'hold' && step.message).toContain(
      `: Secret ${SECRET} no longer has the certificate of ${B.slice(0, 16)}; store it in tls.crt again, or annotate the Karmada with ${ABORT_ANNOTATION}=ca/`,
    );
  });

  it('copies the private key before anything depends on it', () => {
    expect(decide({}, keyless())).toMatchObject({
      kind: 'write',
      writes: [{ kind: 'prepareBackup', root: B, by: A }],
    });
  });

  it('switches only when each Pod accepts a certificate of the new CA', () => {
    const { pods } = keyless();
    expect(decide({}, { pods })).toMatchObject({ kind: 'hold', reason: 'Preparing' });
    const { pods: asked } = authorityOf(customRotation());
    const items = asked.items.map((pod) => ({ ...pod, startedAt: NOW - HOUR / 2 }));
    const step = decide({}, { pods: { ...asked, items } });
    expect(step.kind === 'record' && step.record.rotations).toMatchObject([
      { phase: 'Switching', custom: true },
    ]);
  });

  it.each(['Switching', 'Overlap'] as const)('needs no Secret of the user in %s', (phase) => {
    const given = { phase, ...(phase === 'Overlap' && { completion: 'confirmed' as const }) };
    const custom = { secret: SECRET, fault: 'not found', keys: [] };
    const { pods } = authorityOf(customRotation(given));
    const items = pods.items.map((pod) => ({ ...pod, startedAt: NOW - HOUR / 2 }));
    const step = decide(given, { custom, pods: { ...pods, items } });
    expect(step.kind === 'record' && step.record.rotations).toMatchObject([{ custom: true }]);
  });

  it('gives no successor to the new CA', () => {
    const completing = decide({ phase: 'Overlap', completion: 'confirmed' });
    expect(completing.kind === 'record' && completing.record.rotations[0]).not.toHaveProperty(
      'next',
    );
    const plans = (['Overlap', 'Completing'] as const).map((phase) => {
      const record = { ...EMPTY_RECORD, rotations: [customRotation({ phase })] };
      return pkiPlansIn(formatRecord(record)).authorities.get('ca');
    });
    expect(plans).toEqual([
      { signer: B, bundle: [B, A], probe: A },
      { signer: B, bundle: [B], probe: A },
    ]);
    const ended = decide({ phase: 'Completing' });
    expect(ended.kind === 'record' && ended.record).toMatchObject({ rotations: [], published: [] });
  });

  it('is aborted without the private key', () => {
    const annotations = { [ABORT_ANNOTATION]: `ca/${B.slice(0, 16)}` };
    const step = decide({}, { ...keyless(), custom: CERTIFICATE }, annotations);
    expect(step.kind === 'record' && step.record.rotations).toEqual([]);
  });
});
