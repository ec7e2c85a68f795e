import { describe, expect, it } from '@jest/globals';
import type {
  KarmadaBackup,
  KarmadaBackupStore,
  KarmadaRestore,
} from '../../../api/backup/kinds.ts';
import type { Karmada } from '../../../api/karmada.ts';
import type { EtcdRecord } from '../../../etcd-cluster/identity/record.ts';
import { planRestore } from './plan-restore.ts';
import type { RestoreFacts } from './restore-facts.ts';
import type { RestorePlan } from './restore-plan.ts';

const NOW = '2026-01-02T03:04:05Z';
const VALUE = 'restore:back/a/50';
const RECOVER = 'operator.karmada.io/etcd-recover-from';
const PAUSED = 'operator.karmada.io/propagation-paused';
const OWN = 'back/uid-1';

const RECORD: EtcdRecord = { state: 'born', token: 't', members: 3, clusterID: 'a', ca: 'ca' };
const recovering = (phase: 'loading' | 'restoring' | 'switching', from = VALUE): EtcdRecord => ({
  ...RECORD,
  recovery: { from, token: 't2', volume: 'r1-etcd-data', phase },
});
const DONE: EtcdRecord = { ...RECORD, clusterID: 'b', recovered: [VALUE] };

const ON_CLAIMS = { components: { etcd: { local: { volumeData: { volumeClaim: {} } } } } };

const karmadaWith = (annotations: Record<string, string>, spec: object = ON_CLAIMS): Karmada =>
  ({ metadata: { name: 'demo', namespace: 'ns', annotations }, spec }) as unknown as Karmada;

const FACTS: RestoreFacts = {
  karmada: karmadaWith({}),
  backup: {
    metadata: { name: 'first' },
    spec: { karmadaRef: { name: 'demo' }, storeRef: { name: 'main' } },
    status: { phase: 'Verified', revision: '50', finishedAt: '2026-01-01T00:00:00Z' },
  } as KarmadaBackup,
  store: { spec: { encryption: { mode: 'None' } } } as KarmadaBackupStore,
  record: RECORD,
  hasImage: true,
  now: NOW,
};
const ANNOTATED = karmadaWith({ [RECOVER]: VALUE, [PAUSED]: OWN });

const restoreWith = (
  spec: object = {},
  status?: KarmadaRestore['status'],
  metadata: object = {},
): KarmadaRestore =>
  ({
    metadata: { name: 'back', namespace: 'ns', uid: 'uid-1', generation: 2, ...metadata },
    spec: { karmadaRef: { name: 'demo' }, backupRef: { name: 'first' }, ...spec },
    ...(status && { status }),
  }) as unknown as KarmadaRestore;

const STARTED = { phase: 'Restoring', clusterID: 'a', revision: '50', startedAt: NOW } as const;
const CONFIRMED = { confirmation: 'a' };
const DELETED = { deletionTimestamp: NOW };

const reasonIn = ({ status }: RestorePlan): string | undefined => status.conditions?.[0]?.reason;
const messageIn = ({ status }: RestorePlan): string => status.conditions?.[0]?.message ?? '';

describe('planRestore without a Secret of the store', () => {
  const storeProblem = {
    reason: 'StoreSecretNotFound',
    message: 'Secret ns/s3 not found',
  } as const;
  const facts = { ...FACTS, storeProblem };

  it('names the Secret before and after the confirmation', () => {
    const before = planRestore(restoreWith(), facts);
    expect([reasonIn(before), messageIn(before)]).toEqual(Object.values(storeProblem));
    const started = planRestore(restoreWith(CONFIRMED, STARTED), facts);
    expect(reasonIn(started)).toBe(storeProblem.reason);
    expect(messageIn(started)).toBe(`waits: ${storeProblem.message}`);
    expect(started.status.phase).toBe('Restoring');
  });

  it('needs it no more when its Pod has the copies', () => {
    const copied = { ...facts, karmada: ANNOTATED };
    expect(reasonIn(planRestore(restoreWith(CONFIRMED, STARTED), copied))).toBe('Restoring');
  });
});

describe('planRestore before the start', () => {
  it.each<readonly [string, Partial<RestoreFacts>]>([
    ['KarmadaNotFound', { karmada: undefined }],
    ['NotSupported', { karmada: karmadaWith({}, { hostCluster: { secretRef: { name: 'x' } } }) }],
    ['NotSupported', { karmada: karmadaWith({}, {}) }],
    ['EtcdNotFound', { record: undefined }],
    ['EtcdNotFound', { record: { ...RECORD, state: 'unborn' } }],
    ['OtherRecovery', { record: recovering('restoring', 'demo-etcd-0/a/50') }],
    ['OtherRecovery', { karmada: karmadaWith({ [RECOVER]: 'restore:other/a/7' }) }],
    ['NoImage', { hasImage: false }],
    ['BackupNotFound', { backup: undefined }],
    ['BackupNotVerified', { backup: { spec: {}, status: { phase: 'Failed' } } as KarmadaBackup }],
    ['StoreNotFound', { store: undefined }],
  ])('reports %s, also if it is confirmed', (reason, facts) => {
    const plan = planRestore(restoreWith(CONFIRMED), { ...FACTS, ...facts });
    expect(reasonIn(plan)).toBe(reason);
    expect(plan).toMatchObject({ hasFinalizer: false, status: { phase: 'Pending' } });
    expect(plan.annotate).toBeUndefined();
    expect(plan.status.startedAt).toBeUndefined();
  });

  it('refuses the backup of a Karmada with another name, and names the field', () => {
    const spec = { ...FACTS.backup?.spec, karmadaRef: { name: 'former' } };
    const backup = { ...FACTS.backup, spec } as KarmadaBackup;
    const plan = planRestore(restoreWith(CONFIRMED), { ...FACTS, backup });
    expect(reasonIn(plan)).toBe('NotSupported');
    expect(messageIn(plan)).toContain(
      'spec.karmadaRef.name: KarmadaBackup first is of Karmada former',
    );
    expect(plan.annotate).toBeUndefined();
  });

  it('names what it would replace, and how to confirm it', () => {
    const plan = planRestore(restoreWith(), FACTS);
    expect(reasonIn(plan)).toBe('AwaitingConfirmation');
    expect(messageIn(plan)).toContain('etcd cluster a');
    expect(messageIn(plan)).toContain(`{"spec":{"confirmation":"a"}}`);
    expect(plan).toMatchObject({ hasFinalizer: false, status: { clusterID: 'a', revision: '50' } });
  });

  it('refuses the ID of another cluster', () => {
    const plan = planRestore(restoreWith({ confirmation: 'b' }), FACTS);
    expect(reasonIn(plan)).toBe('ConfirmationRefused');
    expect(plan.status.startedAt).toBeUndefined();
  });

  it('records the start before it changes the Karmada', () => {
    const plan = planRestore(restoreWith(CONFIRMED), FACTS);
    expect(plan).toMatchObject({ hasFinalizer: true, status: STARTED });
    expect(plan.annotate).toBeUndefined();
  });

  it('leaves a deleted restore', () =>
    expect(planRestore(restoreWith(CONFIRMED, undefined, DELETED), FACTS)).toEqual({
      status: {},
      hasFinalizer: false,
    }));
});

describe('planRestore with the origin of a backup', () => {
  const [CA, OTHER] = ['a1'.repeat(32), 'b2'.repeat(32)];
  const recorded = { manifestSHA256: 'c3'.repeat(32), keyID: 'k1', caSHA256: CA };
  const factsWith = (status: object, spec: object = {}, more: object = {}): RestoreFacts => ({
    ...FACTS,
    backup: {
      metadata: { name: 'first' },
      spec: { karmadaRef: { name: 'demo' }, storeRef: { name: 'main' }, ...spec },
      status: { ...FACTS.backup?.status, ...status },
    } as KarmadaBackup,
    store: {
      metadata: { name: 'main' },
      spec: { encryption: { mode: 'AES256GCM', keyID: 'k1' } },
    } as KarmadaBackupStore,
    presentCAs: [CA],
    ...more,
  });

  it('says that an earlier backup and an existing folder have no proof, and does not say it of others', () => {
    const message = (facts: RestoreFacts): string => messageIn(planRestore(restoreWith(), facts));
    expect(message(factsWith({}))).toContain('origin not proven: KarmadaBackup first has no');
    expect(message(factsWith(recorded, { folder: 'team/x' }))).toContain('origin not proven');
    expect(message(factsWith(recorded))).not.toContain('origin');
    const plan = planRestore(restoreWith(CONFIRMED), factsWith({}));
    expect(plan.status.startedAt).toBe(NOW);
  });

  it('asks for a confirmation that names both CAs if they differ', () => {
    const facts = factsWith(recorded, {}, { presentCAs: [OTHER, 'd4'.repeat(32)] });
    const plan = planRestore(restoreWith(CONFIRMED), facts);
    expect(reasonIn(plan)).toBe('AuthorityDiffers');
    expect(messageIn(plan)).toContain(
      `{"spec":{"confirmation":"a","caConfirmation":"${CA}/${OTHER}"}}`,
    );
    expect(plan.status.startedAt).toBeUndefined();
    const other = { ...CONFIRMED, caConfirmation: `${OTHER}/${CA}` };
    expect(planRestore(restoreWith(other), facts).status.startedAt).toBeUndefined();
    const both = { ...CONFIRMED, caConfirmation: `${CA}/${OTHER}` };
    expect(planRestore(restoreWith(both), facts).status.startedAt).toBe(NOW);
    expect(planRestore(restoreWith({ caConfirmation: `${CA}/${OTHER}` }), facts).status.phase).toBe(
      'AwaitingConfirmation',
    );
  });

  it('refuses another CA without a recorded origin, also if it is confirmed', () => {
    const facts = factsWith(recorded, { folder: 'team/x' }, { presentCAs: [OTHER] });
    const both = { ...CONFIRMED, caConfirmation: `${CA}/${OTHER}` };
    const plan = planRestore(restoreWith(both), facts);
    expect(plan.status).toMatchObject({ phase: 'Pending' });
    expect(reasonIn(plan)).toBe('AuthorityDiffers');
    expect(messageIn(plan)).toContain('NAME-ca-backup');
  });

  it('accepts one of several CAs of the control plane', () => {
    const facts = factsWith(recorded, {}, { presentCAs: [OTHER, CA] });
    expect(planRestore(restoreWith(CONFIRMED), facts).status.startedAt).toBe(NOW);
  });

  it('uses no other key than the recorded one', () => {
    const plan = planRestore(restoreWith({ ...CONFIRMED, keyID: 'k2' }), factsWith(recorded));
    expect(reasonIn(plan)).toBe('BackupKeyDiffers');
    expect(messageIn(plan)).toContain('has the key k1, as its status records, and not k2');
    const same = restoreWith({ ...CONFIRMED, keyID: 'k1' });
    expect(planRestore(same, factsWith(recorded)).status.startedAt).toBe(NOW);
    const named = restoreWith({ ...CONFIRMED, keyID: 'k2' });
    expect(planRestore(named, factsWith({})).status.startedAt).toBe(NOW);
    const store = { metadata: { name: 'main' }, spec: { encryption: { mode: 'None' } } };
    const plain = planRestore(restoreWith(CONFIRMED), factsWith(recorded, {}, { store }));
    expect(messageIn(plain)).toContain('is encrypted with the key k1');
  });
});

describe('planRestore after the start', () => {
  it('annotates the Karmada', () => {
    const plan = planRestore(restoreWith(CONFIRMED, STARTED), FACTS);
    expect(plan).toMatchObject({
      hasFinalizer: true,
      annotate: { [RECOVER]: VALUE, [PAUSED]: OWN },
    });
  });

  it.each<readonly [string, Partial<RestoreFacts>]>([
    ['the Karmada is annotated', { karmada: ANNOTATED }],
    ['the data is replaced', { karmada: ANNOTATED, record: recovering('switching') }],
    ['the annotation was removed too late', { record: recovering('switching') }],
  ])('waits if %s', (_, facts) => {
    const plan = planRestore(restoreWith(CONFIRMED, STARTED), { ...FACTS, ...facts });
    expect(plan).toMatchObject({ hasFinalizer: true, status: { phase: 'Restoring' } });
    expect(plan.annotate).toBeUndefined();
  });

  it.each<readonly [string, KarmadaRestore]>([
    ['without the confirmation', restoreWith({}, STARTED)],
    ['with another confirmation', restoreWith({ confirmation: 'b' }, STARTED)],
    ['when it is deleted', restoreWith(CONFIRMED, STARTED, DELETED)],
  ])('is withdrawn %s', (_, restore) => {
    const facts = { ...FACTS, karmada: ANNOTATED, record: recovering('loading') };
    const first = planRestore(restore, facts);
    expect(first).toMatchObject({
      hasFinalizer: true,
      annotate: { [RECOVER]: null, [PAUSED]: null },
      status: { phase: 'Withdrawn' },
    });
    const running = planRestore(restore, { ...facts, karmada: karmadaWith({}) });
    expect(running.hasFinalizer).toBe(true);
    expect(running.annotate).toBeUndefined();
    const done = planRestore(restore, { ...facts, karmada: karmadaWith({}), record: RECORD });
    expect(done).toMatchObject({ hasFinalizer: false, status: { finishedAt: NOW } });
  });

  it.each<readonly [string, Partial<RestoreFacts>, string]>([
    ['another restore', { karmada: karmadaWith({ [RECOVER]: 'restore:other/a/7' }) }, 'other'],
    ['a recovery from a member', { record: recovering('restoring', 'etcd-0/a/5') }, 'etcd-0'],
    ['a backup that is gone', { backup: undefined, karmada: ANNOTATED }, 'first not found'],
    ['a store that is gone', { store: undefined, karmada: ANNOTATED }, 'main not found'],
  ])('waits for %s, and leaves its annotation', (_, facts, text) => {
    const plan = planRestore(restoreWith(CONFIRMED, STARTED), { ...FACTS, ...facts });
    expect(messageIn(plan)).toContain(text);
    expect(plan).toMatchObject({ hasFinalizer: true, status: { phase: 'Restoring' } });
    expect(plan.annotate).toBeUndefined();
  });

  it('does not wait for a recovery that was executed', () => {
    const karmada = karmadaWith({ [RECOVER]: 'etcd-0/a/5' });
    const record = { ...RECORD, recovered: ['etcd-0/a/5'] };
    const plan = planRestore(restoreWith(CONFIRMED, STARTED), { ...FACTS, karmada, record });
    expect(plan.annotate).toMatchObject({ [RECOVER]: VALUE });
  });

  it('is withdrawn when another recovery has replaced the confirmed cluster', () => {
    const record = { ...RECORD, clusterID: 'b' };
    const plan = planRestore(restoreWith(CONFIRMED, STARTED), { ...FACTS, record });
    expect(plan).toMatchObject({ hasFinalizer: false, status: { phase: 'Withdrawn' } });
  });

  it('continues while its own recovery runs, also if the record has another cluster already', () => {
    const record = { ...recovering('restoring'), clusterID: 'b' };
    const plan = planRestore(restoreWith(CONFIRMED, STARTED), {
      ...FACTS,
      karmada: ANNOTATED,
      record,
    });
    expect(plan).toMatchObject({ hasFinalizer: true, status: { phase: 'Restoring' } });
    expect(plan.annotate).toBeUndefined();
  });

  it('does not annotate the Karmada while the record of etcd is missing', () => {
    const plan = planRestore(restoreWith(CONFIRMED, STARTED), { ...FACTS, record: undefined });
    expect(plan.annotate).toBeUndefined();
    expect(plan).toMatchObject({ hasFinalizer: true, status: { phase: 'Restoring' } });
    expect(messageIn(plan)).toContain('waits: the operator has no record of etcd');
  });

  it.each<readonly [string, Partial<RestoreFacts>]>([
    ['nor the record of its etcd', { record: undefined }],
    ['but the record of its etcd', {}],
  ])('keeps no finalizer without the Karmada, %s', (_, facts) => {
    const plan = planRestore(restoreWith(CONFIRMED, STARTED), {
      ...FACTS,
      ...facts,
      karmada: undefined,
    });
    expect(plan).toMatchObject({ hasFinalizer: false, status: { phase: 'Restoring' } });
    expect(messageIn(plan)).toBe('waits: the Karmada does not exist');
  });

  it('starts again after a withdrawal when a user confirms it again, without the former end', () => {
    const ended = { ...STARTED, phase: 'Withdrawn', finishedAt: NOW } as const;
    const plan = planRestore(restoreWith(CONFIRMED, ended), FACTS);
    expect(plan).toMatchObject({ hasFinalizer: true, annotate: { [RECOVER]: VALUE } });
    expect(plan.status.phase).toBe('Restoring');
    expect(plan.status.finishedAt).toBeUndefined();
  });

  it.each<readonly [string, Partial<RestoreFacts>]>([
    ['has the ID of the confirmed cluster again', {}],
    ['is missing', { record: undefined }],
    ['is missing, as the Karmada', { record: undefined, karmada: undefined }],
  ])('stays withdrawn after another recovery, also when the record of etcd %s', (_, facts) => {
    const replaced = { ...FACTS, record: { ...RECORD, clusterID: 'b' } };
    const { status } = planRestore(restoreWith(CONFIRMED, STARTED), replaced);
    expect(status.conditions?.[0]).toMatchObject({
      reason: 'OtherRecovery',
      message: expect.stringContaining('create another KarmadaRestore'),
    });
    const later = planRestore(restoreWith(CONFIRMED, status), { ...FACTS, ...facts });
    expect(later).toEqual({ status, hasFinalizer: false });
  });

  it('lets the propagation continue when it is withdrawn after a user has removed the other annotation', () => {
    const facts = { ...FACTS, karmada: karmadaWith({ [PAUSED]: OWN }) };
    const plan = planRestore(restoreWith({}, STARTED), facts);
    expect(plan.annotate).toEqual({ [PAUSED]: null });
    expect(plan.status.phase).toBe('Withdrawn');
  });

  it.each(['me', 'back/uid-0', 'back'])(
    'leaves the pause of somebody else when it is withdrawn: %s',
    (other) => {
      const karmada = karmadaWith({ [RECOVER]: VALUE, [PAUSED]: other });
      const plan = planRestore(restoreWith({}, STARTED), { ...FACTS, karmada });
      expect(plan.annotate).toEqual({ [RECOVER]: null });
    },
  );

  it('keeps the pause of a deleted restore with the same name when it starts and is withdrawn', () => {
    const earlier = { ...FACTS, karmada: karmadaWith({ [PAUSED]: 'back/uid-0' }) };
    const started = planRestore(restoreWith(CONFIRMED, STARTED), earlier);
    expect(started.annotate).toEqual({ [RECOVER]: VALUE, [PAUSED]: `back/uid-0,${OWN}` });
    const both = karmadaWith({ [RECOVER]: VALUE, [PAUSED]: `back/uid-0,${OWN}` });
    const withdrawn = planRestore(restoreWith({}, STARTED), { ...FACTS, karmada: both });
    expect(withdrawn.annotate).toEqual({ [RECOVER]: null, [PAUSED]: 'back/uid-0' });
  });

  it('continues when the data is being replaced, also if it is deleted', () => {
    const facts = { ...FACTS, karmada: ANNOTATED, record: recovering('switching') };
    const plan = planRestore(restoreWith(CONFIRMED, STARTED, DELETED), facts);
    expect(plan).toMatchObject({ hasFinalizer: true, status: { phase: 'Restoring' } });
  });
});

describe('planRestore while the host cluster cannot be used', () => {
  const hostProblem = { reason: 'HostUnreachable', message: 'host is away' } as const;
  const away = { ...FACTS, record: undefined, hostProblem };

  it('keeps the finalizer of a restore that is not withdrawn yet, and what its status says', () => {
    for (const restore of [
      restoreWith(CONFIRMED, STARTED),
      restoreWith({}, STARTED),
      restoreWith(CONFIRMED, { ...STARTED, phase: 'Withdrawn', finishedAt: NOW }),
    ]) {
      const plan = planRestore(restore, away);
      expect(plan).toMatchObject({ hasFinalizer: true, status: { phase: restore.status?.phase } });
      expect(messageIn(plan)).toBe('waits: host is away');
    }
    const { status } = planRestore(restoreWith(CONFIRMED, STARTED), {
      ...FACTS,
      karmada: ANNOTATED,
      record: recovering('switching'),
    });
    expect(reasonIn(planRestore(restoreWith(CONFIRMED, status), away))).toBe('DataReplaced');
  });

  it.each(['Complete', 'PropagationPaused', 'Withdrawn'] as const)(
    'gives no finalizer to a restore that is %s',
    (phase) => {
      const status = { ...STARTED, phase, finishedAt: NOW };
      const karmada = phase === 'PropagationPaused' ? ANNOTATED : karmadaWith({});
      const restore = restoreWith({}, status);
      const plan = planRestore(restore, { ...away, karmada });
      expect(plan).toMatchObject({ hasFinalizer: false, status: { phase } });
      expect(messageIn(plan)).not.toContain('waits');
    },
  );
});

describe('planRestore after the data was replaced', () => {
  const annotatedWith = (...states: readonly string[]): Karmada => ({
    ...ANNOTATED,
    status: {
      conditions: ['APIServerReady', 'AggregatedAPIServerReady'].map((type, index) => ({
        ...{ type, status: (states[index] ?? 'Unknown') as 'True', reason: 'CrashLoopBackOff' },
        ...{ message: `${type} of this Karmada`, lastTransitionTime: NOW },
      })),
    },
  });
  const facts = { ...FACTS, karmada: annotatedWith('True', 'True'), record: DONE };

  it.each([
    ['the kube-apiserver', ['False', 'True'], 'APIServerReady of this Karmada'],
    ['the aggregated API server', ['True', 'False'], 'AggregatedAPIServerReady of this Karmada'],
  ] as const)('waits for %s before it says that the data can be compared', (_, states, cause) => {
    const waits = { ...facts, karmada: annotatedWith(...states) };
    const resumed = { ...CONFIRMED, propagation: 'Resumed' };
    const plan = planRestore(restoreWith(resumed, STARTED), waits);
    expect(plan).toMatchObject({ hasFinalizer: true, status: { phase: 'Restoring' } });
    expect(messageIn(plan)).toBe(`the data is restored; waits for the API servers: ${cause}`);
    expect([plan.annotate, plan.status.finishedAt]).toEqual([undefined, undefined]);
    expect(planRestore(restoreWith(resumed, STARTED, DELETED), waits).hasFinalizer).toBe(false);
  });

  it('names a server that reports nothing yet', () => {
    const plan = planRestore(restoreWith(CONFIRMED, STARTED), { ...facts, karmada: ANNOTATED });
    expect(messageIn(plan)).toMatch(/waits for the API servers: APIServerReady$/);
  });

  it('does not wait again when a server fails later', () => {
    const { status } = planRestore(restoreWith(CONFIRMED, STARTED), facts);
    const later = { ...facts, karmada: annotatedWith('False') };
    expect(planRestore(restoreWith(CONFIRMED, status), later).status).toEqual(status);
  });

  it('keeps the propagation paused, and says how to continue', () => {
    const plan = planRestore(restoreWith(CONFIRMED, STARTED), facts);
    expect(plan).toMatchObject({ hasFinalizer: false, status: { phase: 'PropagationPaused' } });
    expect(messageIn(plan)).toContain('"propagation":"Resumed"');
    expect(messageIn(plan)).toContain('kubectl karmada-operator propagation demo -n ns;');
    expect(plan.annotate).toBeUndefined();
  });

  it('reports the last comparison of the member clusters, also while the next one runs', () => {
    const memberClusters = { total: 1, clusters: [{ name: 'paris', create: 1 }] };
    const restore = restoreWith(CONFIRMED, STARTED);
    const { status } = planRestore(restore, { ...facts, memberClusters });
    expect(status.memberClusters).toEqual(memberClusters);
    const later = planRestore(restoreWith(CONFIRMED, status), facts);
    expect(later.status.memberClusters).toEqual(memberClusters);
  });

  it('lets the propagation continue, and is then complete', () => {
    const restore = restoreWith({ ...CONFIRMED, propagation: 'Resumed' }, STARTED);
    expect(planRestore(restore, facts).annotate).toEqual({ [PAUSED]: null });
    const after = planRestore(restore, { ...facts, karmada: karmadaWith({ [RECOVER]: VALUE }) });
    expect(after).toMatchObject({ status: { phase: 'Complete', finishedAt: NOW } });
    expect(after.annotate).toBeUndefined();
  });

  it.each([
    ['names member clusters in pull mode and the command that lists agents', 'Pull', 'rome'],
    ['says nothing about member clusters in push mode', 'Push', undefined],
  ] as const)('%s when it is complete', (_, syncMode, named) => {
    const memberClusters = { total: 1, clusters: [{ name: 'rome', syncMode }] };
    const plan = planRestore(
      restoreWith({ ...CONFIRMED, propagation: 'Resumed' }, { ...STARTED, memberClusters }),
      { ...facts, karmada: karmadaWith({ [RECOVER]: VALUE }) },
    );
    expect(plan.status.phase).toBe('Complete');
    const agents = `start the agents of the member clusters in pull mode (${named ?? ''}); this lists those that do not report, and what to do: kubectl karmada-operator propagation demo -n ns`;
    expect(messageIn(plan)).toBe(`the data is restored${named === undefined ? '' : `; ${agents}`}`);
  });

  it.each<readonly [string, EtcdRecord | undefined]>([
    ['is missing', undefined],
    ['is that of another etcd', { ...RECORD, clusterID: 'c' }],
    ['has the ID of the cluster that was given up', RECORD],
  ])('never starts again, also when the record of etcd %s', (_, record) => {
    const phases = ['Complete', 'PropagationPaused'] as const;
    const [complete, paused] = phases.map((phase) =>
      planRestore(restoreWith(CONFIRMED, { ...STARTED, phase, finishedAt: NOW }), {
        ...FACTS,
        karmada: phase === 'Complete' ? karmadaWith({}) : karmadaWith({ [PAUSED]: OWN }),
        record,
      }),
    );
    expect(complete?.annotate).toBeUndefined();
    expect(complete).toMatchObject({ hasFinalizer: false, status: { phase: 'Complete' } });
    expect(paused?.annotate).toBeUndefined();
    expect(paused).toMatchObject({ status: { phase: 'PropagationPaused' } });
  });

  it.each<readonly [string, EtcdRecord]>([
    ['replaces the data', recovering('switching')],
    ['waits for the API servers', DONE],
  ])('keeps the propagation paused when the record of etcd is lost while it %s', (_, record) => {
    const begun = { ...FACTS, karmada: annotatedWith('False'), record };
    const { status } = planRestore(restoreWith(CONFIRMED, STARTED), begun);
    expect(status).toMatchObject({ phase: 'Restoring', conditions: [{ reason: 'DataReplaced' }] });
    for (const lost of [undefined, { ...RECORD, clusterID: 'b' }]) {
      for (const states of [['False'], ['True', 'True']]) {
        const karmada = annotatedWith(...states);
        const plan = planRestore(restoreWith({}, status), { ...FACTS, karmada, record: lost });
        expect(plan.annotate).toBeUndefined();
        expect(plan.status.phase).toBe(states.length === 2 ? 'PropagationPaused' : 'Restoring');
      }
    }
  });

  it('writes nothing more', () => {
    const restore = restoreWith(CONFIRMED, STARTED);
    const { status } = planRestore(restore, facts);
    const later = planRestore({ ...restore, status }, { ...facts, now: '2026-02-01T00:00:00Z' });
    expect(later.status).toEqual(status);
  });
});
