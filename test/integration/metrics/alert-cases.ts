/** Causes of the alerts, and how they end. Cases of one group follow each other; groups run at the same time. */
import { karmadaBackups, karmadaBackupSchedules } from '../../../src/api/backup/kinds.ts';
import { instanceName } from '../../../src/api/naming.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { repeatedly } from '../../harness/prometheus/repeatedly.ts';
import type { AlertScene } from './alert-scene.ts';
import { EtcdMembers } from './etcd-members.ts';

export interface Case {
  /** Alerts that fire, with some of their labels. */
  readonly alerts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  make(): Promise<unknown>;
  end(): Promise<unknown>;
}

/** Returns the cases of a group after its preparation. */
type Group = (scene: AlertScene) => Promise<readonly Case[]>;

const DAY_MS = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
/** RFC 3339 without milliseconds, as in the status. */
const timeIn = (days: number): string => inDays(days).replace(/\.\d+Z$/, 'Z');

const labelsOf = (name: string) => ({ karmada_namespace: name, karmada_name: name });

/**
 * A suspended Karmada, whose status the test writes: no control plane can become ready here, member clusters cannot join,
 * and neither certificates nor an upgrade can grow old.
 */
const reported = async (scene: AlertScene): Promise<readonly Case[]> => {
  const name = 'reported';
  const labels = labelsOf(name);
  await scene.createKarmada(name, { suspend: true });
  await scene.untilTrue(
    `karmada_operator_control_plane_phase{karmada_name="${name}",phase="Suspended"}`,
  );
  const ready = (status: string): object => ({
    type: 'Ready',
    status,
    reason: 'Test',
    message: 'written by the test',
    lastTransitionTime: timeIn(0),
  });
  // Without Ready=True the alert about a control plane that is not ready would be pending from the start.
  await scene.report(name, {
    conditions: [ready('True')],
    memberClusters: { summary: '1/2', total: 2, ready: 1, push: 2, pull: 0, clusters: [] },
  });
  return [
    {
      alerts: { KarmadaControlPlaneNotReady: labels },
      make: () => scene.report(name, { conditions: [ready('False')] }),
      end: () => scene.report(name, { conditions: [ready('True')] }),
    },
    {
      alerts: { KarmadaCertificateExpiresSoon: labels, KarmadaCertificateExpires: labels },
      make: () => scene.report(name, { certificateExpiry: timeIn(2) }),
      end: () => scene.report(name, { certificateExpiry: timeIn(90) }),
    },
    {
      alerts: {
        KarmadaRotationSlow: { ...labels, authority: 'etcd-ca', phase: 'Switching' },
        KarmadaRotationHeld: { ...labels, reason: 'ConfirmationRequired' },
      },
      make: () =>
        scene.report(name, {
          conditions: [
            ready('True'),
            { ...ready('False'), type: 'CertificateRotation', reason: 'ConfirmationRequired' },
          ],
          certificateRotation: {
            authorities: [
              {
                authority: 'etcd-ca',
                phase: 'Switching',
                since: timeIn(-1),
                waitingFor: { names: ['demo-etcd-0'], count: 1 },
              },
            ],
          },
        }),
      end: () => scene.report(name, { conditions: [ready('True')], certificateRotation: null }),
    },
    {
      alerts: { KarmadaUpgradeStuck: { ...labels, step: 'etcd' } },
      make: () =>
        scene.report(name, {
          upgrade: { from: { karmada: 'v1.17.1' }, to: { karmada: 'v1.18.2' }, step: 'etcd' },
        }),
      end: () => scene.report(name, { upgrade: null }),
    },
  ];
};

/** Rejects the first write of the operator to a new Karmada, until it is deleted. */
const REJECTION: readonly (readonly [ResourceType, KubernetesObject])[] = [
  [
    resources.ValidatingAdmissionPolicy,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'reject-finalizers' },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['operator.karmada.io'],
              apiVersions: ['*'],
              operations: ['UPDATE'],
              resources: ['karmadas'],
            },
          ],
        },
        validations: [
          {
            expression:
              "object.metadata.namespace != 'rejected' || !has(object.metadata.finalizers)",
            message: 'rejected by the test',
          },
        ],
      },
    },
  ],
  [
    resources.ValidatingAdmissionPolicyBinding,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'reject-finalizers' },
      spec: { policyName: 'reject-finalizers', validationActions: ['Deny'] },
    },
  ],
];

/** An admission policy that rejects a write of the operator, so that all reconciles of a Karmada fail. */
const rejected = async (scene: AlertScene): Promise<readonly Case[]> => {
  const { client } = scene;
  const name = 'rejected';
  const key = { namespace: name, name };
  await scene.createKarmada(name, { suspend: true });
  for (const [, object] of REJECTION) await client.create(object);
  const change = { metadata: { finalizers: ['example.com/test'] } };
  await poll('the policy is effective', () =>
    client.patch(karmadas, key, change, { dryRun: true }).then(
      () => undefined,
      () => true as const,
    ),
  );
  const touch = (count: number): Promise<unknown> =>
    client.patch(karmadas, key, { metadata: { annotations: { touched: String(count) } } });
  const touching = repeatedly(touch, 500);
  return [
    {
      alerts: {
        KarmadaControlPlaneDegraded: labelsOf(name),
        KarmadaChangeBlocked: { ...labelsOf(name), reason: 'ReconcileFailed' },
        KarmadaOperatorReconcileErrors: {},
      },
      make: async () => {
        await client.patch(karmadas, key, { spec: { suspend: false } });
        touching.start();
      },
      end: async () => {
        await touching.stop();
        for (const [type, { metadata }] of REJECTION) await client.delete(type, metadata);
      },
    },
  ];
};

/** The API server of a host cluster responds to everything but the watch of Pods. */
const silent = async (scene: AlertScene): Promise<readonly Case[]> => {
  await scene.createFarKarmada('far');
  await scene.untilTrue('karmada_operator_watches{cluster="remote",state="fresh"}');
  return [
    {
      alerts: { KarmadaOperatorWatchSilent: { cluster: 'remote', resource: 'pods' } },
      make: async () => {
        scene.host.hold(({ what }) => what.endsWith('/pods'));
        // Resets the connection of the present watch.
        await scene.host.turn('well');
      },
      end: () => Promise.resolve(scene.host.hold(() => false)),
    },
  ];
};

/** Another client deletes Services all the time. */
const repaired = async (scene: AlertScene): Promise<readonly Case[]> => {
  const { client } = scene;
  const namespace = 'repaired';
  await scene.createKarmada(namespace);
  await poll('its Services exist', async () => {
    const { items } = await client.list(resources.Service, { namespace });
    return items.length > 1 ? true : undefined;
  });
  const deleting = repeatedly(async () => {
    const { items } = await client.list(resources.Service, { namespace });
    for (const { metadata } of items) await client.delete(resources.Service, metadata);
  }, 100);
  return [
    {
      alerts: { KarmadaOperatorRepairStorm: { kind: 'Service' } },
      make: () => Promise.resolve(deleting.start()),
      end: () => deleting.stop(),
    },
  ];
};

const QUOTA_BYTES = 16 * 1024 * 1024;
const VALUE_BYTES = 1024 * 1024;

/** Real etcd members, which the operator queries. */
const etcd = async (scene: AlertScene): Promise<readonly Case[]> => {
  const name = 'stored';
  const labels = labelsOf(name);
  await scene.createKarmada(name, { components: { etcd: { local: { replicas: 3 } } } });
  const members = await EtcdMembers.start(scene.client, { namespace: name, name }, QUOTA_BYTES);
  scene.onEnd(() => members.end());
  await scene.untilTrue(`karmada_operator_control_plane_etcd_quorum{karmada_name="${name}"} == 1`);
  return [
    {
      alerts: { KarmadaEtcdMemberDown: { ...labels, member: `${instanceName(name, 'etcd')}-2` } },
      make: () => members.kill(1),
      end: () => Promise.resolve(members.restart()),
    },
    {
      alerts: { KarmadaEtcdQuorumLost: labels, KarmadaEtcdNoLeader: labels },
      make: () => members.kill(2),
      end: () => Promise.resolve(members.restart()),
    },
    {
      alerts: {
        KarmadaEtcdQuotaAlmostFull: labels,
        KarmadaEtcdAlarm: { ...labels, alarm: 'NOSPACE' },
      },
      make: async () => {
        for (let n = 0; await members.put(`key-${String(n)}`, VALUE_BYTES); n += 1);
      },
      end: () => members.empty(),
    },
  ];
};

const ended = (name: string, exitCode: number, result: object): object => ({
  name,
  image: 'x',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode, message: JSON.stringify(result) } },
});

const TAKEN = {
  backup: {
    createdAt: timeIn(0),
    etcd: {
      version: '3.6.14',
      clusterID: 'c',
      memberID: 'd',
      revision: '77',
      keys: '5',
      hashes: [{ hash: '9', compactRevision: '3' }],
    },
    sizeBytes: 1000,
    storedBytes: 1100,
  },
};

const SUCCEEDED = {
  phase: 'Succeeded',
  startTime: timeIn(0),
  initContainerStatuses: [ended('take', 0, TAKEN), ended('etcd', 1, {})],
  containerStatuses: [ended('compare', 0, { isProven: true })],
};

const FAILED = { phase: 'Failed', initContainerStatuses: [ended('take', 1, { error: 'failed' })] };

/** Backups whose Pods do not run: the test writes their status. */
const backups = async (scene: AlertScene): Promise<readonly Case[]> => {
  const { client } = scene;
  const namespace = 'saved';
  const labels = labelsOf(namespace);
  const apiVersion = 'backup.operator.karmada.io/v1alpha1';
  await scene.createKarmada(namespace);
  await client.create({
    apiVersion,
    kind: 'KarmadaBackupStore',
    metadata: { name: 'main', namespace },
    spec: { volume: { claimName: 'backups' }, encryption: { mode: 'None' } },
  });
  const template = { karmadaRef: { name: namespace }, storeRef: { name: 'main' } };
  await client.create({
    apiVersion,
    kind: 'KarmadaBackupSchedule',
    metadata: { name: 'daily', namespace },
    spec: { schedule: '0 3 * * *', template },
  });
  /** Creates a backup of the schedule, and ends its Pod. */
  const backUp = async (name: string, status: object): Promise<void> => {
    const labels = { 'backup.operator.karmada.io/schedule': 'daily' };
    await client.create({
      apiVersion,
      kind: 'KarmadaBackup',
      metadata: { name, namespace, labels },
      spec: template,
    });
    const pod = { namespace, name: `${name}-backup` };
    await poll(
      `the Pod of backup ${name} exists`,
      async (seen) => {
        seen(JSON.stringify((await client.get(karmadaBackups, { namespace, name }))['status']));
        return client.find(resources.Pod, pod);
      },
      { deadlineMs: 120_000 },
    );
    await client.patch(resources.Pod, pod, { status }, { subresource: 'status' });
  };
  return [
    {
      alerts: {
        KarmadaBackupFailed: labels,
        KarmadaBackupMissing: { ...labels, schedule: 'daily' },
      },
      make: async () => {
        await backUp('first', FAILED);
        const status = { lastSuccessfulTime: timeIn(-3) };
        const schedule = { namespace, name: 'daily' };
        await client.patch(karmadaBackupSchedules, schedule, { status }, { subresource: 'status' });
      },
      end: () => backUp('second', SUCCEEDED),
    },
  ];
};

/** Groups that run at the same time. */
export const GROUPS: Readonly<Record<string, Group>> = {
  reported,
  rejected,
  silent,
  repaired,
  etcd,
  backups,
};

const LEASE = { namespace: 'default', name: 'karmada-operator' };

/** The operator itself; its series are absent meanwhile, so this group comes last. */
export const operatorCases = async (scene: AlertScene): Promise<readonly Case[]> => {
  const { client } = scene;
  /** The operator waits for another holder for ten minutes, which is longer than the test. */
  const hold = async (holderIdentity: string): Promise<unknown> =>
    client.patch(resources.Lease, LEASE, { spec: { holderIdentity, leaseDurationSeconds: 600 } });
  return Promise.resolve<readonly Case[]>([
    {
      alerts: { KarmadaOperatorDown: {} },
      make: () => scene.stopOperator(),
      end: () => scene.startOperator(),
    },
    {
      alerts: { KarmadaOperatorNoLeader: {} },
      make: async () => {
        await scene.stopOperator();
        await hold('another replica');
        await scene.startOperator();
      },
      end: () => hold(''),
    },
  ]);
};
