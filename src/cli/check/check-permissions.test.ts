import { describe, expect, it } from '@jest/globals';
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { permissions } from './check-permissions.ts';
import type { Subject } from './subject.ts';

interface Attributes {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
}

const operator = (...args: readonly string[]): KubernetesObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
  metadata: { name: 'karmada-operator', namespace: 'operator' },
  spec: { template: { spec: { serviceAccountName: 'karmada', containers: [{ args }] } } },
});

/** @param allows the answer to each review */
function subjectOf(
  operators: readonly KubernetesObject[],
  allows: (attributes: Attributes) => boolean,
) {
  const users = new Set<string>();
  const client: Partial<KubernetesClient> = {
    list: () => Promise.resolve({ resourceVersion: '1', items: operators }),
    create: (review) => {
      const { user, resourceAttributes } = review['spec'] as {
        readonly user: string;
        readonly resourceAttributes: Attributes;
      };
      users.add(user);
      return Promise.resolve({ ...review, status: { allowed: allows(resourceAttributes) } });
    },
  };
  const subject = {
    ...{ client, tools: { client }, isRemote: false },
    karmada: { metadata: { name: 'demo', namespace: 'team' } },
  } as unknown as Subject;
  return { subject, users };
}

const inNamespace = ({ namespace }: Attributes): boolean => namespace === 'team';
const ofCluster = ['nodes', 'storageclasses', 'persistentvolumes', 'leases', 'namespaces'];
const without =
  '--without-cluster-permissions=' + [...ofCluster, 'customresourcedefinitions'].join();

describe('permissions', () => {
  it('accept an operator of single namespaces that has only their Roles', async () => {
    const args = ['--v=4', '--watch-namespaces=other,team', without, '--unknown', 'value'];
    const { subject, users } = subjectOf([operator(...args)], inNamespace);
    expect((await permissions(subject)).problems).toEqual([]);
    expect([...users]).toEqual(['system:serviceaccount:operator:karmada']);
  });

  it('name what a Role in the namespace does not grant to an operator of all namespaces', async () => {
    const { problems } = await permissions(subjectOf([operator('--v=4')], inNamespace).subject);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain('list deployments.apps');
  });

  it('name cluster resources that an operator of single namespaces reads', async () => {
    const { subject } = subjectOf([operator('--watch-namespaces=team')], inNamespace);
    const [problem] = (await permissions(subject)).problems;
    expect(problem?.message).toContain('list nodes');
    expect(problem?.message).not.toContain('deployments.apps');
  });

  it('report a namespace that no operator watches', async () => {
    const { subject } = subjectOf([operator('--watch-namespaces=other')], () => true);
    const [problem] = (await permissions(subject)).problems;
    expect(problem?.message).toMatch(/^namespace team: .*--watch-namespaces/);
  });

  it('ignore an operator of other namespaces beside that of this one', async () => {
    const operators = [operator('--watch-namespaces=other'), operator('--watch-namespaces=team')];
    expect((await permissions(subjectOf(operators, () => true).subject)).problems).toEqual([]);
  });

  it('are unknown without a Deployment of the operator', async () => {
    await expect(permissions(subjectOf([], () => true).subject)).rejects.toThrow('no Deployment');
  });
});
