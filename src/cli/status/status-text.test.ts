import { describe, expect, it } from '@jest/globals';
import type { Condition, KarmadaStatus } from '../../api/karmada.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { palette } from '../program/text.ts';
import { findProblems } from './problems.ts';
import type { StatusFacts } from './read-status.ts';
import { statusTable, statusText } from './status-text.ts';
import { imageVersion, statusView } from './status-view.ts';

const NOW = Date.parse('2026-05-01T00:00:00Z');
const SETTINGS = { palette: palette(false), now: NOW };

const condition = (
  type: string,
  status: Condition['status'],
  reason: string,
  message = '',
): Condition => ({ type, status, reason, message, lastTransitionTime: '2026-04-30T23:50:00Z' });

const labels = {
  'app.kubernetes.io/name': 'karmada-scheduler',
  'app.kubernetes.io/instance': 'demo',
};

const scheduler: KubernetesObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'karmada-demo-scheduler', namespace: 'team', labels },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { spec: { containers: [{ image: 'r.example:5000/karmada-scheduler:v1.18.2' }] } },
  },
  status: { readyReplicas: 1, updatedReplicas: 2 },
};

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'karmada-demo-scheduler-x', namespace: 'team', labels },
  status: { containerStatuses: [{ name: 'karmada-scheduler', restartCount: 3 }] },
};

function facts(status: KarmadaStatus, more: Partial<StatusFacts> = {}): StatusFacts {
  return {
    karmada: {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: {
        name: 'demo',
        namespace: 'team',
        generation: 2,
        creationTimestamp: '2026-04-28T00:00:00Z',
      },
      status: { observedGeneration: 2, ...status },
    },
    workloads: [scheduler],
    pods: [pod],
    certificates: [
      {
        name: 'etcd-server',
        isCA: false,
        subject: 'CN=x',
        sans: [],
        issuedTime: '2026-04-28T00:00:00.000Z',
        notAfter: '2026-05-11T00:00:00.000Z',
        renewal: 'automatic',
        renewalTime: '2026-05-05T00:00:00.000Z',
        secret: 'karmada-demo-etcd-cert',
      },
    ],
    notes: [],
    ...more,
  };
}

const IMPAIRED: KarmadaStatus = {
  phase: 'Degraded',
  versions: { karmada: 'v1.18.2', kubernetes: 'v1.35.4', etcd: '3.6.14' },
  apiServerService: { name: 'karmada-demo-apiserver' },
  etcd: '1/1',
  etcdCluster: {
    clusterID: 'a1',
    quorum: 'True',
    leader: 'karmada-demo-etcd-0',
    observedTime: '2026-05-01T00:00:00Z',
    members: [{ name: 'karmada-demo-etcd-0', id: 'b2', role: 'Voter', version: '3.6.14' }],
  },
  conditions: [
    condition('Ready', 'False', 'Failed', 'karmada-scheduler: image not found'),
    condition('Degraded', 'True', 'ImagePullFailed', 'Pod x: image\u001b[31m not found'),
    condition('Stalled', 'True', 'ImagePullFailed', 'Pod x: image\u001b[31m not found'),
    condition('SchedulerReady', 'False', 'Progressing', '1 of 2 Pods available'),
    condition('EtcdReady', 'True', 'Available'),
    condition('Warning', 'True', 'SpecialWarning', 'note this'),
  ],
};

describe('statusText', () => {
  it('shows cause and action, components, etcd and the certificate that expires first', () => {
    expect(statusText(statusView(facts(IMPAIRED), NOW), SETTINGS)).toBe(
      [
        'Karmada team/demo: not Ready (Failed), phase Degraded, age 3d',
        '├─ Conditions',
        '│  ├─ Error ImagePullFailed (Degraded, Stalled): Pod x: image not found',
        '│  │  ├─ since 2026-04-30T23:50:00Z (10m), fault: cluster (image)',
        '│  │  ├─ To do: Check imageRepository, imageTag and spec.imagePullSecrets.',
        '│  │  └─ See: docs/operate/troubleshoot.md#components-and-pods',
        '│  └─ Warning SpecialWarning (Warning): note this',
        '├─ Versions: Karmada v1.18.2, Kubernetes v1.35.4, etcd 3.6.14',
        '├─ Components: 1/2 ready',
        '│  ├─ etcd                ready         not created',
        '│  └─ karmada-scheduler   Progressing   1/2 Pods      v1.18.2   3 restarts; 1 of 2 Pods available',
        '├─ etcd: quorum, 1/1 healthy',
        '│  └─ karmada-demo-etcd-0: voter, leader, 3.6.14',
        '├─ Certificates: 1, etcd-server expires first, in 10 days (2026-05-11T00:00:00.000Z)',
        '└─ API server: Service karmada-demo-apiserver',
        '',
      ].join('\n'),
    );
  });

  it('shows the steps of an upgrade, and what it could not read', () => {
    const status: KarmadaStatus = {
      phase: 'Updating',
      upgrade: {
        from: { karmada: 'v1.16.0' },
        to: { karmada: 'v1.17.1' },
        next: ['v1.18.2'],
        step: 'karmada-webhook',
      },
      certificateExpiry: '2026-04-30T00:00:00Z',
    };
    const view = statusView(
      facts(status, { certificates: undefined, notes: ['certificates: not read (403)'] }),
      NOW,
    );
    const text = statusText(view, SETTINGS);
    expect(text).toContain(
      'Upgrade: Karmada v1.16.0 to Karmada v1.17.1\n│  ├─ step karmada-webhook\n│  └─ then v1.18.2',
    );
    expect(text).toContain('the first expired, 1 day ago');
    expect(text).toContain('└─ certificates: not read (403)');
  });

  it('shows when the first certificate expires when the user may not read the Secrets', () => {
    const status = { certificateExpiry: '2026-05-11T00:00:00Z' };
    const view = statusView(facts(status, { certificates: undefined }), NOW);
    expect(statusText(view, SETTINGS)).toContain('Certificates: the first expires, in 10 days (');
  });

  it('says that the operator has not observed a new object', () => {
    const view = statusView(facts({ observedGeneration: 1 }), NOW);
    expect(statusText(view, SETTINGS).split('\n')[0]).toBe(
      'Karmada team/demo: Ready is Unknown, phase Pending, age 3d, the operator has not observed the latest spec yet',
    );
  });
});

it('statusTable shows one line for each control plane', () => {
  const view = statusView(facts(IMPAIRED), NOW);
  expect(statusTable([view], true, SETTINGS)).toMatch(
    /^NAMESPACE +NAME .*\nteam +demo +False +Degraded +1\/2 +v1\.18\.2 +1\/1 +10d +3d +Failed\n$/,
  );
});

describe('findProblems', () => {
  it.each([
    [
      'nothing for a healthy control plane',
      [
        condition('Ready', 'True', 'Completed'),
        condition('Degraded', 'False', 'AsExpected'),
        condition('EtcdHealthy', 'True', 'Quorum'),
      ],
      [],
    ],
    [
      'Ready if no other condition explains it',
      [condition('Ready', 'False', 'Suspended')],
      ['progress Suspended'],
    ],
    [
      'a blocked change',
      [
        condition('Ready', 'False', 'ChangeBlocked'),
        condition('Stalled', 'True', 'DowngradeBlocked'),
        condition('Progressing', 'False', 'DowngradeBlocked'),
      ],
      ['blocked DowngradeBlocked'],
    ],
    [
      'errors before warnings',
      [
        condition('Warning', 'True', 'W'),
        condition('Ready', 'False', 'Failed'),
        condition('Degraded', 'True', 'E', 'x'),
      ],
      ['error E', 'warning W'],
    ],
  ])('returns %s', (_, conditions, expected) => {
    expect(findProblems(conditions).map(({ severity, reason }) => `${severity} ${reason}`)).toEqual(
      expected,
    );
  });
});

it.each([
  ['docker.io/karmada/karmada-scheduler:v1.18.2', 'v1.18.2'],
  ['registry:5000/etcd', ''],
  ['registry:5000/etcd@sha256:0123456789abcdef', 'sha256:0123456789ab'],
  ['etcd:3.6@sha256:0123', '3.6'],
])('imageVersion of %s is %j', (image, version) => {
  expect(imageVersion(image)).toBe(version);
});
