import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Applier, type ApplyResult } from '../../../src/kubernetes/apply.ts';
import { APPLIED_HASH } from '../../../src/kubernetes/compare.ts';
import type { KubernetesClient } from '../../../src/kubernetes/contract.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { reduceSecret, withoutManagedFields } from '../../../src/kubernetes/reduce.ts';
import { describe as nameOf, keyOf, resources } from '../../../src/kubernetes/resources.ts';
import { startApiServer, type ApiServer } from '../apiserver.ts';
import { adminClient, configMap, LABELS } from './fixture.ts';
import { allKinds, deployment } from './samples.ts';

let api: ApiServer;
let client: KubernetesClient;

beforeAll(async () => {
  api = await startApiServer({ audit: true });
  client = adminClient(api, { userAgent: 'under-test' });
}, 90_000);

afterAll(async () => {
  await client.close();
  await api.stop();
}, 30_000);

const owns = (live: KubernetesObject): boolean =>
  live.metadata.labels?.['app.kubernetes.io/managed-by'] === 'karmada-operator';

function newApplier(): Applier {
  return new Applier({ client, fieldManager: 'karmada-operator', adoptManagers: ['old-operator'] });
}

async function live(object: KubernetesObject): Promise<KubernetesObject> {
  return client.get(client.typeOf(object), keyOf(object));
}

/** Applies against what a cache would hold at this moment. */
async function apply(desired: KubernetesObject, applier = newApplier()): Promise<ApplyResult> {
  const found = await client.find(client.typeOf(desired), keyOf(desired));
  const secret = desired.kind === 'Secret';
  const clean = found === undefined ? undefined : withoutManagedFields(found);
  const cached = clean !== undefined && secret ? reduceSecret(clean) : clean;
  return applier.apply({ desired, cached, owns, ...(secret ? { reduce: reduceSecret } : {}) });
}

/** Writes by this client since the start, as method and path. */
async function writes(): Promise<string[]> {
  const log = await api.auditLog();
  return log
    .filter((entry) => entry.userAgent === 'under-test')
    .filter((entry) => !['get', 'list', 'watch'].includes(entry.verb))
    .map((entry) => `${entry.verb} ${entry.requestURI.split('?')[0]}`);
}

/** A deployment with its container changed. */
function withContainer(name: string, change: object): KubernetesObject {
  const object = structuredClone(deployment(name)) as unknown as {
    spec: { template: { spec: { containers: object[] } } };
  };
  const spec = object.spec.template.spec;
  spec.containers = [{ ...spec.containers[0], ...change }];
  return object as unknown as KubernetesObject;
}

describe('apply', () => {
  it('one write per object, and none at rest, over all kinds', async () => {
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

  it('drift is repaired and named, the fields of others survive', async () => {
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

  it('a text comes back as it was, whatever YAML makes of its characters', async () => {
    const text = 'a\u0085b\u2028c\u2029d\ufeff\u007f\u009f\u00a0é💥\uffff\u0000\r\n\t "\\: {x}';
    const applied = await apply(configMap('characters', { text }));
    expect(applied).toMatchObject({ outcome: 'created', object: { data: { text } } });
    expect(await apply(configMap('characters', { text }))).toMatchObject({ outcome: 'unchanged' });
  });

  it('a field that the intent no longer has goes', async () => {
    await apply(configMap('shrink', { a: '1', b: '2' }));
    expect((await apply(configMap('shrink', { a: '1' }))).outcome).toBe('configured');
    expect((await live(configMap('shrink'))).data).toEqual({ a: '1' });
  });

  it('the hash stands on the object, never on its pod template', async () => {
    const object = deployment('template');
    await apply(object);
    const found = await live(object);
    expect(found.metadata.annotations).toHaveProperty([APPLIED_HASH]);
    expect(JSON.stringify(found.spec)).not.toContain(APPLIED_HASH);
  });

  it('a foreign object is a conflict and stays as it is', async () => {
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

  it('not in the cache does not mean not there', async () => {
    const object = configMap('uncached', { a: '1' });
    await apply(object);
    const { resourceVersion } = (await live(object)).metadata;
    const result = await newApplier().apply({ desired: object, owns });
    expect(result.outcome).toBe('unchanged');
    expect((await live(object)).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('a cache that shows a former object of the same name does not overwrite the new one', async () => {
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

  it('create only never changes what is there', async () => {
    const secret = { ...configMap('ca'), kind: 'Secret', data: { 'ca.key': 'b25l' } };
    expect((await newApplier().createOnly(secret)).outcome).toBe('created');
    const again = await newApplier().createOnly({ ...secret, data: { 'ca.key': 'dHdv' } });
    expect(again).toMatchObject({ outcome: 'conflict', object: { data: { 'ca.key': 'b25l' } } });
    expect((await live(secret)).data).toEqual({ 'ca.key': 'b25l' });
  });

  it('a cache that is behind our own write causes no second one', async () => {
    const secret = { ...configMap('behind'), kind: 'Secret', data: { a: 'MQ==' } };
    for (const [desired, change, reduce] of [
      [configMap('behind', { a: '1' }), { data: { a: '2' } }, undefined],
      [secret, { data: { a: 'Mg==' } }, reduceSecret],
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

  it('what is made by create only can be applied later, and loses what is then left out', async () => {
    await newApplier().createOnly(configMap('created', { a: '1', b: '2' }));
    expect((await apply(configMap('created', { a: '1' }))).outcome).toBe('configured');
    expect((await live(configMap('created'))).data).toEqual({ a: '1' });
  });

  it('an object that is being deleted is left alone', async () => {
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

  it('with metadata alone in the cache, the object is read only when it has changed', async () => {
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

  it('an immutable field is named', async () => {
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

  it('a wrong object is invalid, with its field', async () => {
    const object = withContainer('wrong', { livenessProbe: { periodSeconds: 5 } });
    expect(await apply(object)).toMatchObject({
      outcome: 'invalid',
      fields: ['spec.template.spec.containers[0].livenessProbe'],
    });
  });

  it('fields that an older operator owned by Update are taken over once', async () => {
    const old = withContainer('adopted', {
      livenessProbe: { exec: { command: ['sh', '-c', 'x'] }, initialDelaySeconds: 15 },
      command: ['old', '--removed-flag'],
    });
    const metadata = { ...old.metadata, annotations: { 'old-note': 'x' } };
    await client.create({ ...old, metadata }, { fieldManager: 'old-operator' });
    const wish = deployment('adopted');
    expect((await apply(wish)).outcome).toBe('configured');
    const found = await live(wish);
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
    expect((await apply(wish)).outcome).toBe('unchanged');
    expect((await writes()).length).toBe(before);
  });

  it('a change that the API server normalises is written once, not for ever', async () => {
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
