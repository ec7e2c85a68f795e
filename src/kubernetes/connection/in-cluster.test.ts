import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inClusterEndpoint, podNamespace } from './in-cluster.ts';

let account: string;
beforeEach(async () => {
  account = await mkdtemp(join(tmpdir(), 'account-'));
  await writeFile(join(account, 'ca.crt'), 'authority');
  await writeFile(join(account, 'token'), 'one\n');
});
afterEach(() => rm(account, { recursive: true }));

describe('inClusterEndpoint', () => {
  it.each([
    ['10.0.0.1', '443', 'https://10.0.0.1:443'],
    ['10.0.0.1', undefined, 'https://10.0.0.1:443'],
    ['fd00::1', '6443', 'https://[fd00::1]:6443'],
  ])('uses host %s and port %s for the URL %s', (host, port, server) => {
    const environment = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port };
    expect(inClusterEndpoint(environment, account).server).toBe(server);
  });

  it('returns the new token after the kubelet renews it', async () => {
    const endpoint = inClusterEndpoint({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, account);
    expect(await endpoint.credentials()).toEqual({
      ca: 'authority',
      headers: { authorization: 'Bearer one' },
    });
    await writeFile(join(account, 'token'), 'two');
    expect((await endpoint.credentials()).headers).toEqual({ authorization: 'Bearer two' });
  });

  it.each([
    ['environment variables', {}, ''],
    ['a ServiceAccount directory', { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, 'no-such-folder'],
  ])('throws an error with --kubeconfig as the remedy without %s', (_, environment, below) => {
    expect(() => inClusterEndpoint(environment, join(account, below))).toThrow(/--kubeconfig/);
  });
});

describe('podNamespace', () => {
  it('returns the namespace of the ServiceAccount', async () => {
    await writeFile(join(account, 'namespace'), 'operators\n');
    expect(await podNamespace(account)).toBe('operators');
  });

  it.each(['', 'no-such-folder'])(
    'returns nothing without a file in the folder %j',
    async (below) => {
      expect(await podNamespace(join(account, below))).toBeUndefined();
    },
  );
});
