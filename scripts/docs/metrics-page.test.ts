import { describe, expect, it } from '@jest/globals';
import { metricsIn } from './metrics-page.ts';

const exposition = [
  '# HELP process_cpu_seconds_total CPU time.',
  '# TYPE process_cpu_seconds_total counter',
  'process_cpu_seconds_total 1',
  '',
  '# HELP karmada_operator_watches Number of watches.',
  '# TYPE karmada_operator_watches gauge',
  'karmada_operator_watches{cluster="local",state="fresh"} 1',
  '',
  '# HELP karmada_operator_seconds Duration of a reconcile.',
  '# TYPE karmada_operator_seconds histogram',
  'karmada_operator_seconds_bucket{le="0.5"} 1',
  'karmada_operator_seconds_sum 0.1',
  '',
].join('\n');

describe('metricsIn', () => {
  it('returns name, type, labels and help of the metrics of the operator', () => {
    expect(metricsIn(exposition)).toEqual([
      {
        name: 'karmada_operator_seconds',
        type: 'histogram',
        labels: [],
        help: 'Duration of a reconcile.',
      },
      {
        name: 'karmada_operator_watches',
        type: 'gauge',
        labels: ['cluster', 'state'],
        help: 'Number of watches.',
      },
    ]);
  });

  it('fails when a metric has no sample, as its labels are not known', () => {
    const [help = '', type = ''] = exposition.split('\n').slice(4);
    expect(() => metricsIn(`${help}\n${type}\n`)).toThrow('karmada_operator_watches has no sample');
  });
});
