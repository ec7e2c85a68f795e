import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import type { ListPage } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { compareMember, type CompareTools } from './compare-member.ts';

const verbs = ['get', 'list'];
const CONFIG_MAP = { name: 'configmaps', kind: 'ConfigMap', namespaced: true, verbs };
const CORE = { resources: [CONFIG_MAP] };

const page = (items: readonly KubernetesObject[], next?: string): ListPage => ({
  resourceVersion: '1',
  items,
  ...(next !== undefined && { continue: next }),
});

const orphan = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: 'd',
    labels: { 'karmada.io/managed': 'true' },
    annotations: { 'work.karmada.io/namespace': 'karmada-es-m' },
  },
});

/** A member cluster with discovery documents and lists of its own, and the largest number of its requests at once. */
function scene(documents: Readonly<Record<string, unknown>>, lists: Partial<CompareTools> = {}) {
  const seen = { now: 0, most: 0 };
  const raw = async (path: string): Promise<{ status: number; body: string }> => {
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await new Promise((resolve) => setImmediate(resolve));
    seen.now -= 1;
    const found = documents[path] ?? { resources: [] };
    return { status: 200, body: JSON.stringify(found) };
  };
  const none = anyClient({ listPage: () => Promise.resolve(page([])) });
  const member = { ...none, raw, ...anyClient({ find: () => Promise.resolve(undefined) }) };
  return { seen, tools: { controlPlane: none, member, ...lists } };
}

const groups = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    preferredVersion: { groupVersion: `g${String(index)}/v1` },
  }));

describe('compareMember', () => {
  it('reads few discovery documents at once, and not those of endlessly many API groups', async () => {
    const some = scene({ '/apis': { groups: groups(400) } });
    expect(await compareMember('m', some.tools)).toHaveProperty('counts');
    expect(some.seen.most).toBe(8);
    const many = scene({ '/apis': { groups: groups(501) } });
    const problem = 'it has more than 500 API versions';
    expect(await compareMember('m', many.tools)).toEqual({ problem });
    expect(many.seen.most).toBe(1);
  });

  it('keeps no more kinds of an API version than a member cluster has', async () => {
    const resources = Array.from({ length: 1_001 }, () => CONFIG_MAP);
    const { tools } = scene({ '/apis': {}, '/api/v1': { resources } });
    const problem = 'it has more than 1000 kinds of one API version';
    expect(await compareMember('m', tools)).toEqual({ problem });
  });

  it.each([
    [
      'objects',
      [orphan('x'.repeat(1_000_000))],
      'it has too many objects: a comparison keeps at most 32 MiB',
    ],
    ['empty pages', [], 'the list has more than 2000 pages'],
  ])('ends a list of endless %s', async (_, items, expected) => {
    const { tools } = scene({ '/apis': {}, '/api/v1': CORE });
    const pages = anyClient({ listPage: () => Promise.resolve(page(items, 'more')) });
    const member = { ...tools.member, ...pages };
    const found = await compareMember('m', { ...tools, member });
    expect(found).toEqual({ problem: expect.stringContaining(expected) as unknown });
  });

  const workOf = (manifests: readonly KubernetesObject[]): KubernetesObject => ({
    apiVersion: 'work.karmada.io/v1alpha1',
    kind: 'Work',
    metadata: { name: 'w' },
    spec: { workload: { manifests } },
  });
  const manifest = (name: string, kind = 'ConfigMap'): KubernetesObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 'd' },
  });
  /** A control plane with one page of Works. */
  const planeOf = (manifests: readonly KubernetesObject[], next?: string) =>
    anyClient({ listPage: () => Promise.resolve(page([workOf(manifests)], next)) });

  it('ends a list of endless Works', async () => {
    const controlPlane = planeOf([manifest('x'.repeat(1e6))], 'more');
    const { tools } = scene({ '/apis': {}, '/api/v1': CORE }, { controlPlane });
    expect(await compareMember('m', tools)).toHaveProperty('problem', expect.stringMatching(/32/));
  });

  it('reads no object of a page whose names alone are too long', async () => {
    const controlPlane = planeOf(Array.from({ length: 40 }, () => manifest('x'.repeat(1e6))));
    const { tools } = scene({ '/apis': {}, '/api/v1': CORE }, { controlPlane });
    let reads = 0;
    const find = () => {
      reads += 1;
      return Promise.resolve(undefined);
    };
    const found = await compareMember('m', { ...tools, member: { ...tools.member, find } });
    expect(found).toHaveProperty('problem', expect.stringMatching(/32/));
    expect(reads).toBe(0);
  });

  /** Compares, and counts the turns of other work meanwhile. */
  async function turnsOf(tools: CompareTools) {
    let turns = 0;
    let timer: NodeJS.Immediate | undefined;
    const turn = (): void => {
      turns += 1;
      timer = setImmediate(turn);
    };
    turn();
    const found = await compareMember('m', tools);
    clearImmediate(timer);
    return { found, turns };
  }

  it.each([
    ['manifests of kinds that the member cluster does not serve', 'blocked', 1],
    ['objects that no Work contains', 'orphaned', 0],
  ])('compares 130,000 %s of one page, and other work goes on', async (_, effect, isOfWork) => {
    const names = Array.from({ length: 130_000 }, (_, index) => `n${index}`);
    const controlPlane = planeOf(isOfWork ? names.map((name) => manifest(name, 'Missing')) : []);
    const { tools } = scene({ '/apis': {}, '/api/v1': CORE }, { controlPlane });
    const objects = page(isOfWork ? [] : names.map((name) => orphan(name)));
    const pages = anyClient({ listPage: () => Promise.resolve(objects) });
    const { found, turns } = await turnsOf({ ...tools, member: { ...tools.member, ...pages } });
    expect(found).toHaveProperty(['counts', effect], 130_000);
    expect(turns).toBeGreaterThan(130_000 / 500);
  });
});
