import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Applier } from '../../../src/kubernetes/apply/apply.ts';
import type { ApplyResult } from '../../../src/kubernetes/apply/apply-request.ts';
import { APPLIED_HASH } from '../../../src/kubernetes/objects/compare.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import {
  hashSecretValues,
  withoutManagedFields,
} from '../../../src/kubernetes/objects/cache-transform.ts';
import { describe as nameOf, keyOf, resources } from '../../../src/kubernetes/objects/resources.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, configMap, LABELS } from '../../harness/servers/apiserver-client.ts';
import { allKinds, deployment } from './samples.ts';

let api: ApiServer;
let client: KubernetesClient;

beforeAll(async () => {
  api = await startApiServer({ audit: true });
  client = adminClient(api, { userAgent: 'under-test' });
});

afterAll(async () => {
  await client.close();
  await api.stop();
});

const owns = (live: KubernetesObject): boolean =>
  live.metadata.labels?.['app.kubernetes.io/managed-by'] === 'karmada-operator';

function newApplier(): Applier {
  return new Applier({ client, fieldManager: 'karmada-operator' });
}

async function live(object: KubernetesObject): Promise<KubernetesObject> {
  return client.get(client.typeOf(object), keyOf(object));
}

/** Applies an object with a cache entry that equals the live object. */
async function apply(desired: KubernetesObject, applier = newApplier()): Promise<ApplyResult> {
  const found = await client.find(client.typeOf(desired), keyOf(desired));
  const secret = desired.kind === 'Secret';
  const clean = found === undefined ? undefined : withoutManagedFields(found);
  const cached = clean !== undefined && secret ? hashSecretValues(clean) : clean;
  const isAbsent = cached === undefined;
  return applier.apply({
    desired,
    cached,
    isAbsent,
    owns,
    ...(secret ? { reduce: hashSecretValues } : {}),
  });
}

/** Writes of this client since the start, as verb and path. */
async function writes(): Promise<string[]> {
  const log = await api.auditLog();
  return log
    .filter((entry) => entry.userAgent === 'under-test')
    .filter((entry) => !['get', 'list', 'watch'].includes(entry.verb))
    .map((entry) => `${entry.verb} ${entry.requestURI.split('?')[0]}`);
}

/** A Deployment with a changed container. */
function withContainer(name: string, change: object): KubernetesObject {
  const object = structuredClone(deployment(name)) as unknown as {
    spec: { template: { spec: { containers: object[] } } };
  };
  const spec = object.spec.template.spec;
  spec.containers = [{ ...spec.containers[0], ...change }];
  return object as unknown as KubernetesObject;
}

describe('Applier', () => {
  it('writes each object of all kinds once, and nothing in the steady state', async () => {
    const before = (await writes()).length;
    const applier = newApplier();
    const kinds = allKinds();
    const outcomes: string[] = [];
    for (const object of kinds) outcomes.push((await apply(object, applier)).outcome);
    expect(outcomes).toEqual(kinds.map(() => 'created'));
    expect((await writes()).length - before).toBe(kinds.length);
    for (const restart of [false, true]) {
      for (const object of kinds) {
        const result = await apply(object, restart ? newApplier() : applier);
        const name = nameOf(client.typeOf(object), keyOf(object));
        const drift = 'drift' in result ? result.drift : [];
        expect([name, result.outcome, drift]).toEqual([name, 'unchanged', []]);
      }
    }
    expect((await writes()).length - before).toBe(kinds.length);
  });

  it('repairs and reports drift, and keeps fields of other managers', async () => {
    const object = deployment('drift');
    await apply(object);
    await client.patch(resources.Deployment, keyOf(object), {
      metadata: { labels: { theirs: 'yes' }, annotations: { note: 'n' } },
      spec: { replicas: 3, progressDeadlineSeconds: 77 },
    });
    const result = await apply(object);
    expect(result).toMatchObject({ outcome: 'configured', drift: ['spec.replicas'] });
    expect(await live(object)).toMatchObject({
      metadata: { labels: { theirs: 'yes', ...LABELS }, annotations: { note: 'n' } },
      spec: { replicas: 1, progressDeadlineSeconds: 77 },
    });
    expect((await apply(object)).outcome).toBe('unchanged');
  });

  it('stores and returns a string unchanged when it contains special characters of YAML', async () => {
    const text = 'a\u0085b\u2028c\u2029d\ufeff\u007f\u009f\u00a0é💥\uffff\u0000\r\n\t "\\: {x}';
    const applied = await apply(configMap('characters', { text }));
    expect(applied).toMatchObject({ outcome: 'created', object: { data: { text } } });
    expect(await apply(configMap('characters', { text }))).toMatchObject({ outcome: 'unchanged' });
  });

  it('removes a field when the intent no longer contains it', async () => {
    await apply(configMap('shrink', { a: '1', b: '2' }));
    expect((await apply(configMap('shrink', { a: '1' }))).outcome).toBe('configured');
    expect((await live(configMap('shrink'))).data).toEqual({ a: '1' });
  });

  it('sets the hash annotation on the object and not on the Pod template', async () => {
    const object = deployment('template');
    await apply(object);
    const found = await live(object);
    expect(found.metadata.annotations).toHaveProperty([APPLIED_HASH]);
    expect(JSON.stringify(found.spec)).not.toContain(APPLIED_HASH);
  });

  it('returns a conflict and changes nothing when another owner has the object', async () => {
    const theirs = {
      ...configMap('foreign', { a: 'theirs' }),
      metadata: { name: 'foreign', namespace: 'default' },
    };
    const made = await client.create(theirs);
    const result = await apply(configMap('foreign', { a: 'ours' }));
    expect(result).toMatchObject({
      outcome: 'conflict',
      message: expect.stringContaining('ConfigMap default/foreign'),
    });
    expect((await live(theirs)).metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  it('creates an absent object of each kind without a read, and never changes one that exists', async () => {
    // The names of these kinds follow from their specs.
    const derived = ['CustomResourceDefinition', 'APIService'];
    for (const object of allKinds().filter(({ kind }) => !derived.includes(kind))) {
      const type = client.typeOf(object);
      const named = (name: string): KubernetesObject => ({
        ...object,
        metadata: { ...object.metadata, name },
      });
      const requests = async (name: string): Promise<readonly string[]> =>
        (await api.auditLog())
          .filter(({ userAgent }) => userAgent === 'under-test')
          .filter(({ requestURI }) =>
            new URL(requestURI, 'https://a').pathname.endsWith(`/${encodeURIComponent(name)}`),
          )
          .map(({ verb }) => verb);
      const absent = named(`absent-${object.metadata.name}`);
      const created = await newApplier().apply({ desired: absent, isAbsent: true, owns });
      expect([type.kind, created.outcome]).toEqual([type.kind, 'created']);
      expect(await requests(absent.metadata.name)).toEqual(['patch']);
      const foreign = named(`foreign-${object.metadata.name}`);
      const made = await client.create({
        ...foreign,
        metadata: { ...foreign.metadata, labels: { theirs: 'yes' } },
      });
      const applier = newApplier();
      for (const verbs of [['patch', 'get'], ['get']]) {
        const before = (await requests(foreign.metadata.name)).length;
        const result = await applier.apply({ desired: foreign, isAbsent: true, owns });
        expect([type.kind, result.outcome]).toEqual([type.kind, 'conflict']);
        expect((await requests(foreign.metadata.name)).slice(before)).toEqual(verbs);
      }
      const { metadata: left } = await live(foreign);
      expect(left.resourceVersion).toBe(made.metadata.resourceVersion);
      expect(left.managedFields).toHaveLength(1);
    }
  });

  it('changes an object that a stale cache lacks', async () => {
    await apply(configMap('unseen', { a: '1', b: '2' }));
    const desired = configMap('unseen', { a: '1' });
    const result = await newApplier().apply({ desired, isAbsent: true, owns });
    expect(result.outcome).toBe('configured');
    expect((await live(desired)).data).toEqual({ a: '1' });
  });

  it('reads the live object when the cache does not contain it', async () => {
    const object = configMap('uncached', { a: '1' });
    await apply(object);
    const { resourceVersion } = (await live(object)).metadata;
    const result = await newApplier().apply({ desired: object, owns });
    expect(result.outcome).toBe('unchanged');
    expect((await live(object)).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('does not overwrite a new object when the cache contains a deleted object of the same name', async () => {
    const object = configMap('reborn', { a: '1' });
    await apply(object);
    const cached = withoutManagedFields(await live(object));
    await client.delete(resources.ConfigMap, keyOf(object));
    await client.create({
      ...object,
      metadata: { name: 'reborn', namespace: 'default' },
      data: { a: 'theirs' },
    });
    const desired = configMap('reborn', { a: '2' });
    const result = await newApplier().apply({ desired, cached, owns });
    expect(result).toMatchObject({ outcome: 'conflict' });
    expect((await live(object)).data).toEqual({ a: 'theirs' });
    const ours = configMap('reborn-ours', { a: '1' });
    await apply(ours);
    const former = withoutManagedFields(await live(ours));
    await client.delete(resources.ConfigMap, keyOf(ours));
    await apply(ours);
    const changed = configMap('reborn-ours', { a: '2' });
    const attempt = newApplier().apply({ desired: changed, cached: former, owns });
    await expect(attempt).rejects.toMatchObject({ code: 422 });
    expect((await apply(changed)).outcome).toBe('configured');
  });

  it('changes nothing in createOnly when the object exists', async () => {
    const secret = { ...configMap('ca'), kind: 'Secret', data: { 'ca.key': 'b25l' } };
    expect((await newApplier().createOnly(secret)).outcome).toBe('created');
    const again = await newApplier().createOnly({ ...secret, data: { 'ca.key': 'dHdv' } });
    expect(again).toMatchObject({ outcome: 'conflict', object: { data: { 'ca.key': 'b25l' } } });
    expect((await live(secret)).data).toEqual({ 'ca.key': 'b25l' });
  });

  it('does not write again when the cache lags behind its own write', async () => {
    const secret = { ...configMap('behind'), kind: 'Secret', data: { a: 'MQ==' } };
    for (const [desired, change, reduce] of [
      [configMap('behind', { a: '1' }), { data: { a: '2' } }, undefined],
      [secret, { data: { a: 'Mg==' } }, hashSecretValues],
    ] as const) {
      const applier = newApplier();
      await apply(desired, applier);
      const full = withoutManagedFields(await live(desired));
      const stale = reduce === undefined ? full : reduce(full);
      const request = { desired: { ...desired, ...change }, owns, ...(reduce && { reduce }) };
      expect((await applier.apply({ ...request, cached: stale })).outcome).toBe('configured');
      const before = (await writes()).length;
      expect((await applier.apply({ ...request, cached: stale })).outcome).toBe('unchanged');
      expect((await apply(request.desired, applier)).outcome).toBe('unchanged');
      expect((await writes()).length).toBe(before);
    }
  });

  it('applies an object after createOnly, and removes fields that the intent no longer contains', async () => {
    await newApplier().createOnly(configMap('created', { a: '1', b: '2' }));
    expect((await apply(configMap('created', { a: '1' }))).outcome).toBe('configured');
    expect((await live(configMap('created'))).data).toEqual({ a: '1' });
  });

  it('does not change an object when it is being deleted', async () => {
    const object = configMap('going', { a: '1' });
    await client.create({
      ...object,
      metadata: { ...object.metadata, finalizers: ['example.io/hold'] },
    });
    await client.delete(resources.ConfigMap, keyOf(object));
    expect((await apply(configMap('going', { a: '2' }))).outcome).toBe('terminating');
    await client.patch(resources.ConfigMap, keyOf(object), { metadata: { finalizers: null } });
    expect((await apply(configMap('going', { a: '2' }))).outcome).toBe('created');
  });

  it('reads an object only after a change when the cache contains only metadata', async () => {
    const applier = newApplier();
    for (const desired of [deployment('partial'), configMap('partial', { a: '1' })]) {
      const type = client.typeOf(desired);
      const reads = async (): Promise<number> =>
        (await api.auditLog()).filter(
          (entry) => entry.verb === 'get' && entry.requestURI.endsWith(`/${type.plural}/partial`),
        ).length;
      const again = async (by = applier): Promise<[string, number]> => {
        const { items } = await client.list(type, {
          namespace: 'default',
          fieldSelector: 'metadata.name=partial',
          metadataOnly: true,
        });
        const before = await reads();
        const result = await by.apply({ desired, cached: items[0], partial: true, owns });
        return [result.outcome, (await reads()) - before];
      };
      expect(await again()).toEqual(['created', 1]);
      expect(await again()).toEqual(['unchanged', 0]);
      const change =
        desired.kind === 'ConfigMap' ? { data: { a: '2' } } : { spec: { replicas: 4 } };
      await client.patch(type, keyOf(desired), change);
      expect(await again()).toEqual(['configured', 1]);
      expect(await again()).toEqual(['unchanged', 0]);
      await client.patch(type, keyOf(desired), {
        metadata: { labels: { 'app.kubernetes.io/instance': 'x' } },
      });
      expect((await again())[0]).toBe('configured');
      const restarted = newApplier();
      expect(await again(restarted)).toEqual(['unchanged', 1]);
      expect(await again(restarted)).toEqual(['unchanged', 0]);
    }
  });

  it('names the immutable field when a change of it is rejected', async () => {
    const object = deployment('frozen');
    await apply(object);
    const selector = { matchLabels: { app: 'other' } };
    const spec = object.spec as { template: object };
    const template = { ...spec.template, metadata: { labels: { app: 'other' } } };
    const result = await apply({ ...object, spec: { ...spec, selector, template } });
    expect(result).toMatchObject({ outcome: 'immutable', fields: ['spec.selector'] });
    const binding = allKinds().find((each) => each.kind === 'RoleBinding');
    if (binding === undefined) throw new Error('no sample');
    await apply(binding);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'another' };
    expect(await apply({ ...binding, roleRef })).toMatchObject({ outcome: 'immutable' });
    const set = allKinds().find((each) => each.kind === 'StatefulSet');
    if (set === undefined) throw new Error('no sample');
    await apply(set);
    const changed = { ...set, spec: { ...(set.spec as object), serviceName: 'another' } };
    expect(await apply(changed)).toMatchObject({ outcome: 'immutable', fields: ['spec'] });
  });

  it('returns invalid with the field when the API server rejects the object', async () => {
    const object = withContainer('wrong', { livenessProbe: { periodSeconds: 5 } });
    expect(await apply(object)).toMatchObject({
      outcome: 'invalid',
      fields: ['spec.template.spec.containers[0].livenessProbe'],
    });
  });

  it('migrates managed fields of an older operator once when they were written by Update', async () => {
    const old = withContainer('adopted', {
      livenessProbe: { exec: { command: ['sh', '-c', 'x'] }, initialDelaySeconds: 15 },
      command: ['old', '--removed-flag'],
    });
    const metadata = { ...old.metadata, annotations: { 'old-note': 'x' } };
    await client.create({ ...old, metadata }, { fieldManager: 'karmada-operator' });
    const desiredState = deployment('adopted');
    expect((await apply(desiredState)).outcome).toBe('configured');
    const found = await live(desiredState);
    expect(found.metadata.annotations).not.toHaveProperty('old-note');
    const managers = (found.metadata.managedFields ?? []) as {
      manager: string;
      operation: string;
    }[];
    expect(managers.map((entry) => `${entry.manager} ${entry.operation}`)).toEqual([
      'karmada-operator Apply',
    ]);
    expect(JSON.stringify(found.spec)).not.toContain('exec');
    const before = (await writes()).length;
    expect((await apply(desiredState)).outcome).toBe('unchanged');
    expect((await writes()).length).toBe(before);
  });

  it('writes a value once when the API server normalizes it', async () => {
    const object = withContainer('normal', { resources: { requests: { cpu: '0.10' } } });
    const quirk = {
      ...configMap('quirk'),
      kind: 'Service',
      data: undefined,
      spec: { type: 'ExternalName', externalName: 'a.b', sessionAffinity: 'None', ports: [] },
    };
    for (const each of [object, quirk]) {
      const applier = newApplier();
      await apply(each, applier);
      const before = (await writes()).length;
      expect((await apply(each, applier)).outcome).toBe('unchanged');
      expect((await writes()).length).toBe(before);
    }
  });
});
