import { describe, expect, it } from '@jest/globals';
import { secretOf } from '../../api/labels.ts';
import { API_VERSION, KIND, type Karmada } from '../../api/karmada.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import {
  inDays,
  INPUTS,
  issuance,
  ready,
  readsOf,
  request,
  type Ready,
} from '../../pki/fixture.test-data.ts';
import { readCertificates, readReissueState } from './read-certificates.ts';

const KARMADA: Karmada = {
  apiVersion: API_VERSION,
  kind: KIND,
  metadata: { name: INPUTS.name, namespace: INPUTS.namespace },
  spec: {},
};

const INSTALLED = ready(await ensureCertificates(request(), issuance()));

/** The control plane after a request, a day after the installation. */
const afterRequest = async (rotate: string): Promise<Ready> => {
  const inputs = { ...INPUTS, rotate };
  const reads = readsOf(INSTALLED);
  return ready(
    await ensureCertificates(request({ inputs, reads, isPreview: true }), issuance(inDays(1))),
  );
};

/** @param former Secrets that are as they were before the request */
const clientOf = ({ secrets }: Ready, ...former: string[]) => {
  const stored = new Map(
    secrets.map(({ role, name, data }) => {
      const before = INSTALLED.secrets.find((secret) => secret.role === role)?.data ?? data;
      return [name, secretOf(INPUTS, name, former.includes(role) ? before : data)];
    }),
  );
  const find = (_: unknown, { name }: { readonly name: string }) =>
    Promise.resolve(stored.get(name));
  return { find } as never;
};

describe('readCertificates', () => {
  it('says when each certificate was issued, and for which request', async () => {
    const rows = await readCertificates(clientOf(await afterRequest('apiserver/1')), KARMADA);
    const row = (name: string) => rows.find((one) => one.name === name);
    expect(row('apiserver')).toMatchObject({
      issuedTime: '2026-11-22T12:00:00.000Z',
      reissueRequest: 'apiserver/1',
    });
    expect(row('etcd-server')).toMatchObject({ issuedTime: '2026-11-21T12:00:00.000Z' });
    expect(row('etcd-server')).not.toHaveProperty('reissueRequest');
    expect(row('ca')).toMatchObject({ isCA: true, issuedTime: '2026-11-21T12:00:00.000Z' });
  });

  const certificates = { rotation: { authorities: 'Automatic' } } as const;
  const apiServerCACert = { name: 'custom', namespace: INPUTS.namespace };

  it.each<[string, Karmada['spec'], string[]]>([
    ['no CA by default', {}, []],
    ['CAs that rotate without a request', { certificates }, ['ca', 'etcd-ca', 'front-proxy-ca']],
    [
      'no custom CA, which its user replaces',
      { certificates, customCertificate: { apiServerCACert } },
      ['etcd-ca', 'front-proxy-ca'],
    ],
  ])('says that the operator renews all leaves, and %s', async (_, spec, expected) => {
    const rows = await readCertificates(clientOf(INSTALLED), { ...KARMADA, spec });
    const leaves = rows.filter(({ isCA }) => !isCA);
    expect(leaves.every(({ renewal }) => renewal === 'automatic')).toBe(true);
    const authorities = rows.filter(({ isCA, renewal }) => isCA && renewal === 'automatic');
    expect(authorities.map(({ name }) => name).sort()).toEqual(expected);
  });
});

describe('readReissueState', () => {
  it('returns what a request still waits for', async () => {
    const after = await afterRequest('apiserver,webhook-serving/1');
    const value = 'apiserver,webhook-serving/1';
    expect(await readReissueState(clientOf(INSTALLED), KARMADA, value)).toEqual({
      isAccepted: false,
      waiting: [],
    });
    expect(await readReissueState(clientOf(after, 'webhook-cert'), KARMADA, value)).toEqual({
      isAccepted: true,
      waiting: ['webhook-serving'],
    });
    expect(await readReissueState(clientOf(after), KARMADA, value)).toEqual({
      isAccepted: true,
      waiting: [],
    });
  });
});
