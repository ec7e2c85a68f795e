/** Security tests: a tenant configures addresses of the operator's own machine or of a cloud metadata service. */
import { createServer, type Server } from 'node:http';
import type { LookupAddress } from 'node:dns';
import type { AddressInfo, LookupFunction } from 'node:net';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KarmadaSpec } from '../../../src/api/karmada.ts';
import { DEFAULT_ADDRESSES, parseCidr } from '../../../src/kubernetes/connection/addresses.ts';
import { addressesOf, NameResolver } from '../../../src/kubernetes/connection/name-resolver.ts';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import { connectMember } from '../../../src/member-clusters/member-api.ts';
import { memberProblem } from '../../../src/member-clusters/failure.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import { selfSigned } from '../../../src/pki/x509.ts';
import { startBench } from '../../harness/crd-archives.ts';
import { startTenants, type Tenants } from '../../harness/servers/tenants.ts';

let environment: Tenants;
let server: Server;
let port: number;
/** Requests and connections that the server on this machine received. */
const reached: string[] = [];

beforeAll(async () => {
  environment = await startTenants();
  server = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
  });
  server.on('connection', () => reached.push('connection'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await environment.stop();
});

describe('addresses in a Karmada', () => {
  it.each<[string, (port: number) => KarmadaSpec, [string, RegExp]]>([
    [
      'a host cluster on this machine',
      (at) => ({
        hostCluster: {
          apiEndpoint: `https://127.0.0.1:${String(at)}`,
          secretRef: { name: 'host', namespace: 'host' },
        },
      }),
      ['HostReachable', /127\.0\.0\.1 is a loopback address.*--allow-addresses/],
    ],
    [
      'a host cluster whose name resolves to this machine',
      (at) => ({
        hostCluster: {
          apiEndpoint: `https://localhost:${String(at)}`,
          secretRef: { name: 'host', namespace: 'host-name' },
        },
      }),
      ['HostReachable', /localhost is a loopback address/],
    ],
    [
      'an etcd on this machine',
      (at) => ({
        components: {
          etcd: {
            external: {
              endpoints: [`https://127.0.0.1:${String(at)}`],
              secretRef: { name: 'etcd' },
            },
          },
        },
      }),
      ['EtcdReady', /loopback, link-local, or a metadata service/],
    ],
  ])('do not lead to %s', async (title, specOf, [type, message]) => {
    const namespace = title.includes('name')
      ? 'host-name'
      : title.includes('etcd')
        ? 'etcd'
        : 'host';
    const now = new Date();
    const pair = await selfSigned('CA', await makeKey('ec-p256'), { now, random: randomBytes });
    const { certificate, key } = pair;
    await environment.namespace(namespace);
    await environment.secret(
      { namespace, name: 'host' },
      { token: 'token', caBundle: certificate },
    );
    const files = { 'ca.crt': certificate, 'tls.crt': certificate, 'tls.key': key };
    await environment.secret({ namespace, name: 'etcd' }, files);
    await environment.karmada(namespace, specOf(port));
    await environment.told(
      namespace,
      (found) => found.type === type && message.test(found.message),
    );
    expect(reached).toEqual([]);
  });
});

/** Of a tenant. */
const addresses = addressesOf(DEFAULT_ADDRESSES, new NameResolver())('team');

describe('name that resolves to a loopback address', () => {
  /** DNS server of the tenant. */
  const lookup: LookupFunction = (_, __, done) =>
    done(null, [{ address: '127.0.0.1', family: 4 }] satisfies LookupAddress[]);

  it('is not connected to', async () => {
    const endpoint = explicitEndpoint({
      server: `http://rebound.example.com:${String(port)}`,
      addresses: { ...DEFAULT_ADDRESSES, lookup },
    });
    const client = createClient(endpoint);
    await expect(client.raw('/version')).rejects.toThrow(
      /rebound\.example\.com resolves to 127\.0\.0\.1, which is a loopback address/,
    );
    await client.close();
    expect(reached).toEqual([]);
  });

  it('is reported when it is the address of a member cluster', async () => {
    const connect = connectMember({ clock: systemClock, addresses });
    const client = connect(explicitEndpoint({ server: `http://127.0.0.1:${String(port)}` }));
    const error: unknown = await client.raw('/version').catch((thrown: unknown) => thrown);
    await client.close();
    expect(memberProblem(error)).toMatchObject({ reason: 'MemberAddressNotAllowed' });
    expect(reached).toEqual([]);
  });
});

describe('proxy', () => {
  it('is not connected to when it has a loopback address', async () => {
    const endpoint = explicitEndpoint({
      server: 'https://host.example.com',
      proxyUrl: `http://127.0.0.1:${String(port)}`,
      addresses,
    });
    const client = createClient(endpoint);
    await expect(client.raw('/version')).rejects.toThrow(/127\.0\.0\.1 is a loopback address/);
    await client.close();
    expect(reached).toEqual([]);
  });
});

describe('CRD archive', () => {
  it('is rejected when its server redirects to a metadata service', async () => {
    // The server has a loopback address, which must be allowed; the target of the redirect is not allowed.
    const bench = await startBench({ addresses: { allowed: [parseCidr('127.0.0.1')] } });
    const found = await bench.settled({
      httpSource: { url: `http://127.0.0.1:${String(port)}/crds.tar.gz` },
    });
    expect(found).toMatchObject({ problem: { reason: 'CrdArchiveDownloadFailed' } });
    expect(JSON.stringify(found)).toMatch(/169\.254\.169\.254.*does not connect to/);
    bench.archives.close();
  });

  it('is rejected when its URL resolves to a loopback address', async () => {
    reached.length = 0;
    const bench = await startBench({ addresses: DEFAULT_ADDRESSES });
    const found = await bench.settled({
      httpSource: { url: `http://localhost:${String(port)}/crds.tar.gz` },
    });
    expect(JSON.stringify(found)).toMatch(/loopback, link-local/);
    expect(reached).toEqual([]);
    bench.archives.close();
  });
});
