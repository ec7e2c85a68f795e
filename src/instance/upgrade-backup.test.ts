/**
 * Upgrades of a model of a control plane, with the decisions of the operator.
 *
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import { BACKUP_PLURAL } from '../api/backup/kinds.ts';
import type { KarmadaSpec } from '../api/karmada.ts';
import { isWorkload } from '../components/workload.ts';
import { NOW } from './__fixtures__/instance.ts';
import { releaseOf, RollbackModel } from '../features/rollback/__fixtures__/model.ts';
import { hasBegun } from './upgrade-backup.ts';

const STORE = { metadata: { name: 'main' } };

const specIn = (version: string, upgrade: KarmadaSpec['upgrade'] = {}): KarmadaSpec => ({
  version,
  upgrade,
  components: { etcd: { local: { volumeData: { emptyDir: {} } } } },
});

/** Reconciles until nothing changes. */
async function atRest(model: RollbackModel): Promise<void> {
  for (let count = 0; count < 60; count += 1) {
    const before = model.writes;
    await model.reconcile();
    model.settle();
    await model.reconcile();
    model.now += 5_000;
    if (model.writes === before) return;
  }
  throw new Error(`no rest: ${JSON.stringify(model.status)}`);
}

/** A ready control plane of the former release, with a store. */
async function readyModel(upgrade: KarmadaSpec['upgrade'] = {}): Promise<RollbackModel> {
  const model = new RollbackModel(specIn('v1.16.0', upgrade), NOW);
  await atRest(model);
  model.backups.isInstalled = true;
  model.backups.add(BACKUP_PLURAL.store, STORE);
  model.history.clear();
  return model;
}

const conditionOf = ({ status }: RollbackModel, type: string) =>
  status.conditions?.find((condition) => condition.type === type);

const releases = (model: RollbackModel): ReadonlySet<string> =>
  new Set([...model.host.values()].filter(({ kind }) => kind === 'Deployment').map(releaseOf));

describe('a control plane', () => {
  it('takes no backup for a server that reports another version than its image', async () => {
    const model = await readyModel();
    const { versions } = model.status;
    model.status = { ...model.status, versions: { ...versions, kubernetes: 'v1.30.0' } };
    await atRest(model);
    expect(model.backups.writes).toBe(0);
    expect(conditionOf(model, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('takes no backup while it is installed', async () => {
    const model = new RollbackModel(specIn('v1.17.1', { backup: 'Required' }), NOW);
    await atRest(model);
    expect(conditionOf(model, 'Ready')).toMatchObject({ status: 'True' });
  });
});

describe('an upgrade', () => {
  it('is blocked if a backup is required, and goes on when a store is created', async () => {
    const model = await readyModel();
    model.backups.objects.clear();
    model.change(specIn('v1.17.1', { backup: 'Required' }));
    await atRest(model);
    expect(conditionOf(model, 'Progressing')).toMatchObject({ reason: 'UpgradeBackupMissing' });
    expect(model.history.size).toBe(0);
    model.backups.add(BACKUP_PLURAL.store, STORE);
    await atRest(model);
    model.backups.end('Verified', model.now);
    await atRest(model);
    expect(releases(model)).toEqual(new Set(['new']));
  });

  it('changes nothing before its backup is verified, and then goes on', async () => {
    const model = await readyModel();
    model.change(specIn('v1.17.1'));
    await atRest(model);
    const [backup] = model.backups.backups;
    expect(model.history.size).toBe(0);
    expect(model.status.upgrade).toEqual({
      from: expect.objectContaining({ karmada: 'v1.16.0' }),
      to: expect.objectContaining({ karmada: 'v1.17.1' }),
      step: 'backup',
      backup: backup?.metadata.name,
    });
    expect(model.status.phase).toBe('Updating');
    expect(conditionOf(model, 'Progressing')).toMatchObject({ reason: 'AwaitingBackup' });
    expect(conditionOf(model, 'Ready')).toMatchObject({ status: 'False', reason: 'Progressing' });
    model.backups.end('Verified', model.now);
    await model.reconcile();
    expect(model.status.upgrade).toMatchObject({ backup: backup?.metadata.name });
    expect(hasBegun(model.status)).toBe(true);
    await atRest(model);
    expect(releases(model)).toEqual(new Set(['new']));
    expect(conditionOf(model, 'Ready')).toMatchObject({ status: 'True' });
    expect(model.status.upgrade).toBeUndefined();
    expect(model.backups.writes).toBe(1);
  });

  it('recreates a deleted workload in the running version while it waits', async () => {
    const model = await readyModel();
    model.change(specIn('v1.17.1'));
    await atRest(model);
    const [id = ''] = [...model.host].find(([, { kind }]) => kind === 'Deployment') ?? [];
    model.host.delete(id);
    await atRest(model);
    expect(model.host.has(id)).toBe(true);
    expect(releases(model)).toEqual(new Set(['old']));
    const etcd = [...model.host.values()].filter(isWorkload).map(releaseOf);
    expect(new Set(etcd)).toEqual(new Set(['old']));
  });

  it('applies no other change while it waits', async () => {
    const model = await readyModel();
    const spec = specIn('v1.17.1');
    const karmadaWebhook = { extraArgs: { v: '5' } };
    model.change({ ...spec, components: { ...spec.components, karmadaWebhook } });
    await atRest(model);
    expect(model.history.size).toBe(0);
  });

  it('is blocked by a failed backup until the user deletes it', async () => {
    const model = await readyModel();
    model.change(specIn('v1.17.1'));
    await atRest(model);
    model.backups.end('Failed', model.now);
    await atRest(model);
    expect(model.status.phase).toBe('Blocked');
    expect(conditionOf(model, 'Progressing')).toMatchObject({
      status: 'False',
      reason: 'UpgradeBackupFailed',
      message: expect.stringContaining('the cause'),
    });
    expect(model.status.upgrade?.step).toBe('backup');
    expect(model.history.size).toBe(0);
    model.backups.objects.delete(BACKUP_PLURAL.backup);
    await atRest(model);
    expect(model.backups.writes).toBe(2);
    model.backups.end('Verified', model.now);
    await atRest(model);
    expect(releases(model)).toEqual(new Set(['new']));
  });

  it('goes on without the failed backup when the user chooses Never', async () => {
    const model = await readyModel();
    model.change(specIn('v1.17.1'));
    await atRest(model);
    model.backups.end('Failed', model.now);
    await atRest(model);
    model.change(specIn('v1.17.1', { backup: 'Never' }));
    await model.reconcile();
    expect(model.status.upgrade?.backup).toBeUndefined();
    await atRest(model);
    expect(releases(model)).toEqual(new Set(['new']));
  });

  it('waits while the backups cannot be read, and never takes that for none', async () => {
    const model = await readyModel();
    model.backups.failure = 503;
    model.change(specIn('v1.17.1'));
    await atRest(model);
    expect(model.history.size).toBe(0);
    expect(conditionOf(model, 'Ready')?.message).toContain('HTTP 503');
    model.backups.failure = undefined;
    await atRest(model);
    expect(model.backups.writes).toBe(1);
  });

  it('goes on when its backup is deleted after the first step', async () => {
    const model = await readyModel();
    model.change(specIn('v1.17.1'));
    await atRest(model);
    model.backups.end('Verified', model.now);
    await model.reconcile();
    model.backups.objects.delete(BACKUP_PLURAL.backup);
    await atRest(model);
    expect(releases(model)).toEqual(new Set(['new']));
    expect(model.backups.writes).toBe(1);
  });

  it('converges when the operator crashes after any action', async () => {
    for (let crash = 0; crash < 6; crash += 1) {
      const model = await readyModel();
      model.change(specIn('v1.17.1'));
      await model.reconcile(crash);
      model.restart();
      await atRest(model);
      expect(model.history.size).toBe(0);
      model.backups.end('Verified', model.now);
      await model.reconcile(crash);
      model.restart();
      await atRest(model);
      expect(releases(model)).toEqual(new Set(['new']));
      expect(model.backups.writes).toBe(1);
    }
  });

  it('takes no backup for a rollback, nor for a change that keeps the versions', async () => {
    const model = await readyModel({ onFailure: 'Rollback', stepDeadline: '10m' });
    model.change(specIn('v1.17.1', { onFailure: 'Rollback', stepDeadline: '10m' }));
    model.broken.add('karmada-webhook');
    await atRest(model);
    expect(model.status.upgrade).toMatchObject({ step: 'backup', phase: 'Progressing' });
    expect(model.status.upgrade?.startedAt).toBeUndefined();
    model.now += 1_200_000;
    await atRest(model);
    expect(model.status.upgrade).toMatchObject({ step: 'backup', phase: 'Progressing' });
    model.backups.end('Verified', model.now);
    await atRest(model);
    model.now = Date.parse(model.status.upgrade?.startedAt ?? '') + 601_000;
    await atRest(model);
    expect(model.status.upgrade).toMatchObject({ phase: 'RolledBack' });
    expect(releases(model)).toEqual(new Set(['old']));
    expect(model.backups.writes).toBe(1);
  });
});
