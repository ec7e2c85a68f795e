import { describe, expect, it } from '@jest/globals';
import { GROUP_GRANTS, IDENTITIES } from '../../../src/controlplane/rbac-rules.ts';
import { permissionText, reviewsOfGrant } from '../../../src/features/identities/access-reviews.ts';
import {
  auditReport,
  componentRequest,
  forbiddenIn,
  requestKey,
  unreviewedIn,
  unusedPermissions,
  type ComponentRequest,
} from './component-requests.ts';
import { UNUSED_BY_DESIGN } from './unused-by-design.ts';

/** A line as kube-apiserver v1.35.4 writes it at the level Metadata. */
const line = (user: string, event: object, decision = 'allow'): string =>
  JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: '6c7a5d9e-6c33-4d3c-9f25-5a1f0d0c8a11',
    stage: 'ResponseComplete',
    requestURI: '/apis/work.karmada.io/v1alpha2/resourcebindings?limit=500',
    verb: 'list',
    user: { username: user, groups: ['system:karmada:components', 'system:authenticated'] },
    sourceIPs: ['10.1.0.12'],
    userAgent: 'karmada-scheduler/v1.18.2 (linux/amd64) karmada/abc',
    objectRef: {
      resource: 'resourcebindings',
      apiGroup: 'work.karmada.io',
      apiVersion: 'v1alpha2',
    },
    responseStatus: { metadata: {}, code: decision === 'allow' ? 200 : 403 },
    requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
    stageTimestamp: '2026-01-01T00:00:00.004000Z',
    annotations: {
      'authorization.k8s.io/decision': decision,
      'authorization.k8s.io/reason': decision === 'allow' ? 'RBAC: allowed by x' : '',
    },
    ...event,
  });

const SCHEDULER = 'system:karmada:scheduler';
const SERVICE = {
  objectRef: { resource: 'services', namespace: 'a', name: 'b', apiVersion: 'v1' },
  verb: 'get',
};
const LEASE = {
  objectRef: {
    resource: 'leases',
    namespace: 'karmada-system',
    name: 'karmada-scheduler',
    apiGroup: 'coordination.k8s.io',
  },
  verb: 'update',
};

const requests = (...lines: readonly string[]): readonly ComponentRequest[] =>
  lines.flatMap((one) => componentRequest(one) ?? []);

const unused = (
  given: readonly ComponentRequest[],
  components: readonly string[],
): readonly string[] =>
  unusedPermissions(given, components)
    .filter(({ component }) => component !== 'all')
    .map(({ component, permission }) => `${component}: ${permission}`);

describe('componentRequest', () => {
  it('reads what a component has asked for', () => {
    expect(componentRequest(line(SCHEDULER, LEASE))).toMatchObject({
      component: 'scheduler',
      isForbidden: false,
      asked: {
        resourceAttributes: {
          group: 'coordination.k8s.io',
          resource: 'leases',
          verb: 'update',
          namespace: 'karmada-system',
          name: 'karmada-scheduler',
        },
      },
    });
  });

  it('reads a path without its query', () => {
    const event = { objectRef: undefined, requestURI: '/apis?timeout=32s', verb: 'get' };
    expect(componentRequest(line(SCHEDULER, event))?.asked).toEqual({
      nonResourceAttributes: { path: '/apis', verb: 'get' },
    });
  });

  it.each([
    ['another user', line('system:admin', {})],
    [
      'a component in system:masters',
      line(SCHEDULER, { user: { username: SCHEDULER, groups: ['system:masters'] } }),
    ],
    ['an event without a decision', line(SCHEDULER, { annotations: {} })],
    ['the log of the API server', 'I0101 00:00:00.000000       1 main.go:1] starting'],
    ['an incomplete line', line(SCHEDULER, {}).slice(0, 100)],
    ['an empty line', ''],
  ])('ignores %s', (_, text) => {
    expect(componentRequest(text)).toBeUndefined();
  });
});

it('forbiddenIn names each forbidden request with its number', () => {
  const denied = line(SCHEDULER, SERVICE, 'forbid');
  expect(forbiddenIn(requests(denied, denied, line(SCHEDULER, LEASE)))).toEqual([
    '2 scheduler: get services b in a',
  ]);
});

describe('unusedPermissions', () => {
  const all = unused([], ['scheduler']);

  it('contains all permissions of a component without requests', () => {
    expect(all).toContain('scheduler: get services');
    expect(all).toContain('scheduler: update leases.coordination.k8s.io in karmada-system');
    expect(all.every((text) => text.startsWith('scheduler: '))).toBe(true);
  });

  it.each([
    ['a resource', line(SCHEDULER, SERVICE), 'get services'],
    ['a resource of a group', line(SCHEDULER, {}), 'list resourcebindings.work.karmada.io'],
    ['a namespace', line(SCHEDULER, LEASE), 'update leases.coordination.k8s.io in karmada-system'],
    [
      'a subresource',
      line(SCHEDULER, {
        verb: 'patch',
        objectRef: {
          resource: 'resourcebindings',
          subresource: 'status',
          apiGroup: 'work.karmada.io',
          name: 'a',
          namespace: 'b',
        },
      }),
      'patch resourcebindings/status.work.karmada.io',
    ],
  ])('contains no used permission of %s', (_, text, permission) => {
    expect(all.filter((one) => !unused(requests(text), ['scheduler']).includes(one))).toEqual([
      `scheduler: ${permission}`,
    ]);
  });

  it('counts no request of another component', () => {
    expect(unused(requests(line('system:karmada:descheduler', SERVICE)), ['scheduler'])).toEqual(
      all,
    );
  });

  it('contains the reason of a list that a watch has replaced', () => {
    const watch = line(SCHEDULER, { verb: 'watch' });
    expect(unusedPermissions(requests(watch), ['scheduler'])).toContainEqual({
      component: 'scheduler',
      permission: 'list resourcebindings.work.karmada.io',
      reviewed: expect.stringContaining('reflector.go'),
    });
  });

  it('contains the reason of reviewed ones', () => {
    const found = unusedPermissions([], ['scheduler']);
    expect(found).toContainEqual({
      component: 'scheduler',
      permission: 'get services',
      reviewed: 'only with estimators: pkg/estimator/client/service.go',
    });
    expect(
      found.find(({ permission }) => permission === 'list resourcebindings.work.karmada.io'),
    ).not.toHaveProperty('reviewed');
  });
});

it('UNUSED_BY_DESIGN names only permissions that a role has', () => {
  const granted = new Set(
    [...IDENTITIES, { suffix: 'all', grants: GROUP_GRANTS }].flatMap(({ suffix, grants }) =>
      grants
        .flatMap(reviewsOfGrant)
        .flatMap((one) => [`${suffix} ${permissionText(one)}`, `all ${permissionText(one)}`]),
    ),
  );
  const stale = UNUSED_BY_DESIGN.filter(
    ({ component, permission }) => !granted.has(`${component} ${permission}`),
  );
  expect(stale).toEqual([]);
});

it('auditReport names what is forbidden, and what is not reviewed', () => {
  const given = requests(line(SCHEDULER, SERVICE, 'forbid'));
  const report = auditReport(given, unusedPermissions(given, ['scheduler']));
  expect(report).toContain('Forbidden\n1 scheduler: get services b in a\n');
  expect(report).toContain('scheduler: list clusters.cluster.karmada.io: NOT REVIEWED');
  expect(report).toContain('scheduler: patch events: only for repeated Events');
});

it('unreviewedIn names what no request has used and nobody has reviewed', () => {
  const found = unreviewedIn(unusedPermissions(requests(line(SCHEDULER, LEASE)), ['scheduler']));
  expect(found).toContain('scheduler: list clusters.cluster.karmada.io');
  expect(found).not.toContain('scheduler: update leases.coordination.k8s.io in karmada-system');
  expect(found).not.toContain('scheduler: get services');
});

describe('requestKey', () => {
  const key = (auditID: string, name: string, event: object, decision: string): string => {
    const objectRef = { ...SERVICE.objectRef, name };
    const text = line(SCHEDULER, { ...SERVICE, objectRef, auditID, ...event }, decision);
    return requests(text).map(requestKey).join();
  };

  it.each([
    ['is equal for requests of different objects', {}, 'allow', true],
    ['differs by verb', { verb: 'watch' }, 'allow', false],
    ['differs for each forbidden request', {}, 'forbid', false],
  ])('%s', (_, other, decision, isEqual) => {
    expect(key('1', 'b', {}, decision) === key('2', 'c', other, decision)).toBe(isEqual);
  });
});
