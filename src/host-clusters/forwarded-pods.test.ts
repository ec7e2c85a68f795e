import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { estimatorName, instanceName, maxClusterNameLength, maxNameLength } from '../api/naming.ts';

const RIGHTS = join(import.meta.dirname, '../../config/remote-host/rights.yaml');

interface Policy {
  readonly kind: string;
  readonly spec: { readonly validations: readonly { readonly expression: string }[] };
}

/** The regular expressions of the policy: the first one, or both others. They are the same in RE2 and in JavaScript. */
function admits(): (name: string) => boolean {
  const policy = (loadAll(readFileSync(RIGHTS, 'utf8')) as Policy[]).find(
    ({ kind }) => kind === 'ValidatingAdmissionPolicy',
  );
  const [{ expression } = { expression: '' }] = policy?.spec.validations ?? [];
  const [whole, length, cut] = [...expression.matchAll(/matches\('([^']+)'\)/g)].map(
    ([, pattern = '']) => new RegExp(pattern),
  );
  if (whole === undefined || length === undefined || cut === undefined)
    throw new Error(`three patterns expected in ${expression}`);
  return (name) => whole.test(name) || (length.test(name) && cut.test(name));
}

/** As Kubernetes names the Pod of a Deployment (k8s.io/apiserver, SimpleNameGenerator). */
const podOf = (deployment: string): string => `${`${deployment}-6c8f9d7b5d-`.slice(0, 58)}x7k2p`;

const upTo = (length: number): readonly number[] => Array.from({ length }, (_, n) => n + 1);

/** Names of Karmadas of each length. */
const NAMES = ['a', 'karmada'].flatMap((first) =>
  upTo(maxNameLength(first.padEnd(10, 'a')))
    .filter((length) => length >= first.length)
    .map((length) => first.padEnd(length, 'a')),
);

const SERVERS = ['apiserver', 'aggregated-apiserver', 'webhook', 'metrics-adapter', 'search'];

describe('the policy for port-forwards', () => {
  const isAdmitted = admits();
  const refused = (names: readonly string[]): readonly string[] =>
    names.filter((name) => !isAdmitted(name));

  it.each(SERVERS)('admits the Pods of %s of each Karmada', (component) => {
    expect(refused(NAMES.map((name) => podOf(instanceName(name, component))))).toEqual([]);
  });

  it('admits the Pods of estimators and of etcd of each Karmada', () => {
    const estimators = NAMES.flatMap((name) =>
      upTo(maxClusterNameLength(name)).map((length) =>
        podOf(estimatorName(name, 'm'.repeat(length))),
      ),
    );
    expect(estimators.length).toBeGreaterThan(100);
    expect(refused(estimators)).toEqual([]);
    expect(refused(NAMES.map((name) => `${instanceName(name, 'etcd')}-0`))).toEqual([]);
  });

  it.each([
    'postgres-0',
    'karmada-elasticsearch-0',
    'karmada-agent-6c8f9d7b5d-x7k2p',
    podOf(`karmada-${'a'.repeat(60)}`),
    podOf(instanceName('a', 'scheduler')),
    podOf(instanceName('a', 'kube-controller-manager')),
    podOf(instanceName('a', 'controller-manager')),
  ])('refuses %s', (name) => {
    expect(isAdmitted(name)).toBe(false);
  });
});
