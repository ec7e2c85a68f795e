import { describe, expect, it } from '@jest/globals';
import type { StatusInput } from '../../actions/feature.ts';
import { decidedIdentity } from '../../api/identities.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { COMPONENTS } from '../../components/registry.ts';
import { isWorkload } from '../../components/workload.ts';
import { karmadaOf, NOW, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import type { ClientComponent, IdentityKind } from '../../pki/types.ts';
import type { ReviewResult } from '../../instance/identity-reviews.ts';
import { PROVED_AFTER } from './decide-identities.ts';
import { identities } from './feature.ts';
import { dueReview } from './round.ts';

const STEPS = COMPONENTS.map(({ name }) => name);
const WISH = wishOf();
const INSTALLED: readonly ClientComponent[] = [
  'scheduler',
  'webhook',
  'aggregated-apiserver',
  'kube-controller-manager',
  'controller-manager',
];

interface Given {
  /** Absent if null. */
  readonly annotation?: string | null;
  readonly lacked?: readonly string[];
  /** Whether the Pods of components are still those of the Go operator, which mount another Secret. */
  readonly isAdopting?: true;
  readonly imageTag?: string;
  readonly isReady?: boolean;
  readonly before?: KarmadaStatus;
  readonly identity?: Readonly<Partial<Record<ClientComponent, IdentityKind>>>;
  readonly reviews?: readonly (readonly [ClientComponent, ReviewResult])[];
  readonly down?: string;
  /** Step of a component whose former Pods serve while its workload changes. */
  readonly rolling?: string;
  readonly progress?: StatusInput['progress'];
  readonly now?: number;
}

const viewOf = (identity: Given['identity']): CertificatesView => ({
  ...VIEW,
  identities: {
    ...Object.fromEntries(INSTALLED.map((name) => [name, 'masters'])),
    ...identity,
  },
});

/** Workloads that mount nothing. */
const withoutSecrets = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  host: {
    ...snapshot.host,
    objects: snapshot.host.objects.map((object) => {
      if (!isWorkload(object)) return object;
      const { template } = object.spec;
      const pod = { ...template.spec, volumes: [] };
      return { ...object, spec: { ...object.spec, template: { ...template, spec: pod } } };
    }),
  },
});

const READY: KarmadaStatus = {
  conditions: [
    { type: 'Ready', status: 'True', reason: 'Completed', message: '', lastTransitionTime: '' },
  ],
};

function inputOf(given: Given): StatusInput {
  const { annotation = null, imageTag = '', isReady = true, now = NOW, down, rolling } = given;
  const karmada = karmadaOf({ components: { karmadaAPIServer: { imageTag } } });
  const annotations: Readonly<Record<string, string>> =
    annotation === null ? {} : { 'operator.karmada.io/component-identities': annotation };
  const before = { ...READY, ...given.before };
  const reviews = given.reviews?.map(([name, result]) => [name, { result, at: now }] as const);
  const snapshot = snapshotOf(WISH, STEPS, {
    karmada: { ...karmada, metadata: { ...karmada.metadata, annotations }, status: before },
    now,
    identityReviews: new Map(reviews),
    ...(given.lacked && { lackedPermissions: given.lacked }),
  });
  const states = STEPS.map((name) => [
    name,
    {
      state: [down, rolling].includes(name) ? 'progressing' : 'complete',
      message: '',
      serves: name !== down,
    },
  ]);
  return {
    snapshot: given.isAdopting ? withoutSecrets(snapshot) : snapshot,
    view: viewOf(given.identity),
    before,
    isReady,
    unfinished: [],
    rollout: { turn: 'go' },
    states: new Map(states as never),
    ...(given.progress && { progress: given.progress }),
  } as unknown as StatusInput;
}

const statusOf = (given: Given): KarmadaStatus['componentIdentities'] =>
  identities.report(inputOf(given)).fields.componentIdentities;

const messageOf = (given: Given): string | undefined =>
  identities
    .report(inputOf(given))
    .conditions.map(({ reason, message }) => `${reason}: ${message}`)[0];

const due = (given: Given): string | undefined => {
  const { snapshot, view, before } = inputOf(given);
  return dueReview({ snapshot, before, ...(view && { view }) } as never);
};

const SINCE = '2026-01-01T00:00:00Z';
const allowed = [['scheduler', 'allowed']] as const;
const DENIED = { denied: 'get services' };
const tried = { componentIdentities: { trial: { component: 'scheduler', since: SINCE } } };
const own = { scheduler: 'own' } as const;

describe('identities of a running control plane', () => {
  it.each<[string, Given]>([
    ['its user holds it', { annotation: 'Keep', reviews: allowed, before: tried }],
    ['the annotation has another value', { annotation: 'own', reviews: allowed, before: tried }],
    ['its user leaves the feature', { annotation: 'Masters', reviews: allowed, before: tried }],
    ['Kubernetes is too old', { imageTag: 'v1.29.9', reviews: allowed }],
    ['nothing was reviewed', {}],
    ['its Pods are still those of the Go operator', { isAdopting: true, reviews: allowed }],
    ['it is not ready', { isReady: false, reviews: allowed }],
    [
      'all components have left the group',
      { identity: Object.fromEntries(INSTALLED.map((name) => [name, 'own'])) },
    ],
  ])('stay as they are when %s', (_, given) => {
    expect(statusOf(given)).toBeUndefined();
  });

  it.each([null, 'Own'])('are recorded before the certificate of a component changes', (one) => {
    expect(statusOf({ annotation: one, reviews: allowed })).toEqual(tried.componentIdentities);
    expect(decidedIdentity(tried, 'scheduler')).toBe('own');
    expect(decidedIdentity(tried, 'webhook')).toBeUndefined();
  });

  it('are kept by a component that was ready for ten minutes', () => {
    const first = statusOf({ identity: own, before: tried });
    expect(first?.trial).toEqual({ component: 'scheduler', since: SINCE, readySince: SINCE });
    const before = { componentIdentities: first ?? {} };
    const later = { identity: own, before, now: NOW + PROVED_AFTER };
    expect(statusOf({ ...later, reviews: allowed, now: later.now - 1_000 })).toEqual(first);
    expect(statusOf(later)).toEqual(first);
    expect(statusOf({ ...later, reviews: allowed })).toEqual({ proved: ['scheduler'] });
  });

  it('are kept by a component whose Secret is deleted while others are in the group', () => {
    const before = { componentIdentities: { proved: ['scheduler'] } };
    const input = inputOf({ before });
    const view = { ...viewOf({}), identities: { webhook: 'masters' } as const };
    expect(identities.report({ ...input, view }).fields).toEqual(before);
    expect(decidedIdentity(before, 'scheduler')).toBe('own');
    expect(due({ before })).toBe('webhook');
  });

  it('are given back by a component that fails, and the condition names the cause', () => {
    const given = { identity: own, before: tried, reviews: [['scheduler', DENIED] as const] };
    const failed = statusOf(given);
    expect(failed).toEqual({
      refused: [{ component: 'scheduler', message: 'its user may not get services' }],
    });
    const before = { componentIdentities: failed ?? {} };
    expect(decidedIdentity(before, 'scheduler')).toBe('masters');
    expect(statusOf({ before, reviews: allowed })).toEqual(failed);
    expect(messageOf({ before })).toBe(
      'IdentityRefused: scheduler: stays in the group system:masters: its user may not get services',
    );
  });

  it('are given back when Pods of the component are not available for 30 seconds', () => {
    const down = { identity: own, before: tried, down: 'karmada-scheduler' };
    const first = statusOf(down);
    expect(first?.trial).toEqual({ component: 'scheduler', since: SINCE, downSince: SINCE });
    const before = { componentIdentities: first ?? {} };
    expect(statusOf({ ...down, before, now: NOW + 30_000 })?.refused).toHaveLength(1);
  });

  const rolling = { identity: own, before: tried, rolling: 'karmada-scheduler' };

  it('are kept while former Pods serve and the workload changes, and the ten minutes count afterwards', () => {
    const waits = { trial: { component: 'scheduler', since: SINCE } };
    expect(statusOf(rolling)).toEqual(waits);
    expect(statusOf({ ...rolling, now: NOW + PROVED_AFTER, reviews: allowed })).toEqual(waits);
    expect(statusOf({ identity: own, before: tried })?.trial?.readySince).toBe(SINCE);
  });

  it('are given back when a rollout makes no progress, although former Pods serve', () => {
    const stuck = { ...rolling, progress: { lastAt: NOW, isOverdue: true } };
    const first = statusOf(stuck);
    expect(first?.trial?.downSince).toBe(SINCE);
    const before = { componentIdentities: first ?? {} };
    expect(statusOf({ ...stuck, before, now: NOW + 30_000 })?.refused).toHaveLength(1);
  });

  it('of one component change after the other', () => {
    const all: Partial<Record<ClientComponent, IdentityKind>> = {};
    const order: string[] = [];
    let before: KarmadaStatus = {};
    for (let now = NOW; now < NOW + 20 * PROVED_AFTER; now += PROVED_AFTER / 2) {
      for (const name of INSTALLED) {
        const decided = decidedIdentity(before, name);
        if (decided === 'own' && all[name] !== 'own') order.push(name);
        if (decided !== undefined) all[name] = decided;
      }
      const name = due({ before, now, identity: all }) as ClientComponent | undefined;
      const reviews = name === undefined ? [] : [[name, 'allowed'] as const];
      const componentIdentities = statusOf({ before, now, identity: all, reviews });
      before = componentIdentities === undefined ? {} : { componentIdentities };
    }
    expect(order).toEqual(INSTALLED);
    expect(due({ before, identity: all })).toBeUndefined();
    expect(messageOf({ before, identity: all })).toBeUndefined();
  });
});

describe('the condition ComponentIdentities', () => {
  it.each<[string | undefined, Given]>([
    [undefined, { annotation: 'Keep' }],
    [undefined, { imageTag: 'v1.29.9' }],
    [
      'IdentitySwitching: scheduler: uses an identity of its own for the first time; still in the group system:masters: webhook, aggregated-apiserver, kube-controller-manager, controller-manager',
      { identity: own, before: tried },
    ],
    [
      'IdentityRefused: spec.components.karmadaAPIServer.imageTag: "v1.29.9" is not known to be Kubernetes 1.30 or newer, so all components stay in the group system:masters; upgrade Kubernetes',
      { annotation: 'Own', imageTag: 'v1.29.9' },
    ],
    [
      'IdentityRoleChanged: Karmada API: ClusterRole a lacks get b; Role c/d does not exist',
      {
        annotation: 'Keep',
        lacked: ['ClusterRole a lacks get b', 'Role c/d does not exist'],
      },
    ],
    [
      'IdentityRoleChanged: Karmada API: ClusterRole a lacks get b',
      { reviews: [['scheduler', DENIED]], lacked: ['ClusterRole a lacks get b'] },
    ],
    [
      'IdentityRefused: scheduler: stays in the group system:masters: its user may not get services',
      { reviews: [['scheduler', DENIED]] },
    ],
  ])('is %s', (message, given) => {
    expect(messageOf(given)).toBe(message);
  });
});

describe('dueReview', () => {
  it.each<[string | undefined, Given]>([
    ['scheduler', {}],
    ['scheduler', { before: tried, identity: own }],
    ['webhook', { reviews: [['scheduler', DENIED]] }],
    [undefined, { reviews: allowed }],
    [undefined, { annotation: 'Keep' }],
    [undefined, { annotation: 'Masters' }],
    [undefined, { before: { conditions: [] } }],
  ])('is %s', (component, given) => {
    expect(due(given)).toBe(component);
  });
});

describe('the time until the next check', () => {
  const own = Object.fromEntries(INSTALLED.map((name) => [name, 'own'] as const));
  const onTrial = (more: object): KarmadaStatus => ({
    componentIdentities: { trial: { component: 'scheduler', since: SINCE, ...more } },
  });

  it.each<[string, number, Given]>([
    ['none of its own at rest', Infinity, { identity: own }],
    ['none of its own when its user holds the switch', Infinity, { annotation: 'Keep' }],
    ['a minute while components are in the group', 60_000, {}],
    ['a minute while one is on trial', 60_000, { identity: own, before: onTrial({}) }],
    [
      'less while the Pods of one on trial are not available',
      15_000,
      { identity: own, before: onTrial({ downSince: SINCE }) },
    ],
    ['30 seconds while it names a role', 30_000, { identity: own, lacked: ['a lacks b'] }],
  ])('is %s', (_, expected, given) => {
    const { snapshot, view } = inputOf(given);
    expect(identities.msUntilCheck({ snapshot, view } as never)).toBe(expected);
  });
});
