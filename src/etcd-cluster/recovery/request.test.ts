import { describe, expect, it } from '@jest/globals';
import { answerOf, AT, podOf } from '../../etcd/__fixtures__/answers.ts';
import { etcdView, type EtcdView } from '../../etcd/view.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { CLAIM_ANNOTATION, type EtcdRecord } from '../identity/record.ts';
import { AUTOMATIC_ANNOTATION, requestedRecovery, type RequestContext } from './request.ts';
import { RECOVER_ANNOTATION } from './survivors.ts';

const PODS = ['demo-etcd-0', 'demo-etcd-1', 'demo-etcd-2'];
const RECORD: EtcdRecord = {
  state: 'born',
  token: 't',
  members: 3,
  clusterID: 'a',
  ca: 'ca',
  data: ['c0', 'c1', 'c2'],
};
const RECOVERING: EtcdRecord = {
  ...RECORD,
  recovery: { from: 'demo-etcd-1/a/7', token: 't2', volume: 'r1-etcd-data', phase: 'restoring' },
};
const AUTOMATIC = { [AUTOMATIC_ANNOTATION]: 'Automatic' };
const NAMED = 'demo-etcd-2/a/9';

/** View of these members without a quorum. */
function viewOf(
  answers: Readonly<Record<string, { revision: string; raftIndex: string }>>,
): EtcdView {
  const alone = { leaderId: '0', confirmed: false } as const;
  const results = Object.entries(answers).map(([pod, given]) =>
    answerOf(pod, PODS, { ...alone, ...given }),
  );
  const silent = PODS.filter((pod) => !(pod in answers)).map((pod) => ({
    pod,
    podUid: podOf(pod).uid,
    at: AT,
    cause: 'no response',
  }));
  return etcdView([...results, ...silent], PODS.map(podOf), AT);
}

const SURVIVOR = viewOf({ 'demo-etcd-0': { revision: '50', raftIndex: '100' } });
const SOUND = etcdView(
  PODS.map((pod) => answerOf(pod, PODS)),
  PODS.map(podOf),
  AT,
);

const claim = (uid: string, annotations: Record<string, string> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: `etcd-data-${uid}`, namespace: 'team', uid, annotations },
});
const LEFT = [claim('c0'), claim('new1'), claim('new2')];
const stamped = (clusterID: string): Record<string, string> => ({
  [CLAIM_ANNOTATION]: JSON.stringify({ clusterID, token: 't', ordinal: 1, members: 3, ca: 'ca' }),
});

const requested = (more: Partial<RequestContext> = {}): string | undefined =>
  requestedRecovery({
    annotations: AUTOMATIC,
    record: RECORD,
    view: SURVIVOR,
    claims: LEFT,
    ...more,
  });

describe('requestedRecovery', () => {
  it('is the value of the annotation that names a member, once', () => {
    const annotations = { [RECOVER_ANNOTATION]: NAMED };
    expect(requested({ annotations })).toBe(NAMED);
    const record = { ...RECORD, recovered: [NAMED] };
    expect(requested({ annotations, record })).toBeUndefined();
    expect(requested({ annotations: { ...annotations, ...AUTOMATIC }, record })).toBe(
      'demo-etcd-0/a/50',
    );
  });

  it('is the member with the newest data, if the PVCs of a majority are gone and the user allowed it', () => {
    expect(requested()).toBe('demo-etcd-0/a/50');
    const view = viewOf({
      'demo-etcd-0': { revision: '50', raftIndex: '100' },
      'demo-etcd-1': { revision: '49', raftIndex: '101' },
    });
    expect(requested({ view })).toBe('demo-etcd-1/a/49');
  });

  it('stays the member of a recovery that has begun', () => {
    expect(requested({ record: RECOVERING, view: viewOf({}) })).toBe('demo-etcd-1/a/7');
    expect(requested({ record: RECOVERING, annotations: {} })).toBeUndefined();
  });

  it.each<readonly [string, Partial<RequestContext>]>([
    ['the user did not allow it', { annotations: {} }],
    ['the mode is another one', { annotations: { [AUTOMATIC_ANNOTATION]: 'automatic' } }],
    ['etcd has a quorum', { view: SOUND }],
    ['no member responds', { view: viewOf({}) }],
    ['the PVCs of a majority exist', { claims: [claim('c0'), claim('c1')] }],
    ['a restored PVC has the data', { claims: [...LEFT, claim('other', stamped('a'))] }],
    [
      'the annotation of a PVC is not valid',
      { claims: [...LEFT, claim('c', { [CLAIM_ANNOTATION]: '{' })] },
    ],
    ['there is no record', { record: undefined }],
    ['the record does not name the PVCs', { record: { ...RECORD, data: ['c0'] } }],
  ])('is nothing when %s', (_, context) => {
    expect(requested(context)).toBeUndefined();
  });

  it('ignores PVCs with the data of another cluster', () => {
    expect(requested({ claims: [...LEFT, claim('other', stamped('b'))] })).toBeDefined();
  });
});
