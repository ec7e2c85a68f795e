import { describe, expect, it } from '@jest/globals';
import { parseEndpoint, socketOf } from './endpoint.ts';

const where = { namespace: 'team', dnsDomain: 'k8s.example.org' };

describe('etcd endpoint', () => {
  it.each([
    ['https://etcd.example.com:2379', true, 'etcd.example.com', 2379, ['etcd.example.com']],
    ['http://10.0.0.1:2379/', false, '10.0.0.1', 2379, ['10.0.0.1']],
    ['https://[FD00::1]:2379', true, 'fd00::1', 2379, ['fd00::1']],
    ['etcd.example.com:2379', true, 'etcd.example.com', 2379, ['etcd.example.com']],
    ['https://etcd.example.com.:443', true, 'etcd.example.com', 443, ['etcd.example.com']],
    ['http://etcd.storage:80', false, 'etcd.storage', 80, ['etcd.storage']],
    ['https://etcd:2379', true, 'etcd', 2379, ['etcd.team.svc.k8s.example.org', 'etcd']],
    ['localhost:2379', true, 'localhost', 2379, ['localhost']],
  ] as const)('is parsed into TLS, host, port and names: %s', (text, ...parts) => {
    const [tls, host, port, names] = parts;
    expect(parseEndpoint(text, where)).toEqual({ text, tls, host, port, names });
  });

  it.each([
    ['https://Etcd.Storage:2379', 'etcd.storage:2379'],
    ['http://etcd.storage.svc:2379', 'etcd.storage:2379'],
    ['etcd.storage.svc.k8s.example.org.:2379', 'etcd.storage:2379'],
    ['https://etcd:2379', 'etcd.team:2379'],
    ['https://[fd00::1]:2379', 'fd00::1:2379'],
  ])('%s is normalized to the socket %s', (text, socket) => {
    expect(socketOf(parseEndpoint(text, where), where)).toBe(socket);
  });
});
