import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { createServer as createTcp, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { http2Server, listen as start, message, say } from './__fixtures__/grpc-server.ts';
import { withEtcd, withEtcdReader, type EtcdClient } from './client.ts';
import { dialTcp } from './dial.ts';
import { CODE, EtcdConnectionError, EtcdStatusError } from './errors.ts';
import { MAX_MESSAGE_LENGTH } from './grpc.ts';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** Starts a server on the loopback interface until the test ends. @returns its port */
function listen(server: Server): Promise<number> {
  open.push(server);
  return start(server);
}

/** Starts an HTTP/2 server without TLS. @returns its port */
const serve = (
  answer: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
): Promise<number> => listen(http2Server(answer));

function ask<T>(
  port: number,
  use: (client: EtcdClient) => Promise<T>,
  signal = new AbortController().signal,
): Promise<T> {
  return withEtcd({ dial: dialTcp({ host: '127.0.0.1', port }) }, signal, use);
}

const failure = async (asked: Promise<unknown>): Promise<unknown> => {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof EtcdConnectionError ? error.failure : error;
};

describe('withEtcd', () => {
  it('sends several calls over one connection', async () => {
    let connections = 0;
    const version = Buffer.concat([Buffer.of(0x12, 5), Buffer.from('3.6.6')]);
    const port = await serve((stream) => say(stream, message(version), { 'grpc-status': '0' }));
    open[0]?.on('connection', () => (connections += 1));
    const seen = await ask(port, (client) => Promise.all([client.status(), client.status()]));
    expect(seen.map((status) => status.version)).toEqual(['3.6.6', '3.6.6']);
    expect(connections).toBe(1);
  });

  // The response is a member list or a MemberAddResponse whose new member has the ID 7.
  it.each<[string, (client: EtcdClient) => Promise<unknown>, string]>([
    ['Cluster/MemberAdd', (client) => client.addLearner('http://b'), '0a08687474703a2f2f621001'],
    ['Cluster/MemberPromote', (client) => client.promote('1f'), '081f'],
    ['Cluster/MemberRemove', (client) => client.removeMember('1f'), '081f'],
    ['Maintenance/MoveLeader', (client) => client.moveLeader('1f'), '081f'],
    ['Maintenance/Defragment', (client) => client.defragment(), ''],
    [
      'Maintenance/Alarm',
      (client) => client.disarmAlarm({ memberId: '1f', alarm: 'NOSPACE' }),
      '0802101f1801',
    ],
    ['Maintenance/HashKV', (client) => client.hashKV('3'), '0803'],
  ])('sends the request of %s', async (method, use, hexadecimal) => {
    const sent: Buffer[] = [];
    const paths: unknown[] = [];
    const port = await serve((stream, headers) => {
      paths.push(headers[':path']);
      stream.on('data', (chunk: Buffer) => sent.push(chunk));
      stream.once('end', () =>
        say(stream, message(Buffer.from('12020807', 'hex')), { 'grpc-status': '0' }),
      );
    });
    await ask(port, use);
    expect(paths).toEqual([`/etcdserverpb.${method}`]);
    expect(Buffer.concat(sent)).toEqual(message(Buffer.from(hexadecimal, 'hex')));
  });

  it('gives code that only reads no call that changes etcd', async () => {
    const port = await serve(() => undefined);
    const target = { dial: dialTcp({ host: '127.0.0.1', port }) };
    const { signal } = new AbortController();
    const calls = await withEtcdReader(target, signal, async (client) => Object.keys(client));
    const only = [
      'alarms',
      'countKeys',
      'countPrefix',
      'hashKV',
      'memberList',
      'read',
      'readWithQuorum',
      'snapshot',
      'status',
    ];
    expect(calls.sort()).toEqual(only);
  });

  it('throws the decoded error message when etcd returns an error', async () => {
    const trailers = { 'grpc-status': '14', 'grpc-message': 'etcdserver: no%20leader' };
    const port = await serve((stream) => say(stream, Buffer.alloc(0), trailers));
    const error = await failure(ask(port, (client) => client.readWithQuorum()));
    expect(error).toBeInstanceOf(EtcdStatusError);
    expect(error).toMatchObject({ status: 14, message: 'etcdserver: no leader' });
  });

  it('cancels the call when the response exceeds the maximum length', async () => {
    let sent = 0;
    const port = await serve((stream) => {
      stream.respond({ 'content-type': 'application/grpc' });
      const more = (): void => {
        while (!stream.destroyed && stream.write(Buffer.alloc(16_384))) sent += 16_384;
        sent += 16_384;
        stream.once('drain', more);
      };
      more();
    });
    const asked = ask(port, (client) => client.memberList({ linearizable: true }));
    expect(await failure(asked)).toEqual({ stage: 'answer', code: CODE.tooLong });
    expect(sent).toBeLessThan(16 * MAX_MESSAGE_LENGTH);
  });

  it.each<[string, (stream: ServerHttp2Stream) => void, string]>([
    [
      'is not gRPC',
      (stream) => (stream.respond({ ':status': 404 }), stream.end('no')),
      CODE.noGrpc,
    ],
    [
      'is shorter than its length prefix',
      (stream) => say(stream, Buffer.of(0, 0, 0, 0, 9, 1), { 'grpc-status': '0' }),
      CODE.malformed,
    ],
    [
      'has no message',
      (stream) => say(stream, Buffer.of(), { 'grpc-status': '0' }),
      CODE.malformed,
    ],
    [
      'is not a valid message',
      (stream) => say(stream, message(Buffer.of(0x12, 9, 1)), { 'grpc-status': '0' }),
      CODE.malformed,
    ],
    [
      'is missing because the connection closes',
      (stream) => stream.session?.destroy(),
      CODE.closed,
    ],
  ])('reports the cause when the response %s', async (_, answer, code) => {
    const asked = ask(await serve(answer), (client) => client.status());
    expect(await failure(asked)).toEqual({ stage: 'answer', code });
  });

  it('reports the cause when the server closes the connection or speaks HTTP/1.1', async () => {
    const closing = await listen(createTcp((socket) => socket.destroy()));
    expect(await failure(ask(closing, (client) => client.status()))).toEqual({
      stage: 'answer',
      code: CODE.closed,
    });
    const old = await listen(createTcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect(await failure(ask(old, (client) => client.status()))).toMatchObject({
      stage: 'answer',
      code: expect.stringMatching(/ERR_HTTP2/),
    });
  });

  it('fails with a timeout when the signal is aborted before or during a call', async () => {
    const silent = await serve(() => undefined);
    const slow = AbortSignal.timeout(100);
    const asked = ask(silent, (client) => client.status(), slow);
    expect(await failure(asked)).toEqual({ stage: 'answer', code: CODE.timeout });
    const before = ask(silent, (client) => client.status(), AbortSignal.abort());
    expect(await failure(before)).toEqual({ stage: 'connect', code: CODE.timeout });
  });
});
