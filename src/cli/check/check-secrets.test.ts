import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import { createSecretPolicy } from '../../api/secrets/secret-policy.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { archive } from './check-archive.ts';
import { secrets } from './check-certificates.ts';
import type { Subject } from './subject.ts';

const notFound = new ApiError({ request: 'get', code: 404, reason: 'NotFound', message: 'none' });
const forbidden = new ApiError({ request: 'get', code: 403, reason: 'Forbidden', message: 'no' });

/** @param found the object that each read returns, or its error */
function subjectOf(spec: object, found: KubernetesObject | ApiError | undefined): Subject {
  const client: Partial<KubernetesClient> = anyClient({
    find: () => (found instanceof ApiError ? Promise.reject(found) : Promise.resolve(found)),
    get: () =>
      found === undefined || found instanceof ApiError
        ? Promise.reject(found ?? notFound)
        : Promise.resolve(found),
  });
  const clock = { wall: () => Date.now() };
  const secretPolicy = createSecretPolicy('Granted', () => []);
  return {
    client,
    tools: { client, clock, secretPolicy },
    karmada: { metadata: { name: 'demo', namespace: 'team' }, spec },
    spec: defaultSpec(spec, { defaultStorageClass: true }),
  } as unknown as Subject;
}

const object = (kind: string, data: Readonly<Record<string, string>>): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'given', namespace: 'team' },
  data: Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  ),
});

describe('secrets', () => {
  const external = { endpoints: ['https://etcd:2379'], secretRef: { name: 'etcd-client' } };
  const spec = { components: { etcd: { external } } };

  it('names a Secret of an external etcd that does not exist, or lacks a key', async () => {
    const [missing] = (await secrets(subjectOf(spec, undefined))).problems;
    expect(missing).toMatchObject({ outcome: 'failed', reason: 'EtcdSecretMissing' });
    expect(missing?.message).toMatch(/^Secret team\/etcd-client: not found; create it/);
    const [partial] = (await secrets(subjectOf(spec, object('Secret', { 'ca.crt': 'a' }))))
      .problems;
    expect(partial).toMatchObject({ outcome: 'failed', reason: 'EtcdSecretIncomplete' });
  });

  it('accepts valid credentials, and a local etcd', async () => {
    const { cert, key } = await newPair({ commonName: 'client' });
    const secret = object('Secret', { 'ca.crt': cert, 'tls.crt': cert, 'tls.key': key });
    expect((await secrets(subjectOf(spec, secret))).problems).toEqual([]);
    expect((await secrets(subjectOf({}, undefined))).problems).toEqual([]);
  });
});

describe('archive', () => {
  const spec = { crdTarball: { configMapRef: { name: 'crds' } } };

  it('names a ConfigMap that does not exist, and an archive that is none', async () => {
    const [missing] = (await archive(subjectOf(spec, undefined))).problems;
    expect(missing).toMatchObject({ outcome: 'failed', reason: 'CrdArchiveMissing' });
    const given = {
      ...object('ConfigMap', {}),
      binaryData: { 'crds.tar.gz': Buffer.from('none').toString('base64') },
    };
    const [refused] = (await archive(subjectOf(spec, given))).problems;
    expect(refused).toMatchObject({ outcome: 'failed', reason: 'CrdArchiveRefused' });
  });

  it('reads nothing of the other sources, and is skipped without the permission', async () => {
    expect((await archive(subjectOf({}, forbidden))).problems).toEqual([]);
    await expect(archive(subjectOf(spec, forbidden))).rejects.toThrow(forbidden);
  });
});
