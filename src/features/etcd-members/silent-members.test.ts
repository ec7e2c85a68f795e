import { describe, expect, it } from '@jest/globals';
import { answerOf, AT, podOf, silenceOf } from '../../etcd/__fixtures__/answers.ts';
import type { EtcdResult } from '../../etcd/member-status.ts';
import { etcdView } from '../../etcd/view.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import { excludeMember, notReady, type ExcludeTools } from './exclude-member.ts';
import { silentMembers } from './silent-members.ts';

const NAMES = ['demo-etcd-0', 'demo-etcd-1', 'demo-etcd-2'];

interface Given {
  readonly ready?: 'True' | 'False';
  readonly annotations?: Readonly<Record<string, string>>;
}

const etcdPod = (
  name: string,
  { ready = 'True', annotations = {} }: Given = {},
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'team',
    uid: podOf(name).uid,
    resourceVersion: '7',
    annotations,
    labels: { 'app.kubernetes.io/name': 'etcd', 'app.kubernetes.io/instance': 'demo' },
  },
  status: {
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: ready },
    ],
  },
});

/** Results of the probes. @param silent members that respond to nothing */
const results = (silent: readonly string[], respondedAt: number | undefined = AT - 9_000) =>
  NAMES.map((name): EtcdResult => {
    if (!silent.includes(name)) return answerOf(name, NAMES);
    return { ...silenceOf(name), ...(respondedAt !== undefined && { respondedAt }) };
  });

type Seen = Parameters<typeof silentMembers>[0];

function seen(given: {
  readonly silent?: readonly string[];
  readonly respondedAt?: number | undefined;
  readonly pod?: Given;
  readonly more?: Partial<Seen>;
}): Seen {
  const { silent = ['demo-etcd-2'], pod = {}, more = {} } = given;
  const pods = NAMES.map((name) => etcdPod(name, name === 'demo-etcd-2' ? pod : {}));
  const probed = 'respondedAt' in given ? results(silent, given.respondedAt) : results(silent);
  const unseen = 'respondedAt' in given ? probed.map(withoutResponse) : probed;
  const etcd = etcdView(unseen, NAMES.map(podOf), AT);
  return { host: { objects: [], pods, claims: [] }, etcd, ...more } as Seen;
}

const withoutResponse = ({ respondedAt: _, ...result }: EtcdResult & { respondedAt?: number }) =>
  result as EtcdResult;

const namesIn = (value: Seen): readonly string[] =>
  silentMembers(value).map(({ pod }) => pod.metadata.name);

describe('silentMembers', () => {
  it.each<[string, Seen, readonly string[]]>([
    ['responds to nothing', seen({}), ['demo-etcd-2']],
    ['responds', seen({ silent: [] }), []],
    ['is silent without a quorum of the others', seen({ silent: NAMES.slice(1) }), []],
    ['is not ready', seen({ pod: { ready: 'False' } }), []],
    ['never responded to this process', seen({ respondedAt: undefined }), []],
    ['is paused', seen({ pod: { annotations: { [PAUSE_REPAIR]: 'true' } } }), []],
    ['may be defragmented', seen({ more: { etcdUpkeep: { isRunning: true } as never } }), []],
    ['cannot be excluded', seen({ more: { missingRights: ['patch pods/status'] } }), []],
    ['is not observed', seen({ more: { etcd: undefined } as never }), []],
  ])('decides about a member that %s', (_, value, names) => {
    expect(namesIn(value)).toEqual(names);
  });
});

describe('excludeMember', () => {
  interface World {
    readonly tools: ExcludeTools;
    readonly patches: unknown[];
    readonly instance: Pick<InstanceCache, 'excluded'>;
  }

  function world(answers: readonly EtcdResult[], pod: Given = {}, error?: Error): World {
    const patches: unknown[] = [];
    const instance: World['instance'] = {};
    const client = {
      list: () => Promise.resolve({ items: NAMES.map((name) => etcdPod(name, pod)) }),
      patch: (...args: unknown[]) => {
        patches.push(args.slice(1));
        return error ? Promise.reject(error) : Promise.resolve({});
      },
    } as unknown as ExcludeTools['client'];
    const log = { info: () => undefined } as unknown as ExcludeTools['log'];
    const ask = () => Promise.resolve(answers);
    return { patches, instance, tools: { client, ask, clock: { wall: () => AT }, log, instance } };
  }

  const silent = { pod: etcdPod('demo-etcd-2'), silence: 'one' };
  const action = { kind: 'excludeEtcdMember', silent } as const;

  it('reports the Pod as not ready, once per silence', async () => {
    const { tools, patches } = world(results(['demo-etcd-2']));
    expect(await excludeMember(tools, action)).toEqual({ writes: 1 });
    expect(await excludeMember(tools, action)).toEqual({});
    expect(patches).toEqual([
      [
        { namespace: 'team', name: 'demo-etcd-2' },
        {
          metadata: { uid: podOf('demo-etcd-2').uid, resourceVersion: '7' },
          status: { conditions: notReady(silent.pod, new Date(AT)) },
        },
        expect.objectContaining({ subresource: 'status' }),
      ],
    ]);
    const again = { ...action, silent: { ...silent, silence: 'two' } };
    expect(await excludeMember(tools, again)).toEqual({ writes: 1 });
    expect(await excludeMember(tools, action)).toEqual({});
  });

  it.each<[string, World]>([
    ['the member responds again', world(results([]))],
    ['the others have no quorum', world(results(NAMES.slice(1)))],
    ['the Pod is not ready', world(results(['demo-etcd-2']), { ready: 'False' })],
  ])('writes nothing if %s', async (_, { tools, patches }) => {
    expect(await excludeMember(tools, action)).toEqual({});
    expect(patches).toEqual([]);
  });

  it('tries again if the Pod changed in the meantime', async () => {
    const conflict = new ApiError({ request: 'patch', code: 409, reason: 'Conflict', message: '' });
    const { tools, instance } = world(results(['demo-etcd-2']), {}, conflict);
    expect(await excludeMember(tools, action)).toEqual({});
    expect(instance.excluded).toBeUndefined();
  });

  it('keeps the other conditions', () => {
    const types = notReady(silent.pod, new Date(AT)).map(({ type, status }) => `${type} ${status}`);
    expect(types).toEqual(['PodScheduled True', 'Ready False']);
  });
});
