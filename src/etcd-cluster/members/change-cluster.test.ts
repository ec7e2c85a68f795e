import type { Server } from 'node:net';
import type { ServerHttp2Stream } from 'node:http2';
import { afterEach, describe, expect, it } from '@jest/globals';
import { http2Server, listen, message, say } from '../../etcd/__fixtures__/grpc-server.ts';
import { dialTcp } from '../../etcd/dial.ts';
import { EtcdStatusError } from '../../etcd/errors.ts';
import { factsWith, memberId, nameOf } from './__fixtures__/facts.ts';
import type { EtcdTarget } from '../../etcd/client.ts';
import { changeCluster } from './change-cluster.ts';
import { podAt } from './cluster.ts';
import type { MemberStep } from './step.ts';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

interface Request {
  readonly path: unknown;
  readonly body: string;
}

/** Starts an etcd member. @returns its address, and the requests that it received */
async function memberWith(
  answer: (stream: ServerHttp2Stream) => void,
): Promise<{ readonly target: EtcdTarget; readonly requests: readonly Request[] }> {
  const requests: Request[] = [];
  const server = http2Server((stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('end', () => {
      // The request follows the five bytes of its length.
      const body = Buffer.concat(chunks).subarray(5);
      requests.push({ path: headers[':path'], body: body.toString('latin1') });
      answer(stream);
    });
  });
  open.push(server);
  const target = { dial: dialTcp({ host: '127.0.0.1', port: await listen(server) }) };
  return { target, requests };
}

// The response is a member list or a MemberAddResponse whose new member has the ID 7.
const accept = (stream: ServerHttp2Stream): void =>
  say(stream, message(Buffer.from('12020807', 'hex')), { 'grpc-status': '0' });
const reject =
  (status: number, text: string) =>
  (stream: ServerHttp2Stream): void =>
    say(stream, Buffer.of(), { 'grpc-status': String(status), 'grpc-message': text });

const facts = factsWith({ replicas: 4 });
const pod = podAt(facts, 3);
if (pod === undefined) throw new Error('the facts have no ordinal 3');
const about = { message: '' };
const promote: MemberStep = { kind: 'promote', memberId: memberId(3), ...about };
/** Longer than any of these tests. */
const LONG_MS = 60_000;

describe('changeCluster', () => {
  it.each<[string, MemberStep, string]>([
    [
      'Cluster/MemberAdd',
      { kind: 'addLearner', pod, ...about },
      `https://${nameOf(3)}.demo-etcd.team.svc.cluster.local:2380\x10\x01`,
    ],
    ['Cluster/MemberPromote', promote, '\x08\xa3\x01'],
    [
      'Cluster/MemberRemove',
      { kind: 'removeMember', memberId: memberId(2), ...about },
      '\x08\xa2\x01',
    ],
    [
      'Maintenance/MoveLeader',
      { kind: 'moveLeader', from: nameOf(2), to: memberId(0), ...about },
      '\x08\xa0\x01',
    ],
  ])('sends %s once', async (method, step, body) => {
    const { target, requests } = await memberWith(accept);
    expect(await changeCluster(target, { step, facts, leftMs: LONG_MS })).toBe(true);
    const path = `/etcdserverpb.${method}`;
    expect(requests).toEqual([{ path, body: expect.stringContaining(body) }]);
  });

  it.each<[string, (stream: ServerHttp2Stream) => void]>([
    ['etcd asks to retry', reject(14, 'etcdserver: unhealthy cluster')],
    ['the state differs from the facts', reject(5, 'etcdserver: member not found')],
    ['etcd may have executed the change', reject(14, 'etcdserver: request timed out')],
    ['the member closes the connection', (stream) => stream.session?.destroy()],
  ])('returns false and does not repeat the request when %s', async (_, answer) => {
    const { target, requests } = await memberWith(answer);
    expect(await changeCluster(target, { step: promote, facts, leftMs: LONG_MS })).toBe(false);
    expect(requests).toHaveLength(1);
  });

  it('returns false when etcd does not respond while the decision is valid', async () => {
    const { target } = await memberWith(() => undefined);
    expect(await changeCluster(target, { step: promote, facts, leftMs: 50.5 })).toBe(false);
  });

  it('returns false when the member is unreachable or unknown', async () => {
    const target: EtcdTarget = { dial: () => Promise.reject(new Error('refused')) };
    expect(await changeCluster(target, { step: promote, facts, leftMs: LONG_MS })).toBe(false);
    expect(await changeCluster(undefined, { step: promote, facts, leftMs: LONG_MS })).toBe(false);
  });

  it.each<[string, number, string]>([
    ['of a known kind', 3, 'etcdserver: given member URLs are invalid'],
    ['that rejects the client', 7, 'etcdserver: permission denied'],
  ])('throws an error %s that no retry resolves', async (_, status, text) => {
    const { target, requests } = await memberWith(reject(status, text));
    const changed = changeCluster(target, { step: promote, facts, leftMs: LONG_MS });
    await expect(changed).rejects.toEqual(new EtcdStatusError(status, text));
    expect(requests).toHaveLength(1);
  });
});
