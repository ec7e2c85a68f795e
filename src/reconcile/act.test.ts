import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { subjectOf, type Action } from './action.ts';
import { act, type Executors } from './act.ts';
import type { Done } from './outcome.ts';
import { PAUSE_REPAIR } from './pause.ts';

const object = (name: string, annotations?: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'team', ...(annotations && { annotations }) },
});

const PAUSED = object('paused', { [PAUSE_REPAIR]: 'true' });

/** Executors that note what they are called with. */
function noting(
  called: string[],
  done: Partial<Record<Action['kind'], () => Done>> = {},
): Executors {
  const note = (kind: Action['kind']) => async (): Promise<Done> => {
    called.push(kind);
    return done[kind]?.() ?? {};
  };
  const kinds = [
    ...(['apply', 'remove', 'createNamespace', 'copyPullSecret', 'copyKubeconfig'] as const),
    ...(['copyEtcdSecret', 'issueCertificates', 'recordEtcd', 'annotateClaim'] as const),
    ...(['abandonEtcd', 'restartEtcdMember', 'replaceEtcdStorage', 'tendMembers'] as const),
  ];
  return Object.fromEntries(kinds.map((kind) => [kind, note(kind)])) as unknown as Executors;
}

describe('actions', () => {
  const pull = (cached: KubernetesObject): Action => ({
    kind: 'copyPullSecret',
    name: 'registry',
    cached,
  });

  it.each<[string, Action]>([
    ['a copy of a Secret for image pulls', pull(PAUSED)],
    ['the copy of the kubeconfig', { kind: 'copyKubeconfig', cached: PAUSED }],
    [
      'the copy of the Secret of an external etcd',
      { kind: 'copyEtcdSecret', secret: {} as never, access: {} as never, cached: PAUSED },
    ],
    ['an object to be removed', { kind: 'remove', place: 'host', object: PAUSED }],
    ['the record of an etcd', { kind: 'recordEtcd', backup: PAUSED, record: {} as never }],
    ['a claim', { kind: 'annotateClaim', stamp: { claim: PAUSED, value: '{}' } }],
    ['a StatefulSet to be abandoned', { kind: 'abandonEtcd', statefulSet: PAUSED }],
    ['a StatefulSet whose member restarts', { kind: 'restartEtcdMember', statefulSet: PAUSED }],
  ])('write nothing to %s while its repair is paused', async (_, action) => {
    const called: string[] = [];
    expect(subjectOf(action)).toBe(PAUSED);
    expect(await act(noting(called), [action])).toMatchObject({ writes: 0, errors: [] });
    expect(called).toEqual([]);
  });

  it('are carried out side by side, and one that fails keeps no other one from it', async () => {
    const called: string[] = [];
    const refused = new Error('refused');
    const executors = noting(called, {
      copyPullSecret: () => ({ writes: 1, live: ['host:a', object('a')] }),
      createNamespace: () => {
        throw refused;
      },
      copyKubeconfig: () => ({ problem: { step: 'etcd', reason: 'Conflict', message: 'no' } }),
    });
    const outcome = await act(executors, [
      { kind: 'createNamespace', name: 'team' },
      pull(object('registry')),
      { kind: 'copyKubeconfig' },
    ]);
    expect(called).toEqual(['createNamespace', 'copyPullSecret', 'copyKubeconfig']);
    expect(outcome.errors).toEqual([refused]);
    expect(outcome.writes).toBe(1);
    expect([...outcome.live.keys()]).toEqual(['host:a']);
    expect(outcome.problems).toEqual([{ step: 'etcd', reason: 'Conflict', message: 'no' }]);
  });
});
