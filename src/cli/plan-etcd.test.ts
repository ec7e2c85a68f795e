import { randomBytes } from 'node:crypto';
import { anyClient } from '../kubernetes/client/any-client.fixture.ts';
import { expect, it } from '@jest/globals';
import { defaultSpec } from '../api/defaults/defaults.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import { createSecretPolicy } from '../api/secrets/secret-policy.ts';
import { manualClock } from '../kubernetes/time/clock.fixture.ts';
import { makeKey } from '../pki/keys.ts';
import { selfSigned } from '../pki/x509.ts';
import { newDataProblem } from '../features/external-etcd/external-data.ts';
import { plannedEtcd } from './plan-etcd.ts';

/** The etcd of a Karmada as a plan sees it. */
async function plannedWith(status: KarmadaStatus) {
  const clock = manualClock();
  const request = { now: new Date(clock.wall()), random: randomBytes };
  const pair = await selfSigned('CA', await makeKey('ec-p256'), request);
  const files = { 'ca.crt': pair.certificate, 'tls.crt': pair.certificate, 'tls.key': pair.key };
  const data = Object.fromEntries(
    Object.entries(files).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  const metadata = { name: 'etcd', namespace: 'team' };
  const client = {
    find: () => Promise.resolve({ apiVersion: 'v1', kind: 'Secret', metadata, data }),
  };
  const external = { endpoints: ['https://a:2379'], secretRef: { name: 'etcd' } };
  const karmada: Karmada = {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    status,
    metadata: { name: 'demo', namespace: 'team' },
    spec: { components: { etcd: { external } } },
  };
  const spec = defaultSpec(karmada.spec, { defaultStorageClass: false });
  const secretPolicy = createSecretPolicy('Granted', () => []);
  const externalEtcd = await plannedEtcd(
    { client: anyClient(client), clock, secretPolicy },
    { karmada, spec },
  );
  return { karmada, ...(externalEtcd && { externalEtcd }) };
}

it.each<[string, KarmadaStatus]>([
  ['without data for a new control plane', {}],
  ['with the data of the control plane that the status records', { etcdDataUID: 'own' }],
])('a plan assumes an external etcd %s', async (_, status) => {
  const seen = await plannedWith(status);
  expect(seen.externalEtcd?.check?.outcome).toBe('served');
  expect(newDataProblem(seen)).toBeUndefined();
});
