import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dialTcp } from '../../etcd/dial.ts';
import type { Remote } from '../../host-clusters/host.ts';
import type { AddressesOf } from '../../kubernetes/connection/addresses.ts';
import { ForwardError } from '../../kubernetes/client/port-forward.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import { decode, INPUTS, issuance, ready, readsOf, request } from '../../pki/fixture.test-data.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { factsWith, NOW, rotationOf } from './__fixtures__/facts.ts';
import { podOf } from './__fixtures__/objects.ts';
import { ROTATE_ANNOTATION } from './requests.ts';
import { checkedBeforeStart } from './unreached-pod.ts';

const READS = readsOf(ready(await ensureCertificates(request(), issuance(new Date()))));
const [cert, key] = ['apiserver.crt', 'apiserver.key'].map((name) => decode(READS.cert, name)) as [
  string,
  string,
];

let server: Server;
beforeAll(async () => {
  server = createServer({ cert, key }, (socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

type Forward = Remote['forward'];

const toServer: Forward = () => {
  const { port } = server.address() as AddressInfo;
  return dialTcp({ host: '127.0.0.1', port })(AbortSignal.timeout(1_000));
};

const refusing =
  (error: Error): Forward =>
  ({ pod }) =>
    pod === 'karmada-webhook-1' ? Promise.reject(error) : toServer({ pod, namespace: '', port: 0 });

/** A port at which nothing listens: the API server opens the port-forward, and kubelet breaks it. */
const unserved: Forward = async ({ pod, port }) => {
  const socket = await toServer({ pod, namespace: '', port });
  if (port === 2380) {
    const error = new ForwardError('forward to pod team/karmada-etcd-1', 'connection refused');
    setImmediate(() => socket.destroy(error));
  }
  return socket;
};

const remoteWith = (forward: Forward): Remote => ({
  ...{ server: 'https://host:6443', forward },
  addresses: { allowed: [], lookup: () => undefined },
});

const ended = (): Pod => ({ ...podOf('karmada-webhook', NOW), status: { phase: 'Succeeded' } });

/** What delays the start of a rotation of `ca`, or of another authority. */
async function unobserved(
  remote: Remote | undefined,
  pods: readonly Pod[],
  requested = 'ca/1',
  addresses?: AddressesOf,
): Promise<string | undefined> {
  const [authority = 'ca'] = requested.split('/') as ['ca'];
  const rotation = rotationOf({ authority });
  const facts = factsWith(undefined, {}, { [ROTATE_ANNOTATION]: requested });
  const { authorities } = factsWith(rotation);
  const host = remote === undefined ? {} : { remote };
  const checked = await checkedBeforeStart(
    { ...facts, authorities },
    { host, inputs: INPUTS, pods, ...(addresses && { addresses }) },
  );
  return checked.obstacles.unobserved;
}

const PODS = [podOf('karmada-apiserver', NOW), podOf('karmada-webhook', NOW)];
const FORBIDDEN = new ForwardError('forward to pod team/karmada-webhook-1', 'HTTP 403', 403);
const LOST = new ForwardError('forward to pod team/karmada-webhook-1', 'HTTP 500', 500);

describe('checkedBeforeStart', () => {
  it.each([
    ['every Pod presents a certificate', remoteWith(toServer), PODS],
    ['the Pods are in the management cluster', undefined, PODS],
    ['a Pod that has ended is left', remoteWith(refusing(FORBIDDEN)), [ended()]],
  ] as const)('delays nothing if %s', async (_, remote, pods) => {
    expect(await unobserved(remote, pods)).toBeUndefined();
  });

  it.each([
    [
      'HTTP 403',
      FORBIDDEN,
      'HTTP 403); apply config/remote-host/rights.yaml of this version there',
    ],
    ['HTTP 500', LOST, 'HTTP 500); check the Pod, its node and the network there'],
  ])('delays the rotation after %s, and names the remedy', async (_, error, text) => {
    const found = await unobserved(remoteWith(refusing(error)), PODS);
    expect(found).toMatch(/^Pod karmada-webhook-1: no certificate at port 8443 /);
    expect(found).toContain(text);
  });

  it('reads what the Pods send in turn with others', async () => {
    const namespaces = new Set<string>();
    const addresses: AddressesOf = (namespace) => ({
      ...{ allowed: [], lookup: () => undefined },
      inTurn: (handle) => {
        namespaces.add(namespace);
        handle();
        return Promise.resolve();
      },
    });
    expect(await unobserved(remoteWith(toServer), PODS, 'ca/1', addresses)).toBeUndefined();
    expect([...namespaces]).toEqual(['team']);
  });

  it('does not ask when no rotation would begin', async () => {
    const failing = remoteWith(() => Promise.reject(new Error('asked')));
    expect(await unobserved(failing, PODS, 'ca')).toBeUndefined();
  });

  it('looks at each port that the rotation asks', async () => {
    const found = await unobserved(remoteWith(unserved), [podOf('etcd', NOW)], 'etcd-ca/1');
    expect(found).toContain('no certificate at port 2380');
    expect(found).toContain('connection refused');
  });
});
