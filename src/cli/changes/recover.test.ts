import { describe, expect, it } from '@jest/globals';
import { ABANDON_HOST_ANNOTATION, API_VERSION, KIND, type Karmada } from '../../api/karmada.ts';
import { START_EMPTY_ANNOTATION } from '../../etcd-cluster/identity/record.ts';
import { TAKE_OVER_ANNOTATION } from '../../features/external-etcd/external-data.ts';
import { recoveryText } from '../../features/etcd-recovery/recovery-text.ts';
import { RECOVER_ANNOTATION } from '../../etcd-cluster/recovery/survivors.ts';
import { abandonCommand } from '../../features/remote-host/abandon-host.ts';
import { lossesOf, recoverDecision, someLosses } from './recover.ts';

const KEY = { name: 'demo', namespace: 'team' };
const UID = '5a1f7c1e-8d2b-4c3a-9e0f-0123456789ab';

/** A Karmada whose conditions have these messages. */
const karmadaOf = (messages: Readonly<Record<string, string>>, annotations = {}): Karmada => ({
  apiVersion: API_VERSION,
  kind: KIND,
  metadata: { ...KEY, annotations },
  status: {
    conditions: Object.entries(messages).map(([type, message]) => ({
      type,
      status: 'False',
      reason: 'Lost',
      message,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
  },
});

const survivor = {
  pod: 'demo-etcd-0',
  clusterID: 'a1',
  memberID: 'b2',
  revision: '481203',
  raftIndex: '9',
  dbSize: '1',
  at: 0,
};
const noQuorum = recoveryText({ survivors: [survivor] }, KEY, false) ?? '';
const noMember = recoveryText({ stored: [survivor] }, KEY, true) ?? '';

describe('lossesOf', () => {
  it.each([
    [noQuorum, RECOVER_ANNOTATION, 'demo-etcd-0/a1/481203'],
    [noMember, RECOVER_ANNOTATION, 'demo-etcd-0/a1/481203'],
    [
      `annotate the Karmada with ${START_EMPTY_ANNOTATION}=5f0c1d to start with an empty etcd`,
      START_EMPTY_ANNOTATION,
      '5f0c1d',
    ],
    [
      `run ${abandonCommand(karmadaOf({}), UID)}; the operator then creates`,
      ABANDON_HOST_ANNOTATION,
      UID,
    ],
    [`without this data: … ${TAKE_OVER_ANNOTATION}=empty-a1.`, TAKE_OVER_ANNOTATION, 'empty-a1'],
  ])('reads the value from %j', (message, annotation, value) => {
    const found = lossesOf(karmadaOf({ Ready: `etcd: ${message}`, EtcdHealthy: message }));
    expect(found).toMatchObject([{ annotation, value, cause: `Lost: ${message}` }]);
  });

  it.each([
    'all is well',
    `${RECOVER_ANNOTATION} of the Karmada: refused`,
    `${RECOVER_ANNOTATION}=$(x)`,
  ])('finds none in %j', (message) => {
    expect(lossesOf(karmadaOf({ EtcdHealthy: message }))).toEqual([]);
  });
});

describe('lossesOf an etcd of the Go operator', () => {
  const split =
    'StatefulSet demo-etcd: they are not one etcd cluster (demo-etcd-0: cluster a1, whose member list has demo-etcd-0; demo-etcd-1: cluster b2, whose member list has demo-etcd-1, demo-etcd-2; demo-etcd-2: cluster b2, whose member list has demo-etcd-1, demo-etcd-2)';
  const member = (name: string, revision?: number) =>
    ({ name, id: '1', role: 'Voter', ...(revision !== undefined && { revision }) }) as const;

  /** A Karmada with this condition and these members. */
  function goKarmada(
    reason: string,
    clusterID: string,
    members: readonly ReturnType<typeof member>[],
  ): Karmada {
    const karmada = karmadaOf({ EtcdAdopted: split });
    const conditions = karmada.status?.conditions?.map((one) => ({ ...one, reason }));
    const cluster = { clusterID, quorum: 'False', leader: '', observedTime: '', members } as const;
    return { ...karmada, status: { ...karmada.status, conditions, etcdCluster: cluster } };
  }

  it('offers the member with the newest data of each cluster that never formed one', () => {
    const members = [
      member('demo-etcd-0', 481203),
      member('demo-etcd-1', 7),
      member('demo-etcd-2', 9),
    ];
    const found = lossesOf(goKarmada('EtcdNeverOneCluster', '', members));
    expect(found.map(({ annotation, value }) => [annotation, value])).toEqual([
      [RECOVER_ANNOTATION, 'demo-etcd-0/a1/481203'],
      [RECOVER_ANNOTATION, 'demo-etcd-2/b2/9'],
    ]);
    expect(found[0]?.givesUp).toContain('other etcd clusters');
    expect(found[0]?.cause).toBe(`EtcdNeverOneCluster: ${split}`);
    expect(
      recoverDecision(goKarmada('EtcdNeverOneCluster', '', members), 'demo-etcd-2/b2/9'),
    ).toMatchObject({
      patch: { metadata: { annotations: { [RECOVER_ANNOTATION]: 'demo-etcd-2/b2/9' } } },
    });
  });

  it('offers the member with its data in an emptyDir', () => {
    const found = lossesOf(goKarmada('EtcdDataNotDurable', 'a1', [member('demo-etcd-0')]));
    expect(found.map(({ value }) => value)).toEqual(['demo-etcd-0/a1/1']);
    expect(found[0]?.givesUp).toContain('one to two minutes');
  });

  it.each([
    ['EtcdAdopting', 'a1'],
    ['EtcdDataNotDurable', ''],
  ])('offers nothing with the reason %s and the cluster %j', (reason, clusterID) => {
    expect(lossesOf(goKarmada(reason, clusterID, [member('demo-etcd-0', 3)]))).toEqual([]);
  });
});

describe('recoverDecision', () => {
  const lost = karmadaOf({ EtcdHealthy: noQuorum });

  it.each(['demo-etcd-0/a1/481203', 'demo-etcd-1/a1/volume'])(
    'annotates the Karmada with %s',
    (value) => {
      expect(recoverDecision(lost, value)).toEqual({
        patch: { metadata: { annotations: { [RECOVER_ANNOTATION]: value } } },
        done: `annotated with ${RECOVER_ANNOTATION}=${value}`,
      });
    },
  );

  it('changes nothing if the Karmada has the value', () => {
    const value = 'demo-etcd-0/a1/481203';
    const confirmed = karmadaOf({ EtcdHealthy: noQuorum }, { [RECOVER_ANNOTATION]: value });
    expect(recoverDecision(confirmed, value)).toEqual({
      done: `already annotated with ${RECOVER_ANNOTATION}=${value}`,
    });
  });

  it('rejects another value, and a Karmada without a loss', () => {
    expect(() => recoverDecision(lost, 'yes')).toThrow(
      '"yes" confirms no loss; expected demo-etcd-0/a1/481203',
    );
    const empty = karmadaOf({ EtcdReady: `x ${START_EMPTY_ANNOTATION}=a1 y` });
    expect(() => recoverDecision(empty, 'demo-etcd-0/a1/481203')).toThrow('expected a1');
    expect(() => someLosses(karmadaOf({}))).toThrow('reports no loss');
  });
});
