import { expect, it } from '@jest/globals';
import { BACKUP_PLURAL } from '../api/backup/kinds.ts';
import { defaultSpec } from '../api/defaults/defaults.ts';
import type { KarmadaStatus } from '../api/karmada.ts';
import { karmadaOf, NOW, snapshotOf, wishOf } from '../instance/__fixtures__/instance.ts';
import { BackupApi } from '../features/upgrade-backup/__fixtures__/backup-api.ts';
import { previewBackup } from './plan-backup.ts';

const desired = wishOf({ version: 'v1.17.1' });
const { host } = snapshotOf(desired, [...desired.steps]);
const STATUS: KarmadaStatus = {
  secretRef: { name: 'admin' },
  versions: { karmada: 'v1.17.1' },
};

async function previewed(api: BackupApi, spec: object, status = STATUS) {
  const karmada = karmadaOf(spec);
  const resolved = { spec: defaultSpec(spec, { defaultStorageClass: false }) };
  return previewBackup(api.asClient(), { karmada, status, host, now: NOW }, resolved);
}

const UPGRADE = { version: 'v1.18.2' };

it('previewBackup names the backup and its store', async () => {
  const api = new BackupApi(true);
  api.add(BACKUP_PLURAL.store, { metadata: { name: 'main' } });
  const text = expect.stringMatching(
    /^KarmadaBackup karmada-demo-v1-18-2-[0-9a-f]{8} is taken in the KarmadaBackupStore main, and verified$/,
  );
  expect(await previewed(api, UPGRADE)).toEqual({ lines: [text], blockedChanges: [] });
});

it('previewBackup reports a required backup that cannot be taken', async () => {
  const spec = { ...UPGRADE, upgrade: { backup: 'Required' } };
  const { lines, blockedChanges } = await previewed(new BackupApi(false), spec);
  expect(lines).toEqual([]);
  expect(blockedChanges).toMatchObject([{ reason: 'UpgradeBackupMissing' }]);
});

it('previewBackup reports backups that it cannot read', async () => {
  const api = new BackupApi(true);
  api.failure = 403;
  const { lines } = await previewed(api, UPGRADE);
  expect(lines).toEqual([expect.stringContaining('HTTP 403')]);
});

it.each<[string, object, KarmadaStatus]>([
  ['the versions stay', { version: 'v1.17.1' }, STATUS],
  ['no backup is wanted', { ...UPGRADE, upgrade: { backup: 'Never' } }, STATUS],
  ['the control plane was never Ready', UPGRADE, { versions: { karmada: 'v1.17.1' } }],
])('previewBackup says nothing if %s', async (_, spec, status) => {
  const api = new BackupApi(true);
  api.add(BACKUP_PLURAL.store, { metadata: { name: 'main' } });
  expect(await previewed(api, spec, status)).toEqual({ lines: [], blockedChanges: [] });
});
