import { describe, expect, it } from '@jest/globals';
import type { PodSpec, Workload } from '../../components/workload.ts';
import { quotaFindings } from './quota.ts';
import { workload } from './__fixtures__/workload.ts';

const quota = (hard: object, used: object, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'team' },
  spec: { ...spec },
  status: { hard: { ...hard }, used: { ...used } },
});

const selecting = (operator: string, ...values: readonly string[]): object => ({
  scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
});

const withPod = (pod: PodSpec): Workload => {
  const { spec, ...rest } = workload(1, {});
  return { ...rest, spec: { ...spec, template: { ...spec.template, spec: pod } } };
};

const ofClass = ((): Workload => {
  const { spec, ...rest } = workload(3, { requests: { cpu: '500m' } });
  const pod = { ...spec.template.spec, priorityClassName: 'high' };
  return { ...rest, spec: { ...spec, template: { ...spec.template, spec: pod } } };
})();

describe('quotaFindings', () => {
  const one = workload(3, { requests: { cpu: '500m', memory: '1Gi' } });

  it('names the resource, what is requested and what is left', () => {
    const { problems } = quotaFindings(
      [one],
      [quota({ 'requests.cpu': '2' }, { 'requests.cpu': '1' })],
    );
    expect(problems.map(({ message }) => message)).toEqual([
      'ResourceQuota team: the Pods request 1500m of requests.cpu, and 1000m of 2 are left; raise the quota, or lower the resources of the components',
    ]);
  });

  it.each<[string, object, object, number]>([
    ['enough', { cpu: '2', memory: '4Gi', pods: '3' }, {}, 0],
    ['too little memory and too few Pods', { memory: '2Gi', pods: '2' }, {}, 2],
    ['no limit of these resources', { 'count/secrets': '1' }, { 'count/secrets': '1' }, 0],
    ['nothing left', { pods: '3' }, { pods: '9' }, 1],
    ['too few objects of Pods', { 'count/pods': '2' }, {}, 1],
    ['a resource that no Pod requests', { 'requests.ephemeral-storage': '1' }, {}, 0],
  ])('with %s finds %#', (_, hard, used, count) => {
    expect(quotaFindings([one], [quota(hard, used)]).problems).toHaveLength(count);
  });

  it('counts a limit as a request, and ignores quotas with scopes', () => {
    const limited = workload(1, { limits: { cpu: '3' } });
    expect(quotaFindings([limited], [quota({ cpu: '2' }, {})]).problems).toHaveLength(1);
    const scoped = quota({ cpu: '2' }, {}, { scopes: ['BestEffort'] });
    expect(quotaFindings([limited], [scoped]).problems).toEqual([]);
  });

  it('reads the spec of a quota whose status is still empty', () => {
    const given = { ...quota({}, {}, { hard: { pods: '2' } }), status: {} };
    expect(quotaFindings([one], [given]).problems).toHaveLength(1);
  });

  it.each<[string, object, number]>([
    ['NotTerminating', { scopes: ['NotTerminating'] }, 1],
    ['Terminating', { scopes: ['Terminating'] }, 0],
    ['NotBestEffort', { scopes: ['NotBestEffort'] }, 1],
    ['BestEffort', { scopes: ['BestEffort'] }, 0],
    ['one of two', { scopes: ['NotBestEffort', 'Terminating'] }, 0],
    ['unknown', { scopes: ['CrossNamespacePodAffinity'] }, 0],
    ['any PriorityClass', selecting('Exists'), 1],
    ['no PriorityClass', selecting('DoesNotExist'), 0],
    ['this PriorityClass', selecting('In', 'high'), 1],
    ['another PriorityClass', selecting('In', 'low'), 0],
    ['not another PriorityClass', selecting('NotIn', 'low'), 1],
  ])('counts Pods in the scope %s', (_, spec, count) => {
    expect(quotaFindings([ofClass], [quota({ pods: '2' }, {}, spec)]).problems).toHaveLength(count);
  });

  it.each<[string, string, number]>([
    ['an init container that needs more than the containers', '500m', 1],
    ['one that needs less', '501m', 0],
  ])('counts %s', (_, cpu, count) => {
    const pod = {
      containers: [{ name: 'main', resources: { requests: { cpu } } }],
      initContainers: [{ name: 'first', resources: { requests: { cpu: '700m' } } }],
    };
    const limit = count === 1 ? '600m' : '700m';
    expect(
      quotaFindings([withPod(pod)], [quota({ 'requests.cpu': limit }, {})]).problems,
    ).toHaveLength(count);
  });

  it('adds sidecars to the containers', () => {
    const requests = { cpu: '600m' };
    const pod = {
      containers: [{ name: 'main', resources: { requests } }],
      initContainers: [{ name: 'side', restartPolicy: 'Always', resources: { requests } }],
    };
    const { problems } = quotaFindings([withPod(pod)], [quota({ 'requests.cpu': '1' }, {})]);
    expect(problems[0]?.message).toContain('request 1200m of requests.cpu');
  });
});
