/** Security test: servers of one namespace whose certificates take long to verify. */
import { createPrivateKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Transport } from '../../../src/kubernetes/client/transport.ts';
import { parseCidr, type TenantAddresses } from '../../../src/kubernetes/connection/addresses.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import { addressesOf, NameResolver } from '../../../src/kubernetes/connection/name-resolver.ts';
import { ReceivedData } from '../../../src/kubernetes/fairness/received-data.ts';
import { ThreadShares } from '../../../src/kubernetes/fairness/thread-shares.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import { distinguishedName, selfSigned, signedWith, type Issuer } from '../../../src/pki/x509.ts';

/** OpenSSL accepts 76 within its limit of 100 KiB. */
const AUTHORITIES = 20;
const CONNECTIONS = 30;
const TIMEOUT_MS = 5_000;

/** Another thread serves, so that only the client occupies this one. */
const SERVER = `
const { parentPort, workerData } = require('node:worker_threads');
const server = require('node:https').createServer(workerData, (_, response) => response.end('{}'));
server.on('tlsClientError', () => undefined);
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

const context = { now: new Date(), random: randomBytes };

/** A key whose public exponent is as long as its modulus: both exponents are exchanged. */
function slowKey(): KeyObject {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 });
  const jwk = privateKey.export({ format: 'jwk' });
  const { e: short, d: long } = jwk;
  const key = { ...jwk, e: long, d: short, dp: short, dq: short };
  return createPrivateKey({ format: 'jwk', key });
}

/** A server certificate with a chain of CAs, and the root of the chain. */
async function slowChain() {
  const key = slowKey();
  const nameOf = (index: number): string => `ca-${String(index)}`;
  const issuerOf = (index: number): Issuer => ({
    name: distinguishedName({ commonName: nameOf(index) }),
    key,
    notAfter: Infinity,
  });
  const server = await signedWith(
    issuerOf(0),
    {
      subject: { commonName: 'server' },
      validityDays: 1,
      leaf: { usages: ['serverAuth'], dns: [], ips: ['127.0.0.1'] },
    },
    await makeKey('ec-p256'),
    context,
  );
  const authorities = await Promise.all(
    Array.from({ length: AUTHORITIES }, (_, index) => {
      const subject = { commonName: nameOf(index) };
      return signedWith(issuerOf(index + 1), { subject, validityDays: 1 }, key, context);
    }),
  );
  const { certificate: root } = await selfSigned(nameOf(AUTHORITIES), key, context);
  const certificates = [server, ...authorities].map(({ certificate }) => certificate);
  return { cert: certificates.join(''), key: server.key, root };
}

let worker: Worker;
let server: string;
let root: string;

beforeAll(async () => {
  const { cert, key, ...chain } = await slowChain();
  root = chain.root;
  worker = new Worker(SERVER, { eval: true, workerData: { cert, key } });
  const [port] = (await once(worker, 'message')) as [number];
  server = `https://127.0.0.1:${String(port)}`;
});

afterAll(() => worker.terminate());

/** CPU time of this thread in milliseconds. Other programs of the machine have no influence. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Sends a request on each of many new connections. @returns the longest time without a timer, and how many got a response */
async function connected(count: number, addresses: TenantAddresses) {
  const transports = Array.from(
    { length: count },
    () => new Transport(explicitEndpoint({ server, caData: root, addresses }), systemClock),
  );
  let longest = 0;
  let last = cpuMs();
  const measure = (): void => {
    longest = Math.max(longest, cpuMs() - last);
    last = cpuMs();
  };
  const timer = setInterval(measure, 1);
  const request = { method: 'GET', path: '/', timeoutMs: TIMEOUT_MS, description: 'get' } as const;
  const answers = await Promise.allSettled(transports.map((one) => one.send(request)));
  measure();
  clearInterval(timer);
  await Promise.all(transports.map((one) => one.close()));
  return { longest, answered: answers.filter(({ status }) => status === 'fulfilled').length };
}

it('leave the thread to others, however many connect at once', async () => {
  const allowed = [parseCidr('127.0.0.0/8')];
  const received = new ReceivedData(systemClock, new ThreadShares(systemClock));
  const addresses = addressesOf({ allowed }, new NameResolver(), received);
  const alone = await connected(1, addresses('first'));
  expect(alone.answered).toBe(1);
  const many = await connected(CONNECTIONS, addresses('team'));
  // At once for a second, and a turn. Without a limit, it would be those of all connections.
  expect(many.longest).toBeLessThan(1_500 + 3 * alone.longest);
});
