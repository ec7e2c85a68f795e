import { describe, expect, it } from '@jest/globals';
import { ofKind } from '../action.ts';
import { live, NOW, pod, snapshotOf, VIEW, wishOf } from '../__fixtures__/instance.ts';
import type { Desired, DesiredObject } from '../desired.ts';
import { planInstance } from '../plan.ts';
import type { Snapshot } from '../snapshot.ts';
import { stepStates } from '../steps.ts';
import {
  connectionsLeftInMs,
  CONNECTIONS_SINCE,
  withFreshConnections,
} from './webhook-connections.ts';

const WISH = wishOf();
const DONE = [...WISH.steps];

/** A pod that began to end so many milliseconds ago, with 45 s to do so. */
function ending(component: string, agoMs: number): ReturnType<typeof pod> {
  const ends = new Date(NOW - agoMs + 45_000).toISOString();
  const found = pod(component, { name: `${component}-${String(agoMs)}` });
  const life = { deletionTimestamp: ends, deletionGracePeriodSeconds: 45 };
  return { ...found, metadata: { ...found.metadata, ...life } };
}

const seenWith = (pods: Snapshot['host']['pods'], wish: Desired = WISH): Snapshot => {
  const snapshot = snapshotOf(wish, DONE);
  return { ...snapshot, host: { ...snapshot.host, pods } };
};

const configurations = ({ objects }: Desired): readonly DesiredObject[] =>
  objects.filter(({ step }) => step === 'webhook-configurations');

const sinceIn = (wish: Desired): readonly unknown[] =>
  configurations(wish).map(({ object }) => object.metadata.annotations?.[CONNECTIONS_SINCE]);

const bundlesIn = (wish: Desired): readonly string[] => [
  ...new Set(
    configurations(wish)
      .flatMap(({ object }) => object['webhooks'] as { clientConfig: { caBundle: string } }[])
      .map(({ clientConfig }) => Buffer.from(clientConfig.caBundle, 'base64').toString('utf8')),
  ),
];

const iso = (ago: number): string => new Date(NOW - ago).toISOString();

describe('connections of the API server to a webhook that ends', () => {
  it.each([
    ['no pod ends', [pod('karmada-webhook')], undefined, undefined],
    ['one has just begun to', [ending('karmada-webhook', 1_000)], undefined, 2_000],
    ['one began to a while ago', [ending('karmada-webhook', 3_000)], 3_000, undefined],
    [
      'one after the other',
      [ending('karmada-webhook', 9_000), ending('karmada-webhook', 4_000)],
      4_000,
      undefined,
    ],
    [
      'the next one begins to',
      [ending('karmada-webhook', 9_000), ending('karmada-webhook', 500)],
      9_000,
      2_500,
    ],
    ['another component ends', [ending('karmada-scheduler', 5_000)], undefined, undefined],
  ])('%s', (_, pods, since, left) => {
    const snapshot = seenWith(pods);
    const fresh = withFreshConnections(WISH, snapshot);
    const time = since === undefined ? undefined : iso(since);
    expect(sinceIn(fresh)).toEqual([time, time]);
    expect(bundlesIn(fresh)).toEqual([
      time === undefined ? VIEW.caBundle : `# connections since ${time}\n${VIEW.caBundle}`,
    ]);
    expect(connectionsLeftInMs(snapshot)).toBe(left);
  });

  it('what was left stays so when the pod is gone, and nothing is written again', () => {
    const left = withFreshConnections(WISH, seenWith([ending('karmada-webhook', 3_000)]));
    const snapshot = seenWith([pod('karmada-webhook')], left);
    const hashes = ({ objects }: Desired): readonly string[] => objects.map(({ hash }) => hash);
    expect(hashes(withFreshConnections(WISH, snapshot))).toEqual(hashes(left));
  });

  it.each(['tomorrow', iso(-86_400_000)])('a time that cannot be is not kept: %s', (time) => {
    const objects = configurations(WISH).map((item) => {
      const { metadata } = item.object;
      const annotations = { [CONNECTIONS_SINCE]: time };
      return live({ ...item, object: { ...item.object, metadata: { ...metadata, annotations } } });
    });
    const snapshot = seenWith([]);
    const seen = { ...snapshot, controlPlane: { ...snapshot.controlPlane, objects } };
    expect(sinceIn(withFreshConnections(WISH, seen))).toEqual([undefined, undefined]);
  });

  it('waits for no rollout, unless something else changes as well', () => {
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
      const wish = withFreshConnections(WISH, seen);
      const states = stepStates(wish, seen);
      const { actions } = planInstance({ snapshot: seen, desired: wish, states, holds: [] }, VIEW);
      return ofKind(actions, 'apply')
        .filter(({ target }) => target.step === 'webhook-configurations')
        .map(({ target }) => target.object.kind);
    };
    expect(written('')).toEqual(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
    expect(written('of another release')).toEqual([]);
  });
});
