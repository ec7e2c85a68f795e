import { describe, expect, it } from '@jest/globals';
import type { StringMap } from '../settings.ts';
import { missingPaths, missingPathText, type Volumes } from './flag-paths.ts';

const mounted = (volume: object, mount: object = {}): Volumes => ({
  extraVolumes: [{ name: 'audit', ...volume }],
  extraVolumeMounts: [{ name: 'audit', mountPath: '/var/log/audit', ...mount }],
});
const LOG: StringMap = { 'audit-log-path': '/var/log/audit/audit.log' };

describe('missingPaths', () => {
  it.each<readonly [title: string, given: StringMap, volumes: Volumes, causes: readonly string[]]>([
    ['a log without a volume', LOG, {}, ['notMounted']],
    ['a log in an emptyDir', LOG, mounted({ emptyDir: {} }), []],
    ['a log in a ConfigMap', LOG, mounted({ configMap: { name: 'a' } }), ['readOnly']],
    [
      'a log in a read-only mount',
      LOG,
      mounted({ emptyDir: {} }, { readOnly: true }),
      ['readOnly'],
    ],
    [
      'a log next to a mount with a similar name',
      LOG,
      mounted({ emptyDir: {} }, { mountPath: '/var/log/aud' }),
      ['notMounted'],
    ],
    ['a log on the standard output', { 'audit-log-path': '-' }, {}, []],
    [
      'a policy without a volume',
      { 'audit-policy-file': '/etc/audit/policy.yaml' },
      {},
      ['notMounted'],
    ],
    [
      'a policy in a ConfigMap',
      { 'audit-policy-file': '/var/log/audit/policy.yaml' },
      mounted({ configMap: { name: 'a' } }),
      [],
    ],
    ['a file of the operator', { 'client-ca-file': '/etc/karmada/pki/ca.crt' }, {}, []],
    ['a file of the image', { 'oidc-ca-file': '/etc/ssl/certs/ca-certificates.crt' }, {}, []],
    ['a flag that is no file', { 'authorization-always-allow-paths': '/healthz' }, {}, []],
  ])('finds %s', (_, given, volumes, causes) => {
    expect(missingPaths(given, volumes).map(({ cause }) => cause)).toEqual(causes);
  });
});

describe('missingPathText', () => {
  it('names the field, the cause and what to do', () => {
    const field = 'spec.components.karmadaAPIServer';
    const texts = missingPaths({ ...LOG, 'audit-policy-file': '/etc/policy.yaml' }).map((missing) =>
      missingPathText('karmadaAPIServer', field, missing),
    );
    expect(texts).toEqual([
      `${field}.extraArgs.audit-log-path: no volume contains /var/log/audit/audit.log, and the root filesystem is read-only, so the component exits at start; add an emptyDir to ${field}.extraVolumes and extraVolumeMounts, or "-" for the standard output.`,
      `${field}.extraArgs.audit-policy-file: no volume contains /etc/policy.yaml, so the component exits at start; add a ConfigMap or Secret to ${field}.extraVolumes and extraVolumeMounts.`,
    ]);
  });
});
