import { describe, expect, it, jest } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { permissions } from './check-permissions.ts';
import type { Subject } from './subject.ts';

interface Attributes {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
}

const operator = (...args: readonly string[]): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'karmada-operator', namespace: 'operator' },
  spec: { template: { spec: { serviceAccountName: 'karmada', containers: [{ args }] } } },
});

/** A Deployment of a tenant that has the label of the operator. */
const foreign = (...args: readonly string[]): KubernetesObject => ({
  ...operator(...args),
  metadata: { name: 'pretender', namespace: 'tenant' },
});

/** The Lease in kube-system. @param holderIdentity of the active installation */
const leaseOf = (holderIdentity: string): KubernetesObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  spec: { holderIdentity },
  metadata: { name: 'karmadas.operator.karmada.io', namespace: 'kube-system' },
});
const HELD = leaseOf('operator/karmada-operator');

/**
 * @param allows the answer to each review
 * @param lease that names the active installation
 */
function subjectOf(
  operators: readonly KubernetesObject[],
  allows: (attributes: Attributes, user: string) => boolean,
  lease: () => KubernetesObject | undefined = () => undefined,
) {
  const users = new Set<string>();
  const client: Partial<KubernetesClient> = anyClient({
    find: (_, { namespace, name }) => {
      const found = lease();
      const isIt = found?.metadata.namespace === namespace && found?.metadata.name === name;
      return Promise.resolve(isIt ? found : undefined);
    },
    list: (_, { namespace } = {}) => {
      const items = operators.filter(
        ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
      );
      return Promise.resolve({ resourceVersion: '1', items });
    },
    create: (review) => {
      const { user, resourceAttributes } = review['spec'] as {
        readonly user: string;
        readonly resourceAttributes: Attributes;
      };
      users.add(user);
      return Promise.resolve({ ...review, status: { allowed: allows(resourceAttributes, user) } });
    },
  });
  const subject = {
    client,
    tools: { client },
    isRemote: false,
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

  const ofOperator = (_: Attributes, user: string): boolean =>
    user === 'system:serviceaccount:operator:karmada';
  const [onlyForeign, both] = [[foreign()], [foreign(), operator('--v=4')]];

  describe('of a Deployment of a tenant with the label of the operator', () => {
    it.each([[[]], [['-h']], [['--help']], [['--watch-namespaces=A_']], [['--watch-namespaces']]])(
      'do not count with the arguments %j while an operator holds the Lease',
      async (args) => {
        const operators = [foreign(...args), operator('--v=4')];
        const { subject, users } = subjectOf(operators, ofOperator, () => HELD);
        expect((await permissions(subject)).problems).toEqual([]);
        expect([...users]).toEqual(['system:serviceaccount:operator:karmada']);
        const lacking = subjectOf(
          operators,
          () => false,
          () => HELD,
        );
        const { problems } = await permissions(lacking.subject);
        expect(problems).toHaveLength(1);
        expect(problems[0]?.outcome).toBe('failed');
        expect(problems[0]?.message).toMatch(/^Deployment operator\/karmada-operator: /);
      },
    );

    it('are unknown if the installation that holds the Lease has no Deployment', async () => {
      const { subject } = subjectOf(
        onlyForeign,
        () => true,
        () => HELD,
      );
      await expect(permissions(subject)).rejects.toThrow(/^no Deployment .* in namespace operator/);
    });

    const forbidden = (): never => {
      throw new ApiError({ request: 'get Lease', code: 403, reason: 'Forbidden', message: 'no' });
    };
    it.each([
      ['there is no Lease', () => undefined],
      ['the Lease has no holder', () => leaseOf('')],
      ['the holder is no installation', () => leaseOf('pod_1')],
      ['the Lease cannot be read', forbidden],
    ])('are reported under its name if %s', async (_, lease) => {
      const { problems } = await permissions(subjectOf(both, ofOperator, lease).subject);
      expect(problems.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^Deployment tenant\/pretender: .*lacks/),
      ]);
    });
  });

  it('of other operators are reported if the arguments of one are not valid', async () => {
    const operators = [foreign('--watch-namespaces=A_'), operator('--v=4')];
    const { problems } = await permissions(subjectOf(operators, () => false).subject);
    expect(problems.map(({ outcome }) => outcome)).toEqual(['skipped', 'failed']);
    expect(problems[0]?.message).toMatch(/^Deployment tenant\/pretender: .*A_/);
    expect(problems[1]?.message).toMatch(/^Deployment operator\/karmada-operator: /);
  });

  it('of other operators are reported if those of one cannot be reviewed', async () => {
    const allows = (_: Attributes, user: string): boolean => {
      if (user.includes(':tenant:')) throw new Error('user not valid');
      return false;
    };
    const { problems } = await permissions(subjectOf(both, allows).subject);
    expect(problems).toEqual([
      { outcome: 'skipped', message: 'Deployment tenant/pretender: user not valid' },
      expect.objectContaining({ outcome: 'failed' }),
    ]);
  });

  it.each(['-h', '--help', '-V', '--version', '--watch-namespaces=A_', '--watch-namespaces'])(
    'are read without output if the operator has the argument %s',
    async (argument) => {
      const writes = [process.stdout, process.stderr].map((stream) =>
        jest.spyOn(stream, 'write').mockReturnValue(true),
      );
      await permissions(subjectOf([operator(argument)], () => true).subject);
      const calls = writes.map(({ mock }) => mock.calls.length);
      writes.forEach((write) => write.mockRestore());
      expect(calls).toEqual([0, 0]);
    },
  );

  it('are not read from endlessly many arguments', async () => {
    const many = Array.from({ length: 1_001 }, () => '--v=4');
    const [problem] = (await permissions(subjectOf([operator(...many)], () => true).subject))
      .problems;
    expect(problem).toEqual({
      outcome: 'skipped',
      message: 'Deployment operator/karmada-operator: it has more than 1000 arguments',
    });
  });

  it('names the Deployments that do not watch the namespace', async () => {
    const { subject } = subjectOf([operator('--watch-namespaces=other')], () => true);
    const [problem] = (await permissions(subject)).problems;
    expect(problem?.message).toContain('Deployment operator/karmada-operator');
  });
});
