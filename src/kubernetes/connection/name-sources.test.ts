import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../test/harness/code-point.ts';
import { candidates, hostsIn, searchSettings, systemSources } from './name-sources.ts';

const POD = `search team.svc.cluster.local svc.cluster.local cluster.local.
nameserver 10.96.0.10
options ndots:5 edns0
`;

describe('searchSettings', () => {
  it.each([
    [
      'of a Pod',
      POD,
      { search: ['team.svc.cluster.local', 'svc.cluster.local', 'cluster.local'], ndots: 5 },
    ],
    ['without search domains', 'nameserver 192.0.2.1\n', { search: [], ndots: 1 }],
    ['of the last line', '# x\nsearch a\ndomain b ; c\n', { search: ['b'], ndots: 1 }],
    ['of an empty file', '', { search: [], ndots: 1 }],
  ])('returns the settings %s', (_, text, settings) => {
    expect(searchSettings(text)).toEqual(settings);
  });

  it('accepts at most 32 domains', () => {
    expect(searchSettings(`search ${'a '.repeat(100)}`).search).toHaveLength(32);
  });
});

describe('candidates', () => {
  const pod = searchSettings(POD);

  it.each([
    ['etcd.storage.svc', 'etcd.storage.svc.team.svc.cluster.local', 4],
    ['a.b.c.d.e.example.com', 'a.b.c.d.e.example.com', 4],
    ['etcd.example.com.', 'etcd.example.com', 1],
  ])('queries %s first as %s', (name, first, count) => {
    const found = candidates(name, pod);
    expect(found[0]).toBe(first);
    expect(found).toHaveLength(count);
    expect(found).toContain(name.replace(/\.$/, ''));
  });
});

describe('hostsIn', () => {
  it('returns the addresses of each name', () => {
    const hosts = hostsIn('127.0.0.1 localhost\n::1 localhost ip6 # x\nnone y\n#1.1.1.1 z\n');
    expect([...hosts]).toEqual([
      [
        'localhost',
        [
          { address: '127.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ],
      ],
      ['ip6', [{ address: '::1', family: 6 }]],
    ]);
  });

  it('accepts any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(() => [hostsIn(text), searchSettings(text)]).not.toThrow();
      }),
    );
  });
});

describe('systemSources', () => {
  const queried: string[] = [];
  const missing = Promise.reject(new Error('ENOTFOUND'));
  missing.catch(() => undefined);
  const resolver = {
    resolve4: (name: string) => {
      queried.push(name);
      return name === 'etcd.storage.svc.cluster.local' ? Promise.resolve(['10.0.0.1']) : missing;
    },
    resolve6: () => missing,
  };

  it('completes a name with the search domains, after the hosts file', async () => {
    const files = { hosts: join(process.env['TMPDIR'] ?? '/tmp', 'hosts'), resolver: '' };
    files.resolver = `${files.hosts}-resolver`;
    await writeFile(files.hosts, '192.0.2.7 Host.example.com\n');
    await writeFile(files.resolver, POD);
    const sources = systemSources(files, resolver as never);
    const resolve = (name: string): Promise<unknown> => sources.resolve(name);
    expect(await resolve('host.example.com')).toEqual([{ address: '192.0.2.7', family: 4 }]);
    expect(queried).toEqual([]);
    expect(await resolve('etcd.storage.svc')).toEqual([{ address: '10.0.0.1', family: 4 }]);
    expect(queried).toEqual(
      ['team.svc.', 'svc.', ''].map((domain) => `etcd.storage.svc.${domain}cluster.local`),
    );
    expect(await resolve('other')).toEqual([]);
  });
});
