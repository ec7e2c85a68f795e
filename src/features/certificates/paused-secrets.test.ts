import { describe, expect, it } from '@jest/globals';
import { secretOf } from '../../api/labels.ts';
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import {
  inDays,
  INPUTS,
  issuance,
  ready,
  request,
  type Ready,
} from '../../pki/fixture.test-data.ts';
import { certificateHashes } from '../../pki/hashes.ts';
import type { SecretRole } from '../../pki/types.ts';
import { decideCertificates } from './certificates.ts';

const INSTALLED = ready(await ensureCertificates(request(), issuance()));

/** The installed Secrets, with the annotation on one of them. */
const stored = (paused: SecretRole): KubernetesObject[] =>
  INSTALLED.secrets.map(({ role, name, data }) => {
    const secret = secretOf(INPUTS, name, data);
    const annotations = { [PAUSE_REPAIR]: 'true' };
    return role === paused ? { ...secret, metadata: { ...secret.metadata, annotations } } : secret;
  });

async function decided(
  secrets: readonly KubernetesObject[],
  days: number,
  inputs = INPUTS,
): Promise<Ready> {
  const client = {
    find: (_: unknown, { name }: { readonly name: string }) =>
      Promise.resolve(secrets.find(({ metadata }) => metadata.name === name)),
    list: () => Promise.resolve({ items: secrets }),
  };
  const { keys } = issuance();
  const now = inDays(days).getTime();
  const clock = { wall: () => now, monotonic: () => 0 };
  const tools = { host: { client }, clock, keys, secretPolicy: 'open', isPreview: true } as never;
  const snapshot = {
    karmada: { metadata: { name: INPUTS.name } },
    spec: {},
    host: { objects: [] },
  };
  const { result } = await decideCertificates(tools, inputs, snapshot as never as Snapshot);
  return ready(result);
}

const dataOf = ({ secrets }: Ready, role: SecretRole): unknown =>
  secrets.find((secret) => secret.role === role)?.data;

const issued = ({ plan }: Ready): readonly string[] =>
  plan.leaves.filter(({ action }) => action === 'issue').map(({ name }) => name);

describe('certificates of a paused Secret', () => {
  it.each<SecretRole>(['cert', 'scheduler-config', 'admin-config'])(
    'are not renewed while %s is paused, and all others are',
    async (role) => {
      const secrets = stored(role);
      const result = await decided(secrets, 250);
      expect(JSON.stringify(dataOf(result, role)) === JSON.stringify(dataOf(INSTALLED, role))).toBe(
        true,
      );
      expect(issued(result)).toContain('webhook-serving');
      const held = result.plan.leaves.filter(({ action }) => action === 'block');
      expect(held.length).toBeGreaterThan(0);
      for (const { message } of held)
        expect(message).toContain(
          `reissue blocked: Secret demo-karmada-${role} has the annotation ${PAUSE_REPAIR}=true`,
        );
    },
  );

  it.each<[SecretRole, readonly string[], string]>([
    ['ca-backup', [], 'not executed: Secret demo-karmada-ca-backup has the annotation'],
    ['webhook-cert', ['apiserver'], ''],
  ])('are not reissued on request while %s is paused', async (role, expected, remark) => {
    const inputs = { ...INPUTS, rotate: 'apiserver,webhook-serving/1' };
    const result = await decided(stored(role), 0, inputs);
    expect(issued(result)).toEqual(expected);
    const held = result.plan.leaves.filter(({ action }) => action === 'block');
    const messages = [...result.reissueRemarks, ...held.map(({ message }) => message)];
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(remark);
    expect(messages[0]).toContain(`${PAUSE_REPAIR}=true; remove the annotation`);
  });

  it('restart no component in each reconcile', async () => {
    const secrets = stored('estimator-client');
    const results = [await decided(secrets, 250), await decided(secrets, 250)];
    const [one, other] = results.map(({ info }) => certificateHashes(INPUTS, info));
    const { scheduler } = certificateHashes(INPUTS, INSTALLED.info);
    expect([one?.scheduler, other?.scheduler]).toEqual([scheduler, scheduler]);
  });

  it('keep the bundle of a CA that gets a successor', async () => {
    const secrets = stored('webhook-cert').map(withoutSuccessors);
    const result = await decided(secrets, 0);
    expect(result.plan.successors).toEqual([]);
    const free = secrets.map(({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, annotations: {} },
    }));
    expect((await decided(free, 0)).plan.successors).toEqual(['ca', 'etcd-ca', 'front-proxy-ca']);
  });
});

/** The Secret as that of the Go operator: each bundle has only the active CA. */
function withoutSuccessors(secret: KubernetesObject): KubernetesObject {
  const data = Object.entries(secret['data'] as Record<string, string>)
    .filter(([key]) => !key.includes('-successor'))
    .map(([key, value]) => {
      if (!/ca\.crt$/.test(key)) return [key, value];
      const [first = ''] = Buffer.from(value, 'base64')
        .toString('utf8')
        .split(/(?<=END CERTIFICATE-----\n)/);
      return [key, Buffer.from(first).toString('base64')];
    });
  return { ...secret, data: Object.fromEntries(data) };
}
