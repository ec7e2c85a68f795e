import { describe, expect, it } from '@jest/globals';
import { COMPONENT } from '../../api/labels.ts';
import { ofKind } from '../../actions/action.ts';
import { live, NOW, pod, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import { POD_HASH } from '../adoption/handover.ts';
import type { DesiredObjects, DesiredObject } from '../../instance/desired-objects.ts';
import { planInstance } from './plan.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { stepStates } from './steps.ts';
import {
  msUntilConnectionRenewal,
  CONNECTIONS_SINCE,
  withRenewedConnections,
} from './webhook-connection-drain.ts';

const WISH = wishOf();
const DONE = [...WISH.steps];

/** A Pod that was deleted so many milliseconds ago, with a grace period of 45 s. */
function ending(component: string, agoMs: number): ReturnType<typeof pod> {
  const ends = new Date(NOW - agoMs + 45_000).toISOString();
  const found = pod(component, { name: `${component}-${String(agoMs)}` });
  const life = { deletionTimestamp: ends, deletionGracePeriodSeconds: 45 };
  return { ...found, metadata: { ...found.metadata, ...life } };
}

const seenWith = (
  pods: Snapshot['host']['pods'],
  desiredState: DesiredObjects = WISH,
): Snapshot => {
  const snapshot = snapshotOf(desiredState, DONE);
  return { ...snapshot, host: { ...snapshot.host, pods } };
};

const iso = (ago: number): string => new Date(NOW - ago).toISOString();

interface Handover {
  /** Milliseconds since the new Pod became ready. */
  readonly agoMs: number;
  readonly selector?: Readonly<Record<string, string>>;
  readonly old?: readonly ReturnType<typeof pod>[];
}

/** Old and new Pods of karmada-webhook, and a Service that selects the new ones. */
function handover({
  agoMs,
  selector = { [POD_HASH]: 'new' },
  old = [revision('old', 90_000)],
}: Handover): Snapshot {
  const snapshot = seenWith([...old, revision('new', agoMs)]);
  const objects = snapshot.host.objects.map((object) =>
    object.kind === 'Service' && object.metadata.labels?.[COMPONENT] === 'karmada-webhook'
      ? { ...object, spec: { selector } }
      : object,
  );
  return { ...snapshot, host: { ...snapshot.host, objects } };
}

/** A Pod of karmada-webhook that became ready so many milliseconds ago. */
function revision(hash: string, agoMs: number): ReturnType<typeof pod> {
  const found = pod('karmada-webhook', { name: `webhook-${hash}` });
  const labels = { ...found.metadata.labels, [POD_HASH]: hash };
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: iso(agoMs) };
  return { ...found, metadata: { ...found.metadata, labels }, status: { conditions: [ready] } };
}

const configurations = ({ objects }: DesiredObjects): readonly DesiredObject[] =>
  objects.filter(({ step }) => step === 'webhook-configurations');

const sinceIn = (desiredState: DesiredObjects): readonly unknown[] =>
  configurations(desiredState).map(
    ({ object }) => object.metadata.annotations?.[CONNECTIONS_SINCE],
  );

const bundlesIn = (desiredState: DesiredObjects): readonly string[] => [
  ...new Set(
    configurations(desiredState)
      .flatMap(({ object }) => object['webhooks'] as { clientConfig: { caBundle: string } }[])
      .map(({ clientConfig }) => Buffer.from(clientConfig.caBundle, 'base64').toString('utf8')),
  ),
];

describe('withRenewedConnections', () => {
  it.each([
    ['no Pod is terminating', [pod('karmada-webhook')], undefined, undefined],
    ['a webhook Pod was deleted just now', [ending('karmada-webhook', 1_000)], undefined, 2_000],
    ['a webhook Pod was deleted 3 s ago', [ending('karmada-webhook', 3_000)], 3_000, undefined],
    [
      'two webhook Pods were deleted one after the other',
      [ending('karmada-webhook', 9_000), ending('karmada-webhook', 4_000)],
      4_000,
      undefined,
    ],
    [
      'a second webhook Pod was deleted just now',
      [ending('karmada-webhook', 9_000), ending('karmada-webhook', 500)],
      9_000,
      2_500,
    ],
    [
      'a Pod of another component is terminating',
      [ending('karmada-scheduler', 5_000)],
      undefined,
      undefined,
    ],
  ])('sets the renewal time and its bundle comment when %s', (_, pods, since, left) => {
    const snapshot = seenWith(pods);
    const fresh = withRenewedConnections(WISH, snapshot);
    const time = since === undefined ? undefined : iso(since);
    expect(sinceIn(fresh)).toEqual([time, time]);
    expect(bundlesIn(fresh)).toEqual([
      time === undefined ? VIEW.caBundle : `# connections since ${time}\n${VIEW.caBundle}`,
    ]);
    expect(msUntilConnectionRenewal(snapshot)).toBe(left);
  });

  it('keeps the renewal time and the object hashes when the Pod is gone', () => {
    const left = withRenewedConnections(WISH, seenWith([ending('karmada-webhook', 3_000)]));
    const snapshot = seenWith([pod('karmada-webhook')], left);
    const hashes = ({ objects }: DesiredObjects): readonly string[] =>
      objects.map(({ hash }) => hash);
    expect(hashes(withRenewedConnections(WISH, snapshot))).toEqual(hashes(left));
  });

  it.each(['tomorrow', iso(-86_400_000)])('drops the invalid or future renewal time %s', (time) => {
    const objects = configurations(WISH).map((item) => {
      const { metadata } = item.object;
      const annotations = { [CONNECTIONS_SINCE]: time };
      return live({ ...item, object: { ...item.object, metadata: { ...metadata, annotations } } });
    });
    const snapshot = seenWith([]);
    const seen = { ...snapshot, controlPlane: { ...snapshot.controlPlane, objects } };
    expect(sinceIn(withRenewedConnections(WISH, seen))).toEqual([undefined, undefined]);
  });

  describe('when the Service excludes old Pods that still run', () => {
    it.each([
      ['the new Pod is ready for 3 s', { agoMs: 3_000 }, undefined, 4_000],
      ['the new Pod is ready for 7 s', { agoMs: 7_000 }, 7_000, undefined],
      ['the Service still has all Pods', { agoMs: 7_000, selector: {} }, undefined, undefined],
      ['no old Pod is left', { agoMs: 7_000, old: [] }, undefined, undefined],
    ] as const)('renews connections if %s', (_, given, since, left) => {
      const seen = handover(given);
      const time = since === undefined ? undefined : iso(since);
      expect(sinceIn(withRenewedConnections(WISH, seen))).toEqual([time, time]);
      expect(msUntilConnectionRenewal(seen)).toBe(left);
    });

    it('writes configurations of the Go operator although the rollout is not complete', () => {
      const seen = handover({ agoMs: 7_000 });
      const objects = seen.controlPlane.objects.map((object) => {
        const metadata = { ...object.metadata, annotations: {} };
        return object.kind.endsWith('WebhookConfiguration') ? { ...object, metadata } : object;
      });
      const goSeen = { ...seen, controlPlane: { ...seen.controlPlane, objects } };
      const found = configurations(withRenewedConnections(WISH, goSeen));
      expect(found.map(({ ignoresOrder }) => ignoresOrder)).toEqual([true, true]);
    });
  });

  it('writes the configurations during a rollout unless they have another change', () => {
    const written = (applied: string): readonly string[] => {
      const snapshot = seenWith([ending('karmada-webhook', 3_000)]);
      const objects = snapshot.controlPlane.objects.map((object) =>
        object.kind.endsWith('WebhookConfiguration') && applied !== ''
          ? {
              ...object,
              metadata: {
                ...object.metadata,
                annotations: { 'operator.karmada.io/applied-hash': applied },
              },
            }
          : object,
      );
      const unavailable = snapshot.host.objects.map((object) =>
        object.metadata.name.endsWith('-webhook') && object.kind === 'Deployment'
          ? { ...object, status: { ...(object['status'] as object), updatedReplicas: 0 } }
          : object,
      );
      const seen = {
        ...snapshot,
        host: { ...snapshot.host, objects: unavailable },
        controlPlane: { ...snapshot.controlPlane, objects },
      };
      const desiredState = withRenewedConnections(WISH, seen);
      const states = stepStates(desiredState, seen);
      const { actions } = planInstance(
        { snapshot: seen, desired: desiredState, states, blockedChanges: [] },
        VIEW,
      );
      return ofKind(actions, 'apply')
        .filter(({ target }) => target.step === 'webhook-configurations')
        .map(({ target }) => target.object.kind);
    };
    expect(written('')).toEqual(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
    expect(written('of another release')).toEqual([]);
  });
});
