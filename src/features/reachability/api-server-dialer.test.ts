import { once } from 'node:events';
import { createServer, type AddressInfo, type LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEFAULT_ADDRESSES, parseCidr, type AddressPolicy } from '../../kubernetes/addresses.ts';
import { controlPlaneDialer } from './api-server-dialer.ts';

const server = createServer((socket) => socket.destroy());
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

/** The DNS server of the domain that `spec.hostCluster.networking.dnsDomain` names. */
const lookup: LookupFunction = (_, options, done) => {
  if (options.all === true) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

describe('controlPlaneDialer', () => {
  const dialWith = (policy: AddressPolicy) => {
    const pods = { cache: { byIndex: () => [] } } as unknown as Parameters<
      typeof controlPlaneDialer
    >[0]['pods'];
    const addresses = { ...policy, lookup };
    const dial = controlPlaneDialer({ pods }, 'team/demo', { exposed: () => undefined, addresses });
    const { port } = server.address() as AddressInfo;
    return dial({ host: 'demo-karmada-apiserver.team.svc.example.com', port });
  };

  it('does not connect to a restricted address to which a Service name resolves', async () => {
    await expect(dialWith(DEFAULT_ADDRESSES)).rejects.toThrow(/is a loopback address/);
  });

  it('connects to an allowed address', async () => {
    const stream = await dialWith({ allowed: [parseCidr('127.0.0.0/8')] });
    stream.destroy();
  });
});
