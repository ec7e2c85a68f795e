import { describe, expect, it } from '@jest/globals';
import type { BackupAction } from '../../../actions/backup-action.ts';
import { karmadaRestores } from '../../../api/backup/kinds.ts';
import { toApiError } from '../../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { actorOf } from './backup-executors.ts';

const UID = 'uid-of-backup';

const object = (kind: string, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'main', namespace: 'team', uid: 'its-uid', resourceVersion: '7', ...metadata },
});

const OWNED = { ownerReferences: [{ apiVersion: 'v1', kind: 'x', name: 'x', uid: UID }] };
const POD = object('Pod');
const CONFIGURATION = { secret: object('Secret'), uid: UID };

/** @param found Secret that exists @param code of the response to writes */
function setUp(found?: KubernetesObject, code?: number) {
  const calls: string[] = [];
  const write = (method: string, subject: unknown, options: unknown): Promise<never> => {
    calls.push(`${method} ${JSON.stringify(subject)} ${JSON.stringify(options)}`);
    const failed = code !== undefined && toApiError(method, { code, body: '' });
    return failed ? Promise.reject(failed) : Promise.resolve({} as never);
  };
  const clientOf = (cluster: string) => ({
    find: async () => found,
    list: () => Promise.reject(new Error('list')),
    create: ({ kind }: KubernetesObject) => write(`${cluster} create`, kind, undefined),
    patch: (type: { kind: string }, _: object, change: object, options?: object) =>
      write(`${cluster} patch ${type.kind}`, change, options),
    delete: (type: { kind: string }, _: object, options?: object) =>
      write(`${cluster} delete`, type.kind, options),
  });
  const failed: string[] = [];
  const record = {
    failed: (step: string, reason: string) => void failed.push(`${step} ${reason}`),
  };
  const [client, host] = [clientOf('management'), clientOf('host')] as never[];
  const act = actorOf({ client: client as never, record: record as never }, host);
  return { calls, failed, act };
}

describe('actorOf', () => {
  it.each<[string, BackupAction, readonly string[]]>([
    [
      'writes a status with its resourceVersion as precondition',
      {
        kind: 'writeBackupStatus',
        type: karmadaRestores,
        of: object('KarmadaRestore'),
        patch: { status: { phase: 'Pending' } },
      },
      [
        'management patch KarmadaRestore {"status":{"phase":"Pending"},"metadata":{"resourceVersion":"7"}} {"fieldManager":"karmada-operator","subresource":"status"}',
      ],
    ],
    [
      'sets finalizers with the resourceVersion as precondition',
      {
        kind: 'setBackupFinalizers',
        type: karmadaRestores,
        of: object('KarmadaRestore'),
        patch: { metadata: { finalizers: ['a'] } },
      },
      [
        'management patch KarmadaRestore {"metadata":{"finalizers":["a"],"resourceVersion":"7"}} {"fieldManager":"karmada-operator"}',
      ],
    ],
    [
      'deletes a Pod with its UID as precondition',
      { kind: 'endJob', pod: POD },
      ['host delete "Pod" {"uid":"its-uid"}'],
    ],
    [
      'does not delete a terminating Pod',
      { kind: 'endJob', pod: object('Pod', { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
      [],
    ],
    [
      'creates a Pod that waits for its configuration',
      { kind: 'startJob', pod: POD },
      ['host create "Pod" undefined'],
    ],
    [
      'creates no Pod whose configuration is another object',
      { kind: 'startJob', pod: POD, configuration: CONFIGURATION },
      ['host create "Secret" undefined'],
    ],
    [
      'does not annotate a Karmada whose restore has no configuration',
      {
        kind: 'annotateKarmada',
        karmada: object('Karmada'),
        annotations: { a: 'b' },
        configuration: CONFIGURATION,
      },
      ['host create "Secret" undefined'],
    ],
    [
      'does not delete the configuration of another object',
      { kind: 'deleteJobConfiguration', key: { namespace: 'team', name: 'main' }, uid: UID },
      [],
    ],
  ])('%s', async (_, action, expected) => {
    const { calls, act } = setUp(object('Secret'));
    await act(action);
    expect(calls).toEqual(expected);
  });

  it.each<[string, BackupAction, readonly string[]]>([
    [
      'creates a Pod',
      { kind: 'startJob', pod: POD, configuration: CONFIGURATION },
      ['host create "Secret" undefined', 'host create "Pod" undefined'],
    ],
    [
      'annotates a Karmada',
      {
        kind: 'annotateKarmada',
        karmada: object('Karmada'),
        annotations: { a: null },
        configuration: CONFIGURATION,
      },
      [
        'host create "Secret" undefined',
        'management patch Karmada {"metadata":{"annotations":{"a":null},"resourceVersion":"7"}} {"fieldManager":"karmada-operator"}',
      ],
    ],
    [
      'deletes a configuration',
      { kind: 'deleteJobConfiguration', key: { namespace: 'team', name: 'main' }, uid: UID },
      ['host delete "Secret" {"uid":"its-uid"}'],
    ],
  ])('%s when the configuration belongs to its object', async (_, action, expected) => {
    const { calls, act } = setUp(object('Secret', OWNED));
    expect((await act(action)).writes).toBe(1);
    expect(calls).toEqual(expected);
  });

  it.each([404, 409])('counts no write after a conflict (%i)', async (code) => {
    const { act, failed } = setUp(undefined, code);
    expect((await act({ kind: 'endJob', pod: POD })).writes).toBe(0);
    expect(failed).toEqual([]);
  });

  it('throws and records any other failure', async () => {
    const { act, failed } = setUp(undefined, 403);
    await expect(act({ kind: 'startJob', pod: POD })).rejects.toMatchObject({ code: 403 });
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatch(/^startJob /);
  });
});
