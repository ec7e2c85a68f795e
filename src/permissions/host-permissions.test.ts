import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../kubernetes/time/clock.fixture.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { ApiError, NetworkError } from '../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import { reportingForbidden } from './report-forbidden.ts';
import { HostPermissions } from './host-permissions.ts';
import { permissionText, type Permission, type Rule } from './permission.ts';
import { anyClient } from '../kubernetes/client/any-client.fixture.ts';

const LIST: Permission = { verb: 'list', group: '', resource: 'persistentvolumes' };
const PATCH: Permission = { verb: 'patch', group: '', resource: 'persistentvolumeclaims' };
const FORWARD: Permission = { verb: 'get', group: '', resource: 'pods/portforward' };
const RULE: Rule = { verbs: ['list'], apiGroups: [''], resources: ['persistentvolumes'] };
const SOON = 70_000;
const HOUR = 4_000_000;

interface World {
  rules: readonly Rule[];
  /** Access reviews that succeed although no rule matches, such as `patch pods` or `patch pods in team`. */
  allowed: string[];
  failure?: Error;
  /** The server does not evaluate reviews: it returns the object without a status. */
  isForeign?: true;
}

interface Attributes {
  readonly verb: Permission['verb'];
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

function isAllowed({ allowed }: World, given: Attributes): boolean {
  const { verb, group, resource, subresource, namespace } = given;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const text = permissionText({ verb, group, resource: full });
  return allowed.includes(text) || allowed.includes(`${text} in ${namespace}`);
}

function setUp(given: Partial<World> = {}) {
  const world: World = { rules: [RULE], allowed: [], ...given };
  const clock = manualClock();
  const asked: string[] = [];
  const create = (object: KubernetesObject): Promise<KubernetesObject> => {
    asked.push(object.kind);
    if (world.failure) return Promise.reject(world.failure);
    if (world.isForeign) return Promise.resolve(object);
    const { resourceAttributes } = object['spec'] as { resourceAttributes?: Attributes };
    const status =
      resourceAttributes === undefined
        ? { resourceRules: world.rules }
        : { allowed: isAllowed(world, resourceAttributes) };
    return Promise.resolve({ ...object, status });
  };
  const needed = [LIST, PATCH];
  const options = { client: anyClient({ create }), needed, neededInNamespaces: [FORWARD] };
  const log = memoryLog();
  const rights = new HostPermissions({ ...options, clock, random: () => 0.5, log });
  const changes: string[][] = [];
  const users = {
    namespaces: () => ['team', 'team', 'other'],
    onChange: () => changes.push([...rights.missingFor('team')]),
  };
  const look = async (afterMs = 0): Promise<number> => {
    await clock.advance(afterMs);
    asked.length = 0;
    rights.look(users);
    await settle();
    return asked.length;
  };
  return { world, rights, look, log, changes };
}

describe('HostPermissions', () => {
  it('reports missing permissions, per namespace if they are needed only there', async () => {
    const { rights, look, changes } = setUp({ allowed: ['get pods/portforward in team'] });
    expect([rights.missingFor('team'), rights.lacks('patch', PATCH.resource)]).toEqual([[], false]);
    await look();
    expect(changes).toEqual([['patch persistentvolumeclaims']]);
    expect(rights.missingFor('other')).toEqual([
      'patch persistentvolumeclaims',
      'get pods/portforward',
    ]);
    expect([rights.lacks('patch', PATCH.resource), rights.lacks('list', LIST.resource)]).toEqual([
      true,
      false,
    ]);
  });

  it('trusts the access review when the rules review is incomplete', async () => {
    const allowed = [LIST, PATCH, FORWARD].map(permissionText);
    const { rights, look, changes } = setUp({ rules: [], allowed });
    expect(await look()).toBe(5);
    expect([rights.missingFor('team'), changes]).toEqual([[], []]);
  });

  it.each<[string, readonly Rule[]]>([
    ['rules', Array.from({ length: 30_000 }, () => RULE)],
    ['values of a rule', [{ ...RULE, verbs: Array.from({ length: 30_000 }, () => 'list') }]],
  ])('trusts access reviews when there are too many %s', async (_, rules) => {
    const all: Rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    const allowed = [LIST, FORWARD].map(permissionText);
    const { rights, look } = setUp({ rules: [all, ...rules], allowed });
    expect(await look()).toBe(5);
    expect(rights.missingFor('team')).toEqual([permissionText(PATCH)]);
  });

  it('repeats the check after an hour when nothing is missing, and sooner after a forbidden call', async () => {
    const all: Rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    const { rights, look, world, changes } = setUp({ rules: [all] });
    expect(await look()).toBe(1);
    expect(await look(SOON)).toBe(0);
    world.rules = [RULE];
    expect(await look(HOUR)).toBeGreaterThan(1);
    expect(changes).toHaveLength(1);
    world.rules = [all];
    expect([await look(1_000), await look(SOON)]).toEqual([0, 1]);
    expect(changes.at(-1)).toEqual([]);
    rights.suspect();
    expect([await look(1_000), await look(SOON)]).toEqual([0, 1]);
    expect(changes).toHaveLength(2);
  });

  it('logs and reports nothing new while the same permissions are missing', async () => {
    const { look, changes, log } = setUp();
    await look();
    await look(SOON);
    expect([changes.length, log.lines.length]).toEqual([1, 1]);
  });

  it.each<[string, Partial<World>]>([
    ['fails', { failure: new NetworkError('create', 'ECONNREFUSED', 'refused') }],
    ['returns no status', { isForeign: true }],
  ])('keeps the last result when a review %s', async (_, change) => {
    const { rights, look, world, changes } = setUp(change);
    await look();
    expect([rights.missingFor('team'), changes]).toEqual([[], []]);
    delete world.failure;
    delete world.isForeign;
    await look(SOON);
    const missing = rights.missingFor('team');
    expect(missing).not.toEqual([]);
    Object.assign(world, { rules: [], ...change });
    await look(SOON);
    expect(rights.missingFor('team')).toEqual(missing);
  });
});

describe('HostPermissions of single namespaces', () => {
  const rightsOf = (
    without: readonly string[],
    rules: Readonly<Record<string, readonly Rule[]>>,
  ) => {
    const asked: string[] = [];
    const create = (object: KubernetesObject): Promise<KubernetesObject> => {
      const { namespace = '' } = object['spec'] as { namespace?: string };
      asked.push(object.kind);
      const status = { resourceRules: rules[namespace] ?? [], allowed: false };
      return Promise.resolve({ ...object, status });
    };
    const rights = new HostPermissions({
      client: anyClient({ create }),
      needed: [],
      neededInNamespaces: [PATCH, FORWARD, { ...PATCH, verb: 'list' }],
      without,
      clock: manualClock(),
      random: () => 0.5,
      log: memoryLog(),
    });
    return { rights, asked };
  };

  it('reads the rules of each namespace, and reports what is missing there', async () => {
    const all: Rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    const { rights, asked } = rightsOf(['persistentvolumes'], { team: [all] });
    rights.look({ namespaces: () => ['team', 'other'], onChange: () => undefined });
    await settle();
    expect(rights.missingFor('team')).toEqual([]);
    expect(rights.missingFor('other')).toHaveLength(3);
    expect(asked.filter((kind) => kind === 'SelfSubjectRulesReview')).toHaveLength(3);
    const lacks = (namespace: string) => rights.lacks('patch', PATCH.resource, namespace);
    expect([lacks('team'), lacks('other')]).toEqual([false, true]);
    expect(rights.lacks('list', 'persistentvolumes')).toBe(true);
  });
});

describe('reportingForbidden', () => {
  const failing = (error: Error): KubernetesClient =>
    ({ list: () => Promise.reject(error) }) as unknown as KubernetesClient;
  const failure = { request: 'list pods', reason: 'Forbidden', message: 'no' };
  const causes = [{ reason: 'NamespaceTerminating' }];

  it.each<[string, Error, number]>([
    ['triggers the callback for a forbidden call', new ApiError({ ...failure, code: 403 }), 1],
    ['ignores a missing object', new ApiError({ ...failure, code: 404 }), 0],
    [
      'ignores a call that is forbidden because the namespace is terminating',
      new ApiError({ ...failure, code: 403, details: { causes } }),
      0,
    ],
  ])('%s', async (_, error, times) => {
    let heard = 0;
    const client = reportingForbidden(failing(error), () => (heard += 1));
    await expect(client.list(resources.Pod)).rejects.toBe(error);
    expect(heard).toBe(times);
  });
});
