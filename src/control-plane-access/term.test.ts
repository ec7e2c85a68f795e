import { describe, expect, it } from '@jest/globals';
import { openRemoteHost } from '../host-clusters/remote-host.ts';
import { DEFAULT_ADDRESSES } from '../kubernetes/connection/addresses.ts';
import { addressesOf, NameResolver } from '../kubernetes/connection/name-resolver.ts';
import { manualClock, memoryLog } from '../kubernetes/time/clock.fixture.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import { LeaderTerm, TermEndedError, type Term } from '../kubernetes/time/term.ts';
import { connectMember } from '../member-clusters/member-api.ts';
import { ControlPlaneClient } from './control-plane-client.ts';

const addresses = addressesOf(DEFAULT_ADDRESSES, new NameResolver())('team');

/** No server listens at this address, so a request that is sent fails with another error. */
const server = 'https://127.0.0.1:1';

const tools = (term: Term) => ({
  clock: manualClock(),
  random: () => 0.5,
  log: memoryLog(),
  userAgent: 'test',
  term,
  onChange: () => undefined,
  addresses,
});

const credentials = { server, ca: '', certificate: '', key: '' };

describe('leader term', () => {
  it.each<[string, (term: Term) => KubernetesClient]>([
    ['host cluster', (term) => openRemoteHost({ server }, tools(term)).client],
    ['control plane', (term) => new ControlPlaneClient(credentials, tools(term)).client],
    [
      'member cluster',
      (term) =>
        connectMember({ clock: manualClock(), addresses, term })({
          server,
          credentials: () => Promise.resolve({ headers: {} }),
        }),
    ],
  ])('cancels calls of the client of a %s when the lease is lost', async (_, open) => {
    const term = new LeaderTerm(manualClock());
    const client = open(term);
    term.end(new TermEndedError('the lease is lost'));
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'any' } };
    await expect(client.create(object)).rejects.toThrow('the lease is lost');
    await expect(client.list(resources.Namespace)).rejects.toThrow('the lease is lost');
    await expect(client.raw('/version')).rejects.toThrow('the lease is lost');
    await client.close();
  });
});
