import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ETCD_FLAG_FIELDS, etcdFlags, type EtcdSettings } from '../etcd-settings.ts';
import { validateEtcdSettings } from './etcd-settings.ts';

const fieldsOf = (settings: EtcdSettings): readonly string[] =>
  validateEtcdSettings(settings).map(({ field }) =>
    field.replace('spec.components.etcd.local.', ''),
  );

describe('validateEtcdSettings', () => {
  it.each<[string, EtcdSettings]>([
    ['nothing', {}],
    ['the smallest quota', { quotaBackendBytes: 16_777_216 }],
    ['a duration', { autoCompactionMode: 'periodic', autoCompactionRetention: '1h30m' }],
    ['a number of revisions', { autoCompactionMode: 'revision', autoCompactionRetention: '1000' }],
    ['timing', { heartbeatIntervalMilliseconds: 200, electionTimeoutMilliseconds: 1_000 }],
    ['other flags', { extraArgs: { 'max-request-bytes': '1', 'enable-pprof': '', 'v2-x': 'y' } }],
  ])('accepts %s', (_, settings) => {
    expect(validateEtcdSettings(settings)).toEqual([]);
  });

  it.each<[string, EtcdSettings, string]>([
    ['a small quota', { quotaBackendBytes: 16_777_215 }, 'quotaBackendBytes'],
    ['no snapshots', { snapshotCount: 0 }, 'snapshotCount'],
    ['an unknown log level', { logLevel: 'loud' as 'info' }, 'logLevel'],
    ['a mode alone', { autoCompactionMode: 'periodic' }, 'autoCompactionRetention'],
    ['a retention alone', { autoCompactionRetention: '1h' }, 'autoCompactionMode'],
    [
      'a duration as number of revisions',
      { autoCompactionMode: 'revision', autoCompactionRetention: '1h' },
      'autoCompactionRetention',
    ],
    [
      'a heartbeat interval alone',
      { heartbeatIntervalMilliseconds: 100 },
      'electionTimeoutMilliseconds',
    ],
    [
      'an election timeout alone',
      { electionTimeoutMilliseconds: 1_000 },
      'heartbeatIntervalMilliseconds',
    ],
    [
      'an election timeout below five heartbeat intervals',
      { heartbeatIntervalMilliseconds: 200, electionTimeoutMilliseconds: 999 },
      'electionTimeoutMilliseconds',
    ],
    [
      'an election timeout above 50 s',
      { heartbeatIntervalMilliseconds: 1, electionTimeoutMilliseconds: 50_001 },
      'electionTimeoutMilliseconds',
    ],
  ])('rejects %s', (_, settings, field) => {
    expect(fieldsOf(settings)).toEqual([field]);
  });

  it.each([
    'name',
    'data-dir',
    'wal-dir',
    'config-file',
    'initial-cluster',
    'initial-cluster-state',
    'listen-client-urls',
    'listen-metrics-urls',
    'advertise-client-urls',
    'cert-file',
    'auto-tls',
    'peer-cert-file',
    'peer-auto-tls',
    'client-cert-auth',
    'trusted-ca-file',
    'discovery-srv',
    'force-new-cluster',
    'force-new-cluster-bump-amount',
    'unsafe-no-fsync',
    'max-learners',
    'experimental-max-learners',
    'strict-reconfig-check',
    'proxy',
    'version',
    'h',
  ])('rejects the reserved flag %s', (flag) => {
    const [error, ...others] = validateEtcdSettings({ extraArgs: { [flag]: 'x' } });
    expect(error?.message).toBe(
      `Invalid value: "${flag}": this flag is reserved for the operator; remove it`,
    );
    expect(others).toEqual([]);
  });

  it.each(Object.entries(ETCD_FLAG_FIELDS))('names the field of the flag %s', (flag, field) => {
    const [error] = validateEtcdSettings({ extraArgs: { [flag]: '1' } });
    expect(error?.message).toContain(`set spec.components.etcd.local.${field} instead`);
  });

  it('accepts no flags that override those of the operator', () => {
    const own = ['name', 'data-dir', 'initial-cluster', 'peer-key-file', 'listen-peer-urls'];
    const flag = fc.oneof(fc.string(), fc.constantFrom(...own));
    fc.assert(
      fc.property(fc.dictionary(flag, fc.string()), (extraArgs) => {
        if (validateEtcdSettings({ extraArgs }).length > 0) return;
        const flags = Object.keys(etcdFlags({ extraArgs }));
        expect(flags.filter((name) => own.includes(name) || /[=\s]|^-/.test(name))).toEqual([]);
      }),
    );
  });
});
