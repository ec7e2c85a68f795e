import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { live, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import { withBudgetOwners } from './disruption-budgets.ts';

const budgetConfig = { podDisruptionBudgetConfig: { maxUnavailable: 1 } };
const PODS = {
  'app.kubernetes.io/name': 'karmada-webhook',
  'app.kubernetes.io/instance': 'karmada-demo',
};
const LABELED = { ...PODS, team: 'blue' };

const desired = wishOf({
  components: { karmadaWebhook: { ...budgetConfig, labels: { team: 'blue' } } },
});
const find = (objects: readonly DesiredObject[], kind: string): DesiredObject => {
  const isSought = ({ step, object }: DesiredObject): boolean =>
    step === 'karmada-webhook' && object.kind === kind;
  const found = objects.find(isSought);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
};
const WEBHOOK = live(find(desired.objects, 'Deployment'));

const pod = (labels: Readonly<Record<string, string>>, ends = false): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `pod-${Object.values(labels).join('-')}`,
    labels: { ...labels, 'pod-template-hash': 'x' },
    ...(ends && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
});

function budgetOf(
  objects: readonly KubernetesObject[],
  pods: readonly KubernetesObject[] = [],
): KubernetesObject {
  const all = withBudgetOwners(desired, { host: { objects, pods, claims: [] } }).objects;
  return find(all, 'PodDisruptionBudget').object;
}

const selectorOf = (pods: readonly KubernetesObject[]): unknown =>
  (budgetOf([WEBHOOK], pods)['spec'] as { selector: unknown }).selector;

describe('PodDisruptionBudget of a workload', () => {
  it('has the workload as its controller and the labels of its Pod template', () => {
    const { metadata, spec } = budgetOf([WEBHOOK]);
    const { name, uid } = WEBHOOK.metadata;
    const flags = { controller: true, blockOwnerDeletion: true };
    expect(metadata.ownerReferences).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, ...flags },
    ]);
    expect(metadata.labels).toEqual(LABELED);
    expect(spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: LABELED } });
  });

  it('has another hash when the workload is recreated', () => {
    const hashes = ['one', 'two'].map((uid) => {
      const objects = [{ ...WEBHOOK, metadata: { ...WEBHOOK.metadata, uid } }];
      const host = { objects, pods: [], claims: [] };
      return find(withBudgetOwners(desired, { host }).objects, 'PodDisruptionBudget').hash;
    });
    expect(new Set(hashes).size).toBe(2);
  });

  it.each([
    [
      'a terminating workload',
      [{ ...WEBHOOK, metadata: { ...WEBHOOK.metadata, deletionTimestamp: 'x' } }],
    ],
    [
      'a workload with another name',
      [{ ...WEBHOOK, metadata: { ...WEBHOOK.metadata, name: 'x' } }],
    ],
    ['no workload', []],
  ])('has no owner with %s', (_, objects) => {
    expect(budgetOf(objects).metadata).not.toHaveProperty('ownerReferences');
  });

  it.each([
    ['all Pods have them', [pod(LABELED)], LABELED],
    ['only Pods that terminate lack them', [pod(LABELED), pod(PODS, true)], LABELED],
    ['other components lack them', [pod({ ...PODS, 'app.kubernetes.io/name': 'x' })], LABELED],
    ['a Pod lacks them', [pod(LABELED), pod(PODS)], PODS],
    ['too many Pods have them', Array.from({ length: 1_001 }, () => pod(LABELED)), PODS],
  ])('selects by the labels of the user depending on whether %s', (_, pods, matchLabels) => {
    expect(selectorOf(pods)).toEqual({ matchLabels });
  });
});
