import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pod } from '../__fixtures__/instance.ts';
import { leaderAmong } from './etcd-leader.ts';
import type { Remote } from '../host.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';

const servers: Server[] = [];

/** A member at an address of this machine's own; without an answer it is silent. */
async function member(address: string, answer?: string): Promise<KubernetesObject> {
  const server = createServer((request, response) => {
    if (answer !== undefined) response.end(request.url === '/metrics' ? answer : '');
  });
  servers.push(server.listen(2381, address));
  await once(server, 'listening');
  return { ...pod('etcd', { name: address }), status: { podIP: address } };
}

const metrics = (leads: 0 | 1): string =>
  `# TYPE etcd_server_is_leader gauge\netcd_server_is_leader ${leads}\netcd_server_has_leader 1\n`;

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('the leader of an etcd', () => {
  it('5.2 is who says so', async () => {
    const pods = [await member('127.0.0.81', metrics(0)), await member('127.0.0.82', metrics(1))];
    expect(await leaderAmong(pods)).toBe('127.0.0.82');
  });

  it('5.2 is found on another host too, through its API server', async () => {
    const pods = [await member('127.0.0.81', metrics(0)), await member('127.0.0.82', metrics(1))];
    const asked: string[] = [];
    const forward: Remote['forward'] = ({ namespace, pod: name, port }) => {
      asked.push(`${namespace}/${name}`);
      return Promise.resolve(connect(port, name));
    };
    expect(await leaderAmong(pods, { forward })).toBe('127.0.0.82');
    expect(asked).toEqual(['team/127.0.0.81', 'team/127.0.0.82']);
    const refused = (): Promise<Duplex> => Promise.reject(new Error('refused'));
    expect(await leaderAmong(pods, { forward: refused })).toBeUndefined();
  });

  it('is unknown when nobody says so, be it because nobody answers', async () => {
    const away = { ...pod('etcd'), status: { podIP: '127.0.0.83' } };
    const endless = metrics(1).replace('leader 1', `leader ${'1'.repeat(5_000_000)}`);
    const pods = [
      ...[await member('127.0.0.81', metrics(0)), await member('127.0.0.82'), away],
      ...[await member('127.0.0.84', endless), { ...pod('etcd'), status: {} }],
    ];
    expect(await leaderAmong(pods)).toBeUndefined();
  });
});
