import { describe, expect, it } from '@jest/globals';
import { AT } from '../../etcd/__fixtures__/answers.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { viewOfPods } from '../../features/etcd-members/etcd-members.ts';
import { answersOf, claimAt, nameOf, podAt } from '../members/__fixtures__/objects.ts';
import {
  defectOf,
  downSince,
  laggingPods,
  NO_VOLUMES,
  volumeStates,
  type DefectInput,
} from './defects.ts';

const SINCE = '2026-11-01T10:00:00Z';
const notReady = { type: 'Ready', status: 'False', lastTransitionTime: SINCE };
const scheduled = {
  type: 'PodScheduled',
  status: 'True',
  lastTransitionTime: '2026-10-01T00:00:00Z',
};
const unscheduled = { ...scheduled, status: 'False', lastTransitionTime: '2026-11-01T11:00:00Z' };

function podWith(status: object, metadata: object = {}): KubernetesObject {
  return podAt(1, { status, metadata });
}

describe('downSince', () => {
  it.each<[string, object, object, string | undefined]>([
    ['nothing for a ready Pod', { conditions: [{ type: 'Ready', status: 'True' }] }, {}, undefined],
    ['the time of the condition Ready', { conditions: [scheduled, notReady] }, {}, SINCE],
    [
      'the time at which it could not be scheduled when it never ran',
      { conditions: [unscheduled] },
      {},
      unscheduled.lastTransitionTime,
    ],
    ['its creation without conditions', {}, { creationTimestamp: SINCE }, SINCE],
    ['nothing when no time is known', {}, {}, undefined],
    [
      'the time of the condition Ready when it is terminating',
      { conditions: [notReady] },
      { deletionTimestamp: '2026-11-01T12:00:00Z' },
      SINCE,
    ],
  ])('returns %s', (_, status, metadata, expected) => {
    const time = expected === undefined ? undefined : Date.parse(expected);
    expect(downSince(podWith(status, metadata))).toBe(time);
  });
});

const POD = podWith({ conditions: [notReady] });

function given(more: Partial<DefectInput> = {}): DefectInput {
  const view = viewOfPods(answersOf([0, 2]), [podAt(0), POD, podAt(2)], AT);
  const lagging = laggingPods(view);
  return { pod: POD, claim: claimAt(1), lagging, volumes: volumeStates(NO_VOLUMES), ...more };
}

/** A Pod whose container failed with this output. */
const failed = (message: string, restartCount = 3, exitCode = 1): KubernetesObject =>
  podWith({
    conditions: [notReady],
    containerStatuses: [
      {
        name: 'etcd',
        restartCount,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode, message } },
      },
    ],
  });

/** Ends of the output of etcd 3.5 and 3.6, as the kubelet stores them. */
const CRC =
  '{"level":"fatal","caller":"etcdmain/etcd.go:183","msg":"discovery failed","error":"walpb: crc mismatch: expected: 50edc6aa computed: a13a7f63: in file \'0.wal\' at position: 19128"}';
const DATABASE =
  '{"level":"panic","caller":"backend/backend.go:205","msg":"failed to open database","error":"invalid database"}';
const SNAPSHOT = 'panic: failed to recover v3 backend from snapshot\n\ngoroutine 1 [running]:';
const PAGE = 'go.etcd.io/bbolt.(*Tx).page(0xa5fa9e74190?)\n\tgo.etcd.io/bbolt@v1.4.3/tx.go:638';
const EMPTY =
  '{"level":"fatal","msg":"discovery failed","error":"cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs"}';

describe('defectOf', () => {
  it('knows none of a Pod that is down for an unknown reason', () => {
    expect(defectOf(given())).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ['the write-ahead log', CRC, 'walpb: crc mismatch'],
    ['the database', DATABASE, 'failed to open database'],
    ['a missing database', SNAPSHOT, 'failed to recover v3 backend from snapshot'],
    ['a page of the database', PAGE, 'go.etcd.io/bbolt'],
    ['an empty directory', EMPTY, 'cannot fetch cluster info from peer urls'],
  ])('knows %s from the output of etcd', (_, message, found) => {
    expect(defectOf(given({ pod: failed(message) }))).toBe(
      `etcd does not start with its data (${found})`,
    );
  });

  it.each<[string, KubernetesObject]>([
    ['that failed fewer than three times', failed(CRC, 2)],
    ['that ended without an error', failed(CRC, 3, 0)],
    ['that ended for another reason', failed('{"level":"fatal","error":"permission denied"}')],
    ['without output', failed('')],
    [
      'that runs again',
      podWith({
        conditions: [notReady],
        containerStatuses: [
          {
            name: 'etcd',
            restartCount: 3,
            state: { running: {} },
            lastState: { terminated: { exitCode: 1, message: CRC } },
          },
        ],
      }),
    ],
    [
      'whose sidecar failed',
      podWith({
        conditions: [notReady],
        containerStatuses: [
          {
            name: 'sidecar',
            restartCount: 3,
            state: { waiting: {} },
            lastState: { terminated: { exitCode: 1, message: CRC } },
          },
        ],
      }),
    ],
  ])('knows none of a member %s', (_, pod) => {
    expect(defectOf(given({ pod }))).toBeUndefined();
  });

  it('knows a deleted volume', () => {
    const claim = claimAt(1, { status: { phase: 'Lost' } });
    expect(defectOf(given({ claim }))).toBe(
      `PersistentVolume pv-etcd-data-${nameOf(1)} of PersistentVolumeClaim etcd-data-${nameOf(1)} was deleted`,
    );
  });

  it('knows a lost node of the volume', () => {
    const name = `pv-etcd-data-${nameOf(1)}`;
    const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n2'] }];
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
    const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name } };
    const volumes = volumeStates({ volumes: [{ ...volume, spec: { nodeAffinity } }], nodes: [] });
    expect(defectOf(given({ volumes }))).toContain(`Node n2 of PersistentVolume ${name}`);
  });

  it.each<[string, string, boolean]>([
    ['lacks more entries than the leader keeps', '5001', true],
    ['lacks as many entries as the leader keeps', '5000', false],
  ])('judges a running member that %s', (_, lag, isDefect) => {
    const pods = [podAt(0), POD, podAt(2)];
    const answers = answersOf().map((answer) => ({
      ...answer,
      leaderId: answersOf()[0]?.memberId ?? '',
      podUid: answer.podUid,
      raftIndex: answer.pod === nameOf(1) ? '10' : String(10 + Number(lag)),
    }));
    const found = defectOf(given({ lagging: laggingPods(viewOfPods(answers, pods, AT)) }));
    expect(found !== undefined).toBe(isDefect);
  });
});
