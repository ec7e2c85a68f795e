import { describe, expect, it } from '@jest/globals';
import { COMPONENT, INSTANCE, MANAGED_BY, MANAGER } from '../api/labels.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { snapshotOf, wishOf } from './__fixtures__/instance.ts';
import { PAUSE_REPAIR, pauseConditions } from './pause.ts';
import type { Snapshot } from './snapshot.ts';

const NAME = 'karmada-demo';
const OWNER = { [MANAGED_BY]: MANAGER, [INSTANCE]: NAME };

const paused = (
  kind: string,
  name: string,
  labels: Readonly<Record<string, string>> = OWNER,
): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'team', labels, annotations: { [PAUSE_REPAIR]: 'true' } },
});

const EMPTY = snapshotOf(wishOf(), []);
const REMOTE = {
  server: 'https://host',
  secret: 'team/host',
  hasNamespace: true,
  endpoint: 'https://host',
  namespaceLabels: {},
};
const CLAIM = `etcd-data-${NAME}-etcd-0`;
const withHost = (host: Partial<Snapshot['host']>): Snapshot => ({
  ...EMPTY,
  host: { ...EMPTY.host, ...host },
});

describe('pauseConditions', () => {
  it.each<[string, Snapshot, string | undefined]>([
    [
      'an object in the host cluster',
      withHost({ objects: [paused('Deployment', `${NAME}-webhook`)] }),
      `Deployment team/${NAME}-webhook: `,
    ],
    [
      'an object in the Karmada API',
      { ...EMPTY, controlPlane: { ...EMPTY.controlPlane, objects: [paused('Role', 'r')] } },
      'Role team/r: ',
    ],
    [
      'the PVC of an etcd member',
      withHost({
        claims: [paused('PersistentVolumeClaim', CLAIM, { [INSTANCE]: NAME, [COMPONENT]: 'etcd' })],
      }),
      `PersistentVolumeClaim team/${CLAIM}: `,
    ],
    [
      'the kubeconfig next to the Karmada of a remote host cluster',
      { ...EMPTY, remote: { ...REMOTE, kubeconfig: paused('Secret', `${NAME}-admin-config`) } },
      `Secret team/${NAME}-admin-config (management cluster): `,
    ],
    [
      'no PVC of another Karmada',
      withHost({
        claims: [
          paused('PersistentVolumeClaim', CLAIM, { [INSTANCE]: 'other', [COMPONENT]: 'etcd' }),
        ],
      }),
      undefined,
    ],
    [
      'no object of another owner',
      withHost({ objects: [paused('Secret', 'mine', { [INSTANCE]: NAME })] }),
      undefined,
    ],
    ['nothing without the annotation', { ...EMPTY, remote: REMOTE }, undefined],
  ])('names %s', (_, snapshot, text) => {
    const [found] = pauseConditions(snapshot);
    expect(found?.message.startsWith(text ?? '-')).toBe(text === undefined ? undefined : true);
  });

  it('lists all annotated objects in alphabetical order', () => {
    const objects = [paused('Secret', 'b'), paused('Secret', 'a')];
    expect(pauseConditions(withHost({ objects }))).toMatchObject([
      { status: 'True', message: expect.stringMatching(/^Secret team\/a, Secret team\/b: not/) },
    ]);
  });
});
