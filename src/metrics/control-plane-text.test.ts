import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Karmada } from '../api/karmada.ts';
import type { EtcdResult } from '../etcd/member-status.ts';
import type { ControlPlaneFacts } from '../features/control-plane/control-plane-facts.ts';
import type { CertificatesView } from '../instance/snapshot.ts';
import { ControlPlaneText } from './control-plane-text.ts';

const karmadaOf = (name: string, given: object = {}): Karmada =>
  ({ metadata: { namespace: 'team', name, generation: 3 }, ...given }) as unknown as Karmada;

const STATUS: NonNullable<Karmada['status']> = {
  observedGeneration: 2,
  phase: 'Updating',
  versions: { karmada: 'v1.17.1', kubernetes: 'v1.35.4', etcd: '3.6.6' },
  certificateExpiry: '2027-01-01T00:00:00Z',
  conditions: [
    {
      type: 'Ready',
      status: 'False',
      reason: 'Upgrading',
      message: 'm',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
  certificateRotation: {
    authorities: [
      {
        authority: 'etcd-ca',
        phase: 'Switching',
        since: '2026-01-01T00:00:30Z',
        waitingFor: { names: ['demo-etcd-0'], count: 1 },
      },
    ],
  },
  upgrade: {
    from: { karmada: 'v1.17.1' },
    to: { karmada: 'v1.18.2' },
    step: 'etcd',
    phase: 'Progressing',
    startedAt: '2026-01-01T00:01:00Z',
  },
  memberClusters: { summary: '2/3', total: 3, ready: 2, push: 2, pull: 1, clusters: [] },
  etcdCluster: {
    clusterID: 'c',
    quorum: 'True',
    leader: 'demo-etcd-0',
    observedTime: '2026-01-01T00:00:00Z',
    members: [
      { name: 'demo-etcd-0', id: 'a', role: 'Voter', alarms: ['NOSPACE'] },
      { name: '', id: 'b', role: 'Learner', message: 'no Pod' },
    ],
  },
};

const ANSWER = {
  pod: 'demo-etcd-0',
  memberId: 'a',
  dbSize: '100',
  dbSizeInUse: '40',
  dbSizeQuota: '1000',
} as unknown as EtcdResult;

/** Text of the parts. */
const textOf = (text: ControlPlaneText, all: readonly ControlPlaneFacts[]): string =>
  Buffer.concat(text.of(all)).toString();

const samples = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replaceAll('karmada_operator_control_plane_', ''))
    .map((line) => line.replace('karmada_namespace="team",karmada_name="demo"', '…'));

describe('ControlPlaneText', () => {
  it('is empty without control planes', () => {
    expect(textOf(new ControlPlaneText(), [])).toBe('');
  });

  it('has a series for the cause of a failure, with whose fault it is', () => {
    const condition = (type: string, reason: string): object => ({ type, status: 'True', reason });
    const conditions = [condition('Degraded', 'QuotaExceeded'), condition('Stalled', 'Other')];
    const karmada = karmadaOf('demo', { status: { conditions } });
    const text = textOf(new ControlPlaneText(), [{ karmada, blocked: [], etcd: [] }]);
    expect(samples(text).filter((line) => line.startsWith('failure'))).toEqual([
      'failure{…,class="cluster",fault="quota",reason="QuotaExceeded"} 1',
    ]);
  });

  it('has a series for each fact', () => {
    const certificates = {
      expiries: [{ name: 'ca', notAfter: 1_000_000 }],
    } as unknown as CertificatesView;
    const karmada = karmadaOf('demo', { status: STATUS });
    const blocked = ['EtcdDataLoss', 'EtcdDataLoss'];
    const text = textOf(new ControlPlaneText(), [
      { karmada, certificates, blocked, etcd: [ANSWER] },
    ]);
    expect(samples(text)).toEqual([
      'info{…,karmada_version="v1.17.1",kubernetes_version="v1.35.4",etcd_version="3.6.6",host_cluster="local"} 1',
      'phase{…,phase="Updating"} 1',
      'condition{…,type="Ready",status="False",reason="Upgrading"} 1',
      'unobserved_generations{…} 1',
      'first_certificate_expiry_timestamp_seconds{…} 1798761600',
      'certificate_expiry_timestamp_seconds{…,certificate="ca"} 1000',
      'rotation_phase_start_timestamp_seconds{…,authority="etcd-ca",phase="Switching"} 1767225630',
      'rotation_waits_for{…,authority="etcd-ca",phase="Switching"} 1',
      'upgrade{…,from="v1.17.1",to="v1.18.2",step="etcd",phase="Progressing"} 1',
      'upgrade_step_start_timestamp_seconds{…} 1767225660',
      'blocked_changes{…,reason="EtcdDataLoss"} 2',
      'member_clusters{…,state="Ready"} 2',
      'member_clusters{…,state="NotReady"} 1',
      'etcd_quorum{…} 1',
      'etcd_has_leader{…} 1',
      'etcd_members{…,role="Voter"} 1',
      'etcd_members{…,role="Learner"} 1',
      'etcd_member_up{…,member="demo-etcd-0"} 1',
      'etcd_member_up{…,member="b"} 0',
      'etcd_alarm{…,member="demo-etcd-0",alarm="NOSPACE"} 1',
      'etcd_database_bytes{…,member="demo-etcd-0"} 100',
      'etcd_database_in_use_bytes{…,member="demo-etcd-0"} 40',
      'etcd_quota_bytes{…,member="demo-etcd-0"} 1000',
    ]);
  });

  it('has no etcd health while no member has responded', () => {
    const etcdCluster = { ...STATUS.etcdCluster, quorum: 'Unknown', leader: '' };
    const karmada = karmadaOf('demo', { status: { ...STATUS, etcdCluster } });
    expect(textOf(new ControlPlaneText(), [{ karmada, etcd: [] }])).not.toMatch(
      /quorum|has_leader/,
    );
  });

  it('writes all series of a family in one group, and drops those of a deleted Karmada', () => {
    const one = { karmada: karmadaOf('demo'), etcd: [] };
    const other = { karmada: karmadaOf('next'), etcd: [] };
    const text = new ControlPlaneText();
    const phases = textOf(text, [one, other]).match(/# HELP .*_phase (?:.*\n){2}(.*phase=.*\n){2}/);
    expect(phases).not.toBeNull();
    expect(textOf(text, [other])).not.toContain('"demo"');
  });

  it('shows the changed object, not the kept lines', () => {
    const text = new ControlPlaneText();
    textOf(text, [{ karmada: karmadaOf('demo'), etcd: [] }]);
    const changed = karmadaOf('demo', { status: { phase: 'Running' } });
    expect(textOf(text, [{ karmada: changed, etcd: [] }])).toContain('phase="Running"');
  });

  it('joins only lines near a change again', () => {
    const all = Array.from({ length: 300 }, (_, n) => ({
      karmada: karmadaOf(`demo-${String(n)}`),
      etcd: [],
    }));
    const text = new ControlPlaneText();
    const before = new Set(text.of(all));
    expect(text.of(all).filter((part) => part.byteLength > 1_000 && !before.has(part))).toEqual([]);
    const changed = karmadaOf('demo-200', { status: { phase: 'Running' } });
    const next = all.with(200, { karmada: changed, etcd: [] });
    expect(textOf(text, next)).toBe(textOf(new ControlPlaneText(), next));
    expect(text.of(next).some((part) => part.byteLength > 1_000 && before.has(part))).toBe(true);
  });

  it('keeps each series on one line with closed quotes, whatever the values are', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (reason, step) => {
        const status = {
          conditions: STATUS.conditions?.map((condition) => ({ ...condition, reason })),
          upgrade: { step },
        };
        const text = textOf(new ControlPlaneText(), [
          { karmada: karmadaOf('demo', { status }), etcd: [] },
        ]);
        for (const line of samples(text))
          expect(line).toMatch(/^\w+\{…(?:,\w+="(?:[^"\\\n]|\\["\\n])*")*\} [\d.]+$/u);
      }),
    );
  });
});
