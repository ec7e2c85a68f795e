import { expect, it } from '@jest/globals';
import { CONDITION_TYPES } from '../api/reasons/condition-reasons.ts';
import { inStatusOrder } from './condition-order.ts';
import type { ConditionDraft } from './conditions.ts';

const sorted = (types: readonly string[]): readonly string[] =>
  inStatusOrder(
    types.map((type): ConditionDraft => ({
      type,
      status: 'True',
      reason: 'Completed',
      message: '',
    })),
  ).map(({ type }) => type);

it.each([
  ['a local etcd', ['EtcdHealthy', 'EtcdReady']],
  ['an external etcd', ['EtcdReady', 'EtcdHealthy']],
])('inStatusOrder keeps the order of the conditions of %s', (_, etcd) => {
  const given = ['HostReachable', 'SchedulerEstimatorReady', ...etcd, 'WebhookReady', 'Ready'];
  const last = ['WebhookReady', 'SchedulerEstimatorReady', 'HostReachable'];
  expect(sorted(given)).toEqual(['Ready', ...etcd, ...last]);
});

it('inStatusOrder has a place for each condition of a reconciled control plane', () => {
  const types = CONDITION_TYPES.map(({ type }) => type);
  const { length } = types.filter((type) => !['Adopted', 'Suspended'].includes(type));
  const places = sorted(['Other', ...types]).indexOf('Other');
  expect(places).toBe(length);
});
