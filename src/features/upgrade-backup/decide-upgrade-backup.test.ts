import { expect, it } from '@jest/globals';
import {
  UPGRADE_LABEL,
  type KarmadaBackup,
  type KarmadaBackupSchedule,
} from '../../api/backup/kinds.ts';
import type { Karmada, KarmadaSpec, KarmadaStatus } from '../../api/karmada.ts';
import { karmadaOf, NOW } from '../../instance/__fixtures__/instance.ts';
import {
  decideUpgradeBackup,
  upgradeLabel,
  type BackupReading,
  type DueUpgrade,
} from './decide-upgrade-backup.ts';

const TO = { karmada: 'v1.18.2', kubernetes: 'v1.35.4', etcd: '3.6.14' };
const MOVED = { subject: 'karmada', before: 'v1.17.1', after: 'v1.18.2' } as const;
const NAME = 'karmada-demo-v1-18-2-';
const at = (ageMs: number): string => new Date(NOW - ageMs).toISOString();

function upgradeOf(spec: KarmadaSpec = {}, status: KarmadaStatus = {}, more = {}): DueUpgrade {
  const karmada = karmadaOf(spec);
  const metadata = { ...karmada.metadata, creationTimestamp: at(7_200_000) };
  return {
    karmada: { ...karmada, metadata } as Karmada,
    status,
    to: TO,
    moved: [MOVED],
    now: NOW,
    ...more,
  };
}

function backupOf(name: string, status: object, more: object = {}): KarmadaBackup {
  const labels = { [UPGRADE_LABEL]: upgradeLabel(TO) };
  return {
    apiVersion: 'a',
    kind: 'b',
    status,
    metadata: { name, uid: `uid-${name}`, labels, creationTimestamp: at(60_000), ...more },
    spec: { karmadaRef: { name: 'karmada-demo' }, storeRef: { name: 'main' } },
  } as KarmadaBackup;
}

const scheduleOf = (name: string, store: string, more: object = {}): KarmadaBackupSchedule =>
  ({
    metadata: { name },
    spec: {
      schedule: '@daily',
      template: { karmadaRef: { name: 'karmada-demo' }, storeRef: { name: store } },
      ...more,
    },
  }) as unknown as KarmadaBackupSchedule;

const read = (more: Partial<Extract<BackupReading, { state: 'read' }>> = {}): BackupReading => ({
  state: 'read',
  backups: [],
  schedules: [],
  stores: [],
  ...more,
});

const REQUIRED = { upgrade: { backup: 'Required' } } as const;
const EXTERNAL = { components: { etcd: { external: { servers: [] } } } } as unknown as KarmadaSpec;
const VERIFIED = { phase: 'Verified', verifiedAt: at(60_000) };
const FAILED = {
  phase: 'Failed',
  conditions: [{ type: 'Verified', status: 'False', reason: 'BackupFailed', message: 'no space' }],
};
const named = (backup: string, phase?: 'RolledBack'): KarmadaStatus => ({
  upgrade: { backup, ...(phase && { phase }) },
});
const GO = { kind: 'go' };
const missing = (text: string): object => ({
  kind: 'blocked',
  reason: 'UpgradeBackupMissing',
  message: expect.stringContaining(text),
});
const created = (store: string): object => ({
  kind: 'wait',
  name: expect.stringContaining(NAME),
  create: expect.objectContaining({
    spec: { karmadaRef: { name: 'karmada-demo' }, storeRef: { name: store } },
  }),
});

it.each<readonly [string, DueUpgrade, BackupReading, object]>([
  ['goes on without the CRDs', upgradeOf(), { state: 'notInstalled' }, GO],
  [
    'blocks without the CRDs if required',
    upgradeOf(REQUIRED),
    { state: 'notInstalled' },
    missing('CRDs'),
  ],
  ['goes on without a store', upgradeOf(), read(), GO],
  [
    'blocks without a store if required',
    upgradeOf(REQUIRED),
    read(),
    missing('neither a KarmadaBackupStore'),
  ],
  ['goes on with an external etcd', upgradeOf(EXTERNAL), read({ stores: ['main'] }), GO],
  [
    'blocks with an external etcd if required',
    upgradeOf({ ...EXTERNAL, ...REQUIRED }),
    read({ stores: ['main'] }),
    missing('external etcd'),
  ],
  [
    'waits if the backups cannot be read',
    upgradeOf(),
    { state: 'unknown', error: 'HTTP 503' },
    { kind: 'wait', message: expect.stringContaining('HTTP 503') },
  ],
  ['uses the only store', upgradeOf(), read({ stores: ['main'] }), created('main')],
  [
    'blocks if no one of several stores is selected',
    upgradeOf(),
    read({ stores: ['b', 'a'] }),
    missing('(a, b)'),
  ],
  [
    'uses the store of a schedule',
    upgradeOf(),
    read({ stores: ['a', 'b'], schedules: [scheduleOf('nightly', 'b')] }),
    created('b'),
  ],
  [
    'prefers a schedule that is not suspended',
    upgradeOf(),
    read({ schedules: [scheduleOf('a', 'one', { suspend: true }), scheduleOf('b', 'two')] }),
    created('two'),
  ],
  [
    'ignores the schedule of another Karmada',
    upgradeOf(),
    read({
      schedules: [
        scheduleOf('a', 'one', {
          template: { karmadaRef: { name: 'other' }, storeRef: { name: 'x' } },
        }),
      ],
    }),
    GO,
  ],
  [
    'waits for a backup that runs',
    upgradeOf(),
    read({ backups: [backupOf('b', { phase: 'Running' })] }),
    { kind: 'wait', name: 'b', message: 'waits for KarmadaBackup b (Running)' },
  ],
  [
    'goes on with a verified backup',
    upgradeOf(),
    read({ backups: [backupOf('b', VERIFIED)] }),
    { kind: 'go', name: 'b' },
  ],
  [
    'blocks with the message of a failed backup',
    upgradeOf({}, named('b')),
    read({ backups: [backupOf('b', FAILED)], stores: ['main'] }),
    {
      kind: 'blocked',
      name: 'b',
      reason: 'UpgradeBackupFailed',
      message:
        'KarmadaBackup b before the upgrade: Failed: no space; delete it to take another one, or set spec.upgrade.backup to Never',
    },
  ],
  [
    'blocks when a backup is later than its deadline',
    upgradeOf(),
    read({ backups: [backupOf('b', { phase: 'Pending' }, { creationTimestamp: at(1_801_000) })] }),
    {
      kind: 'blocked',
      name: 'b',
      reason: 'UpgradeBackupFailed',
      message: expect.stringContaining('not verified after 1800 s'),
    },
  ],
  [
    'takes another backup than a failed one of an earlier attempt',
    upgradeOf(),
    read({ backups: [backupOf('b', FAILED)], stores: ['main'] }),
    created('main'),
  ],
  [
    'takes another backup than an old one',
    upgradeOf(),
    read({
      backups: [backupOf('b', { ...VERIFIED, verifiedAt: at(3_600_001) })],
      stores: ['main'],
    }),
    created('main'),
  ],
  [
    'takes another backup after a rollback',
    upgradeOf({}, named('b', 'RolledBack')),
    read({ backups: [backupOf('b', VERIFIED)], stores: ['main'] }),
    created('main'),
  ],
  [
    'takes another backup than one that is deleted',
    upgradeOf({}, named('b')),
    read({ backups: [backupOf('b', VERIFIED, { deletionTimestamp: at(0) })], stores: ['main'] }),
    created('main'),
  ],
  [
    'takes another backup than one of an earlier Karmada with this name',
    upgradeOf(),
    read({
      backups: [backupOf('b', VERIFIED, { creationTimestamp: at(7_300_000) })],
      stores: ['main'],
    }),
    created('main'),
  ],
  [
    'ignores the backup of another upgrade',
    upgradeOf(),
    read({
      backups: [backupOf('b', VERIFIED, { labels: { [UPGRADE_LABEL]: 'other' } })],
      stores: ['main'],
    }),
    created('main'),
  ],
])('decideUpgradeBackup %s', (_, upgrade, reading, expected) => {
  expect(decideUpgradeBackup(upgrade, reading)).toMatchObject(expected);
});

it('decideUpgradeBackup gives each attempt a name of its own, and the same attempt the same name', () => {
  const nameOf = (backups: readonly KarmadaBackup[]): string | undefined =>
    decideUpgradeBackup(upgradeOf(), read({ backups, stores: ['main'] })).name;
  expect(nameOf([])).toBe(nameOf([]));
  expect(nameOf([])).not.toBe(nameOf([backupOf('b', FAILED)]));
});

it('decideUpgradeBackup shortens the name of a long Karmada, and names other parts than Karmada', () => {
  const long = upgradeOf();
  const metadata = { ...long.karmada.metadata, name: `${'n'.repeat(27)}-${'m'.repeat(30)}` };
  const etcd = { subject: 'etcd', before: '3.6.13', after: '3.6.14' } as const;
  const upgrade = { ...long, karmada: { ...long.karmada, metadata }, moved: [etcd] };
  const { name = '' } = decideUpgradeBackup(upgrade, read({ stores: ['main'] }));
  expect(name).toMatch(/^n{27}-m+-etcd-3-6-14-[0-9a-f]{8}$/);
  expect(name.length).toBeLessThanOrEqual(52);
});
