import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { subjectOf, type Action } from './action.ts';
import { executeActions, type Executors } from './execute-actions.ts';
import type { Done } from './execution-result.ts';
import { PAUSE_REPAIR } from '../instance/pause.ts';

const object = (name: string, annotations?: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'team', ...(annotations && { annotations }) },
});

const PAUSED = object('paused', { [PAUSE_REPAIR]: 'true' });

/** Executors that record their calls. */
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
    ...(['abandonEtcd', 'restartEtcdMember', 'replaceEtcdStorage', 'syncMembers'] as const),
  ];
  return Object.fromEntries(kinds.map((kind) => [kind, note(kind)])) as unknown as Executors;
}

describe('act', () => {
  const pull = (cached: KubernetesObject): Action => ({
    kind: 'copyPullSecret',
    name: 'registry',
    cached,
  });

  it.each<[string, Action]>([
    ['a copied pull Secret', pull(PAUSED)],
    ['the copied kubeconfig', { kind: 'copyKubeconfig', cached: PAUSED }],
    [
      'the copied client Secret of an external etcd',
      { kind: 'copyEtcdSecret', secret: {} as never, access: {} as never, cached: PAUSED },
    ],
    ['an object to be deleted', { kind: 'remove', cluster: 'host', object: PAUSED }],
    [
      'the CA backup Secret with an etcd record',
      { kind: 'recordEtcd', backup: PAUSED, record: {} as never },
    ],
    ['an etcd PVC', { kind: 'annotateClaim', stamp: { claim: PAUSED, value: '{}' } }],
    ['an abandoned StatefulSet', { kind: 'abandonEtcd', statefulSet: PAUSED }],
    ['a StatefulSet with a member restart', { kind: 'restartEtcdMember', statefulSet: PAUSED }],
  ])('writes nothing to %s when its repair is paused', async (_, action) => {
    const called: string[] = [];
    expect(subjectOf(action)).toBe(PAUSED);
    expect(await executeActions(noting(called), [action])).toMatchObject({ writes: 0, errors: [] });
    expect(called).toEqual([]);
  });

  it('executes all actions and returns the error when one of them fails', async () => {
    const called: string[] = [];
    const refused = new Error('refused');
    const executors = noting(called, {
      copyPullSecret: () => ({ writes: 1, live: ['host:a', object('a')] }),
      createNamespace: () => {
        throw refused;
      },
      copyKubeconfig: () => ({ problem: { step: 'etcd', reason: 'Conflict', message: 'no' } }),
    });
    const outcome = await executeActions(executors, [
      { kind: 'createNamespace', name: 'team', labels: {} },
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
