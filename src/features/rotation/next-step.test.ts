import { describe, expect, it } from '@jest/globals';
import {
  A,
  authorityWith,
  AUTOMATIC,
  B,
  C,
  DAY,
  factsWith,
  NOW,
  recordWith,
  rootOf,
  rotationOf,
} from './__fixtures__/facts.ts';
import { without } from '../../etcd-cluster/recovery/without.ts';
import { ROTATION_PHASES } from './authority.ts';
import type { AuthorityFacts, Obstacles, RotationFacts } from './facts.ts';
import { nextRotationStep } from './next-step.ts';
import { rotationConditions } from './status.ts';
import { EMPTY_RECORD, type Rotation, type RotationRecord } from './record.ts';
import {
  ABORT_ANNOTATION,
  COMPLETE_ANNOTATION,
  requestsIn,
  ROTATE_ANNOTATION,
} from './requests.ts';

/** Decision about one rotation, with other facts about its authority. */
const decide = (
  given: Partial<Rotation>,
  changes: Partial<AuthorityFacts> = {},
  more: Partial<RotationFacts> = {},
) => {
  const rotation = rotationOf(given);
  return nextRotationStep(
    factsWith(rotation, { authorities: [authorityWith(rotation, changes)], ...more }),
  );
};

/** The rotation that a record step writes. */
const written = (step: ReturnType<typeof nextRotationStep>): RotationRecord =>
  step.kind === 'record' ? step.record : EMPTY_RECORD;

/** The Secrets were created before the new root. */
const PUBLISHED_LATE = { sinceCreation: [A] };
const PAST = { phase: 'Overlap', since: NOW - 2 * DAY, writtenAt: NOW - 2 * DAY } as const;

describe('nextRotationStep', () => {
  it.each([
    ['Preparing', {}, 'Switching'],
    ['Switching', { phase: 'Switching' }, 'Overlap'],
    ['Overlap', { ...PAST, completion: 'confirmed' }, 'Completing'],
  ] as const)(
    'ends %s with one write of the record when its proof is complete',
    (_, given, next) => {
      const record = written(decide(given));
      expect(record.rotations).toMatchObject([{ phase: next, since: NOW, from: A, to: B }]);
      expect(record.rotations[0]?.next).toBe(next === 'Completing' ? C : undefined);
    },
  );

  it('ends the rotation after Completing', () => {
    const record = written(decide({ phase: 'Completing' }));
    expect(record).toMatchObject({
      rotations: [],
      published: [{ authority: 'ca', root: C, at: NOW - 3_600_000 }],
    });
  });

  it.each(ROTATION_PHASES)(
    'records when all Secrets of %s are written, and only then asks for proofs',
    (phase) => {
      const rotation = without(rotationOf({ phase }), 'writtenAt');
      const step = nextRotationStep(factsWith(rotation));
      expect(written(step).rotations).toEqual([{ ...rotation, writtenAt: NOW }]);
    },
  );

  it('does nothing at rest, and while the control plane is suspended', () => {
    expect(nextRotationStep(factsWith(undefined))).toEqual({ kind: 'nothing' });
    expect(decide({}, {}, { obstacles: { isSuspended: true } })).toEqual({ kind: 'nothing' });
  });

  it('holds when the record is not valid', () => {
    const step = nextRotationStep(factsWith(undefined, { record: { fault: 'is not JSON' } }));
    expect(step).toMatchObject({
      kind: 'hold',
      reason: 'RotationRecordInvalid',
      message: expect.stringContaining('operator.karmada.io/rotation: is not JSON; restore'),
    });
  });

  it('goes on with one rotation while another one waits', () => {
    const [ca, etcd] = [rotationOf(), rotationOf({ authority: 'etcd-ca' })];
    const { pods, ...other } = authorityWith(etcd);
    const facts = {
      record: recordWith(etcd, ca),
      authorities: [authorityWith(ca), { ...other, pods: { ...pods, items: [] } }],
    };
    const step = nextRotationStep(factsWith(undefined, facts));
    expect(written(step).rotations.map(({ phase }) => phase)).toEqual(['Preparing', 'Switching']);
  });
});

describe('writes of a rotation', () => {
  const of = (given: Partial<Rotation>, changes: Partial<AuthorityFacts>) => {
    const rotation = without(rotationOf(given), 'writtenAt');
    const step = nextRotationStep(
      factsWith(rotation, { authorities: [authorityWith(rotation, changes)] }),
    );
    return step.kind === 'write'
      ? step.writes.map((write) => (write.kind === 'secret' ? write.name : write.kind))
      : step.kind;
  };
  const before = authorityWith(rotationOf());
  const switched = authorityWith(rotationOf({ phase: 'Switching' }));
  const bundleOnly = before.secrets.map((secret) => ({ ...secret, bundle: [A] }));

  it.each([
    [
      'certify the new root before a Secret trusts it',
      {},
      {
        ...PUBLISHED_LATE,
        secrets: bundleOnly,
        backup: { ...before.backup, probes: [], crossSigned: [] },
      },
      ['prepareBackup', 'cert', 'etcd-cert', 'leaf'],
    ],
    [
      'switch the Secret with the active root first and the CA backup Secret last',
      { phase: 'Switching' },
      { active: before.active, secrets: before.secrets, backup: before.backup },
      ['cert', 'etcd-cert', 'leaf', 'activateInBackup'],
    ],
    [
      'continue after a crash within the switch',
      { phase: 'Switching' },
      {
        secrets: [...switched.secrets.slice(0, 1), ...before.secrets.slice(1)],
        backup: before.backup,
      },
      ['etcd-cert', 'leaf', 'activateInBackup'],
    ],
    [
      'continue after a crash before the CA backup Secret',
      { phase: 'Switching' },
      { backup: before.backup },
      ['activateInBackup'],
    ],
    [
      'forget the former key before a successor exists',
      { phase: 'Overlap' },
      { backup: { ...switched.backup, successor: rootOf(B) } },
      ['forgetKey', 'createSuccessor'],
    ],
    [
      'create a successor that is missing after a crash',
      { phase: 'Overlap' },
      { backup: { ...switched.backup, keys: [B], successor: rootOf(B) } },
      ['createSuccessor'],
    ],
    [
      'end the trust in all Secrets',
      { phase: 'Completing' },
      { secrets: switched.secrets },
      ['cert', 'etcd-cert', 'leaf'],
    ],
    [
      'return to the former root after an abort',
      { returns: true },
      { active: switched.active, secrets: switched.secrets, backup: switched.backup },
      ['cert', 'etcd-cert', 'leaf', 'activateInBackup'],
    ],
  ] as const)('%s', (_, given, changes, expected) => {
    expect(of(given, changes)).toEqual(expected);
  });

  it('write a Secret again that others changed, after the time of the proofs has begun again', () => {
    const changes = { ...PUBLISHED_LATE, secrets: bundleOnly };
    const step = decide({}, changes);
    expect(written(step).rotations[0]?.writtenAt).toBeUndefined();
    expect(of({}, changes)).toEqual(['cert', 'etcd-cert', 'leaf']);
  });

  it.each([
    ['from their creation', { sinceCreation: [A, B] }, []],
    [
      'from the last rotation',
      { sinceCreation: [A] },
      [{ authority: 'ca' as const, root: B, at: 1 }],
    ],
  ])(
    'forget that the Secrets had the new root %s when one of them lacks it',
    (_, changes, published) => {
      const rotation = without(rotationOf(), 'writtenAt');
      const facts = (record: RotationRecord, secrets: AuthorityFacts['secrets'] = bundleOnly) =>
        factsWith(rotation, {
          record,
          authorities: [authorityWith(rotation, { ...changes, secrets })],
        });
      const first = written(nextRotationStep(facts({ ...recordWith(rotation), published })));
      expect(first.published).toEqual([{ authority: 'ca', root: B, at: NOW }]);
      expect(nextRotationStep(facts(first)).kind).toBe('write');
      const later = { ...facts(first, before.secrets), now: NOW + 7 };
      const second = written(nextRotationStep(later));
      expect(second.published).toEqual([{ authority: 'ca', root: B, at: NOW + 7 }]);
      expect(second.rotations[0]?.writtenAt).toBe(NOW + 7);
    },
  );

  it('need no certificate of the former root for a key of ServiceAccounts', () => {
    expect(
      of({ authority: 'service-account-key' }, { backup: { ...before.backup, crossSigned: [] } }),
    ).toBe('record');
  });
});

describe('restarts', () => {
  const early = (component: string, phase: Rotation['phase']): Partial<AuthorityFacts> => {
    const { pods } = authorityWith(rotationOf({ phase }));
    const items = pods.items.map((pod) =>
      pod.component === component ? { ...pod, startedAt: NOW - 5_000_000 } : pod,
    );
    return { sinceCreation: [A], pods: { ...pods, items } };
  };

  it.each([
    ['Preparing', 'webhook'],
    ['Switching', 'scheduler'],
    ['Completing', 'controller-manager'],
  ] as const)('in %s bring only the Pods forward that started too early', (phase, component) => {
    expect(decide({ phase }, early(component, phase))).toMatchObject({
      kind: 'restart',
      pods: [`${component}-0`],
    });
  });

  it('wait until each kubelet mounts the new content', () => {
    const writtenAt = NOW - 80_000;
    expect(decide({ writtenAt }, early('webhook', 'Preparing'))).toMatchObject({
      kind: 'hold',
      reason: 'Preparing',
      dueAt: writtenAt + 90_000,
    });
  });

  it('are none for a Pod that does not answer', () => {
    const { pods } = authorityWith(rotationOf());
    const items = pods.items.map((pod) => ({ ...pod, probes: [] }));
    expect(decide({}, { pods: { ...pods, items } })).toMatchObject({
      kind: 'hold',
      reason: 'Preparing',
      dueAt: NOW + 10_000,
    });
  });
});

describe('the shared ConfigMap', () => {
  const { objects, pods } = authorityWith(rotationOf({ phase: 'Completing' }));
  const filled = objects.map((object) =>
    object.kind === 'shared' ? { ...object, roots: [A, B, C] } : object,
  );
  const trusting = (name: string) =>
    pods.items.map((pod) =>
      pod.component === name
        ? {
            ...pod,
            probes: pod.probes.map((probe) => ({
              ...probe,
              answer: {
                kind: 'status',
                status: name === 'apiserver' ? 201 : 403,
                isNamed: true,
              } as const,
            })),
          }
        : pod,
    );

  it('is edited when each API server refuses the former root, although aggregated ones still trust it', () => {
    const items = trusting('aggregated-apiserver');
    expect(
      decide({ phase: 'Completing' }, { objects: filled, pods: { ...pods, items } }),
    ).toMatchObject({ kind: 'editShared', without: A });
  });

  it('is not edited while it contains nothing else', () => {
    const objects = filled.map((one) => ({ ...one, roots: [A] }));
    expect(decide({ phase: 'Completing' }, { objects })).toMatchObject({
      kind: 'hold',
      reason: 'Completing',
    });
  });

  it('is not edited while an API server trusts the former root', () => {
    const items = trusting('apiserver');
    expect(
      decide({ phase: 'Completing' }, { objects: filled, pods: { ...pods, items } }),
    ).toMatchObject({ kind: 'hold', reason: 'Completing' });
  });
});

describe('holds', () => {
  const paused = authorityWith(rotationOf()).secrets.map((secret, index) =>
    index === 1 ? { ...secret, isPaused: true as const } : secret,
  );

  it.each<[string, Partial<Rotation>, Obstacles, string]>([
    [
      'the host cluster is not observed',
      {},
      { unobserved: 'the cache is stale' },
      'RotationNotObserved',
    ],
    ['an upgrade is under way', {}, { otherChange: 'the upgrade' }, 'OtherChangeInProgress'],
    [
      'the control plane is not ready',
      { phase: 'Switching' },
      { notReady: 'a Pod fails' },
      'ControlPlaneNotReady',
    ],
  ])('keep the phase when %s', (_, given, obstacles, reason) => {
    const step = decide(given, {}, { obstacles });
    expect(step).toMatchObject({ kind: 'hold', reason });
    expect(step.kind === 'hold' && step.message).toContain(Object.values(obstacles)[0]);
  });

  it('keep the phase when a Secret or a Pod is paused, and write no paused Secret', () => {
    expect(decide({}, { secrets: paused })).toMatchObject({
      reason: 'RotationPaused',
      waitingFor: ['Secret etcd-cert'],
    });
    const { pods } = authorityWith(rotationOf());
    const items = pods.items.map((pod) =>
      pod.name === 'webhook-0' ? { ...pod, isPaused: true as const } : pod,
    );
    expect(decide({}, { pods: { ...pods, items } })).toMatchObject({
      reason: 'RotationPaused',
      waitingFor: ['Pod webhook-0'],
    });
    const former = paused.map((secret) => ({ ...secret, signer: A }));
    expect(decide({ phase: 'Switching' }, { secrets: former })).toMatchObject({
      reason: 'RotationPaused',
    });
  });

  it('name the key that is missing, with the annotation that aborts where that is possible', () => {
    const { backup } = authorityWith(rotationOf());
    const step = decide({}, { backup: { ...backup, keys: [A] } });
    expect(step).toMatchObject({ reason: 'RotationKeyMissing' });
    expect(step.kind === 'hold' && step.message).toContain(
      `${ABORT_ANNOTATION}=ca/${'b'.repeat(16)}`,
    );
    const later = decide({ phase: 'Switching' }, { backup: { ...backup, active: B, keys: [A] } });
    expect(later.kind === 'hold' && later.message).not.toContain(ABORT_ANNOTATION);
  });

  it('name the certificate that nothing has any more after an abort of the last phase', () => {
    const aborted = { phase: 'Overlap', completion: 'awaited' } as const;
    const step = decide(aborted, { known: [B, C] });
    expect(step).toMatchObject({ reason: 'RotationKeyMissing' });
    expect(step.kind === 'hold' && step.message).toContain(
      `Secret ca-backup has no certificate or public key of ${'a'.repeat(16)}; restore`,
    );
    expect(decide(aborted, { known: [A, B, C] })).toMatchObject({ reason: 'ConfirmationRequired' });
  });

  it('report an active root that the record does not name', () => {
    expect(decide({}, { active: rootOf(C) })).toMatchObject({ reason: 'ActiveAuthorityUnknown' });
  });

  it('let no former root sign again that the Secret in use no longer trusts, because its backup was restored', () => {
    const completed = authorityWith(rotationOf({ phase: 'Completing' }));
    const { active, secrets } = completed;
    for (const returns of [{}, { returns: true as const }]) {
      const step = decide(returns, { active, secrets });
      expect(step).toMatchObject({ kind: 'hold', reason: 'ActiveAuthorityUnknown' });
      expect(step.kind === 'hold' && step.message).toContain(
        `Secret cert no longer trusts ${A.slice(0, 16)}`,
      );
    }
    const overlap = authorityWith(rotationOf({ phase: 'Overlap' }));
    const back = decide({ returns: true }, { active, secrets: overlap.secrets });
    expect(back.kind).toBe('record');
  });

  it('report Secrets that were not read', () => {
    expect(nextRotationStep(factsWith(rotationOf(), { authorities: [] }))).toMatchObject({
      reason: 'RotationNotObserved',
    });
  });
});

describe('the overlap', () => {
  it.each([
    ['is not over', { ...PAST, since: NOW - DAY + 1 }, 'Overlap'],
    [
      'lasts until a user confirms',
      { ...PAST, completion: 'awaited' as const },
      'ConfirmationRequired',
    ],
  ])('holds when it %s', (_, given, reason) => {
    expect(decide(given)).toMatchObject({ kind: 'hold', reason });
  });

  it('is over after its time: the record says so, before Pods are asked', () => {
    const { rotations } = written(decide(PAST));
    expect(rotations).toEqual([{ ...rotationOf(PAST), completion: 'confirmed' }]);
  });

  it('ends before its time after a confirmation', () => {
    const given = { ...PAST, since: NOW, completion: 'confirmed' } as const;
    const { rotations } = written(decide(given));
    expect(rotations).toMatchObject([{ phase: 'Completing' }]);
  });

  it('does not end while a Pod presents the former root, even after a confirmation', () => {
    const { pods } = authorityWith(rotationOf(PAST));
    const items = pods.items.map((pod) => ({
      ...pod,
      presented: pod.presented.map((one) => ({ ...one, root: A })),
    }));
    const step = decide({ ...PAST, completion: 'confirmed' }, { pods: { ...pods, items } });
    expect(step).toMatchObject({ kind: 'hold', reason: 'Overlap' });
  });

  it('always waits for a confirmation if the policy says so', () => {
    const { policy } = factsWith(undefined);
    const step = decide(
      PAST,
      {},
      { policy: { ...policy, completion: { ...AUTOMATIC, ca: 'Confirm' } } },
    );
    expect(step).toMatchObject({
      reason: 'ConfirmationRequired',
      message: expect.stringContaining(`${COMPLETE_ANNOTATION}=ca/aaaa`),
    });
  });
});

describe('annotations', () => {
  const annotated = (
    given: Partial<Rotation> | undefined,
    annotations: Record<string, string>,
    more: Partial<RotationFacts> = {},
  ) => nextRotationStep(factsWith(given && rotationOf(given), more, annotations));
  const abort = { [ABORT_ANNOTATION]: `ca/${B.slice(0, 16)}` };
  const complete = { [COMPLETE_ANNOTATION]: `ca/${A}` };

  it.each([
    ['Preparing', []],
    [
      'Switching',
      [{ phase: 'Preparing', returns: true, switchedAt: NOW - 3_600_000, from: A, to: B }],
    ],
    ['Overlap', [{ phase: 'Overlap', completion: 'awaited' }]],
    ['Completing', [{ phase: 'Overlap', completion: 'awaited', next: C }]],
  ] as const)('abort %s', (phase, rotations) => {
    const record = written(annotated({ phase }, abort));
    expect(record.rotations).toHaveLength(rotations.length);
    expect(record.rotations).toMatchObject(rotations);
    expect(record.executed).toEqual([`abort=ca/${B.slice(0, 16)}`]);
  });

  it('let proofs begin again after an abort that changes Secrets', () => {
    for (const phase of ['Switching', 'Completing'] as const)
      expect(written(annotated({ phase }, abort)).rotations[0]?.writtenAt).toBeUndefined();
  });

  it('end an aborted rotation only when no Pod uses the new root any more', () => {
    const { pods } = authorityWith(rotationOf());
    const items = pods.items.map((pod) => ({
      ...pod,
      presented: pod.presented.map((one) => ({ ...one, root: B })),
    }));
    expect(decide({ returns: true }, { pods: { ...pods, items } })).toMatchObject({
      kind: 'hold',
      reason: 'Preparing',
    });
    expect(written(decide({ returns: true })).rotations).toEqual([]);
  });

  it('restart only Pods after an abort that started between both changes', () => {
    const { pods } = authorityWith(rotationOf());
    const at = (startedAt: number) => ({
      pods: { ...pods, items: pods.items.map((pod) => ({ ...pod, startedAt })) },
    });
    const returning = { returns: true, switchedAt: NOW - 4_000_000 } as const;
    expect(written(decide(returning, at(NOW - 4_000_001))).rotations).toEqual([]);
    const restart = { kind: 'restart', pods: ['scheduler-0', 'descheduler-0'] };
    expect(decide(returning, at(NOW - 4_000_000))).toMatchObject(restart);
    const { pods: old } = at(NOW - 4_000_001);
    const restarted = old.items.map((pod) => ({ ...pod, lastStartedAt: NOW - 4_000_000 }));
    expect(decide(returning, { pods: { ...old, items: restarted } })).toMatchObject(restart);
  });

  /** Scheduler and descheduler started long before the abort of the last phase, whose writes ended an hour ago. */
  const AWAITED = { ...PAST, writtenAt: NOW - 3_600_000, completion: 'confirmed' } as const;
  const startedBefore = (() => {
    const { pods } = authorityWith(rotationOf(PAST));
    const items = pods.items.map((pod) => ({ ...pod, startedAt: NOW - 7_200_000 }));
    return { pods: { ...pods, items } };
  })();

  it('of the last phase keep the proof that each Pod uses the new root', () => {
    const [completing] = written(decide({ ...PAST, completion: 'confirmed' })).rotations;
    expect(completing).toMatchObject({ phase: 'Completing', used: true });
    const [overlap] = written(annotated(completing, abort)).rotations;
    expect(overlap).toMatchObject({ phase: 'Overlap', completion: 'awaited', used: true });
    const step = decide({ ...AWAITED, used: true }, startedBefore);
    expect(written(step).rotations).toMatchObject([{ phase: 'Completing', used: true }]);
    expect(decide(AWAITED, startedBefore)).toMatchObject({ kind: 'restart' });
  });

  it.each([
    ['Switching', 'private key', { keys: [B] }],
    ['Completing', 'certificate or public key', {}],
  ] as const)(
    'abort no %s that could neither go back nor on, and name the %s',
    (phase, what, lost) => {
      const rotation = rotationOf({ phase });
      const { backup } = authorityWith(rotation);
      const own = authorityWith(rotation, { backup: { ...backup, ...lost }, known: [B, C] });
      const step = annotated({ phase }, abort, { authorities: [own] });
      expect(written(step).executed).toEqual([]);
      const facts = factsWith(rotation, { authorities: [own] }, abort);
      const [condition] = rotationConditions(facts, nextRotationStep(facts));
      expect(condition?.message).toContain(
        `${ABORT_ANNOTATION}=ca/${B.slice(0, 16)}: Secret ca-backup has no ${what} of ${A.slice(0, 16)}`,
      );
    },
  );

  it.each(['Overlap', 'Completing'] as const)(
    'give up this proof when others change certificates in %s',
    (phase) => {
      const { secrets } = authorityWith(rotationOf({ phase }));
      const former = secrets.map((one, index) => (index === 2 ? { ...one, signer: A } : one));
      const given = { phase, used: true } as const;
      for (const rotation of [rotationOf(given), without(rotationOf(given), 'writtenAt')]) {
        const authorities = [authorityWith(rotation, { secrets: former })];
        const [found] = written(nextRotationStep(factsWith(rotation, { authorities }))).rotations;
        expect([found?.phase, found?.used, found?.writtenAt]).toEqual([
          phase,
          undefined,
          undefined,
        ]);
      }
      const published = secrets.map((one) => ({ ...one, bundle: [A, B] }));
      const [kept] = written(decide(given, { secrets: published })).rotations;
      expect(kept?.used).toBe(phase === 'Completing' ? true : undefined);
    },
  );

  it('end the overlap once', () => {
    const record = written(annotated(PAST, complete));
    expect(record.rotations).toMatchObject([{ phase: 'Overlap', completion: 'confirmed' }]);
    const later = {
      ...recordWith(rotationOf({ ...PAST, completion: 'awaited' })),
      executed: record.executed,
    };
    expect(annotated(PAST, complete, { record: later })).toMatchObject({
      reason: 'ConfirmationRequired',
    });
  });

  it.each([
    ['a hash of another root', {}, { [ABORT_ANNOTATION]: `ca/${C}` }],
    ['another authority', {}, { [ABORT_ANNOTATION]: `etcd-ca/${B}` }],
    ['a completion outside the overlap', { phase: 'Switching' as const }, complete],
  ])('have no effect on a rotation with %s', (_, given, annotations) => {
    const step = annotated(given, annotations);
    expect(written(step).executed).toEqual([]);
    expect(step.kind).toBe('record');
  });

  it('are reported when they have no effect at rest', () => {
    expect(annotated(undefined, abort)).toMatchObject({
      reason: 'RotationRequestInvalid',
      message: expect.stringContaining('no rotation of ca is under way with this hash'),
    });
    expect(annotated(undefined, { [ROTATE_ANNOTATION]: 'ca' })).toMatchObject({
      reason: 'RotationRequestInvalid',
    });
  });

  it('come before an obstacle, but not before an observation', () => {
    expect(annotated({}, abort, { obstacles: { notReady: 'x' } }).kind).toBe('record');
    expect(annotated({}, abort, { obstacles: { unobserved: 'x' } })).toMatchObject({
      reason: 'RotationNotObserved',
    });
  });
});

describe('the start of a rotation', () => {
  const all = (['service-account-key', 'front-proxy-ca', 'etcd-ca', 'ca'] as const).map(
    (authority) => authorityWith(rotationOf({ authority })),
  );
  const start = (value: string, more: Partial<RotationFacts> = {}) =>
    nextRotationStep(
      factsWith(undefined, { authorities: all, ...more }, { [ROTATE_ANNOTATION]: value }),
    );

  it('records all authorities of the request in one write', () => {
    const record = written(start('ca,etcd-ca/1'));
    expect(record.rotations).toEqual(
      ['etcd-ca', 'ca'].map((authority) => ({
        authority,
        phase: 'Preparing',
        since: NOW,
        from: A,
        to: B,
      })),
    );
    expect(record.executed).toEqual(['rotate=ca,etcd-ca/1']);
  });

  it('happens once for each value', () => {
    const record = { ...EMPTY_RECORD, executed: ['rotate=ca/1'] };
    expect(start('ca/1', { record })).toEqual({ kind: 'nothing' });
    expect(start('ca/2', { record }).kind).toBe('record');
  });

  it('waits for the rotation under way', () => {
    const record = recordWith(rotationOf({ authority: 'etcd-ca' }));
    expect(written(start('ca/1', { record })).rotations).toMatchObject([{ authority: 'etcd-ca' }]);
  });

  const withSuccessor = (change: Partial<AuthorityFacts['backup']>): readonly AuthorityFacts[] =>
    all.map((one) => ({ ...one, backup: { ...one.backup, ...change } }));

  it.each([
    ['is missing', { successor: undefined }],
    ['is the active root', { successor: rootOf(A) }],
    ['has no key', { keys: [A] }],
    ['ends before the active root', { successor: { ...rootOf(B), notAfter: NOW + 2_999 * DAY } }],
  ])('creates a successor first when it %s', (_, change) => {
    const authorities = withSuccessor(change as Partial<AuthorityFacts['backup']>);
    expect(start('ca/1', { authorities })).toMatchObject({
      kind: 'write',
      writes: [{ kind: 'createSuccessor' }],
    });
  });

  it.each<[string, string, Obstacles, string]>([
    ['an upgrade is under way', 'ca/1', { otherChange: 'the upgrade' }, 'OtherChangeInProgress'],
    ['the control plane is not ready', 'ca/1', { notReady: 'a Pod fails' }, 'ControlPlaneNotReady'],
    ['the host cluster is not observed', 'ca/1', { unobserved: 'stale' }, 'RotationNotObserved'],
  ])('is held when %s', (_, value, obstacles, reason) => {
    expect(start(value, { obstacles })).toMatchObject({ kind: 'hold', reason });
  });

  it('is not held by what concerns another authority', () => {
    const obstacles = { unsupported: new Map([['ca', 'x'] as const]) };
    expect(start('etcd-ca/1', { obstacles }).kind).toBe('record');
  });

  it('is refused for an authority that the control plane does not have', () => {
    const authorities = all.filter(({ authority }) => authority !== 'etcd-ca');
    expect(start('ca,etcd-ca/1', { authorities })).toMatchObject({
      reason: 'RotationRequestInvalid',
      message: expect.stringContaining('no etcd-ca'),
    });
  });

  it('happens by itself for one CA after two thirds of its validity period, once', () => {
    const policy = { ...factsWith(undefined).policy, authorities: 'Automatic' as const };
    const old = { ...rootOf(A), notBefore: NOW - 6_000 * DAY };
    const authorities = all.map((one) => ({
      ...one,
      active: one.authority === 'front-proxy-ca' ? rootOf(A) : old,
    }));
    const facts = factsWith(undefined, { policy, authorities });
    const record = written(nextRotationStep(facts));
    expect(record.rotations.map(({ authority }) => authority)).toEqual(['etcd-ca']);
    expect(record.executed).toEqual([`rotate=etcd-ca/auto-${'a'.repeat(16)}`]);
    const aborted = { ...record, rotations: [] };
    expect(
      written(nextRotationStep({ ...facts, record: aborted })).rotations.map(
        ({ authority }) => authority,
      ),
    ).toEqual(['ca']);
    const kept = {
      ...{ ...facts, record: aborted },
      obstacles: { unsupported: new Map([['ca', 'x'] as const]) },
    };
    expect(nextRotationStep(kept)).toEqual({ kind: 'nothing' });
    const { requests, ...onRequest } = { ...facts, policy: factsWith(undefined).policy };
    expect(nextRotationStep({ ...onRequest, requests: requestsIn(undefined) })).toEqual({
      kind: 'nothing',
    });
    expect(requests.faults).toEqual([]);
  });
});
