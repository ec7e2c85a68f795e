import { once } from 'node:events';
import { createServer, type AddressInfo, type LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DEFAULT_ADDRESSES,
  parseCidr,
  type AddressPolicy,
} from '../../kubernetes/connection/addresses.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { apiServerAddresses, controlPlaneDialer } from './api-server-dialer.ts';

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

describe('apiServerAddresses', () => {
  const podOf = (index: number, status: object = {}): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${String(index)}`, labels: { [COMPONENT]: 'karmada-apiserver' } },
    status: { podIP: `10.0.0.${String(index)}`, ...status },
  });
  const READY = { conditions: [{ type: 'Ready', status: 'True' }] };

  it('returns few of many Pods, the ready ones first', () => {
    const pods = Array.from({ length: 200 }, (_, index) =>
      podOf(index, index === 150 ? READY : {}),
    );
    expect(apiServerAddresses(pods)).toEqual([
      '10.0.0.150',
      ...['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3'],
    ]);
  });

  it('returns no address of a Pod that has ended', () => {
    const pods = [podOf(1, { phase: 'Succeeded' }), podOf(2, { phase: 'Failed' }), podOf(3)];
    expect(apiServerAddresses(pods)).toEqual(['10.0.0.3']);
  });
});
