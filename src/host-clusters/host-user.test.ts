import { describe, expect, it } from '@jest/globals';
import { ALLOWED_NAMESPACES_ANNOTATION, type SecretPolicy } from '../api/secrets/secret-grant.ts';
import { mayOpen, type HostUser } from './host-user.ts';

const user = (namespace: string, name: string, inUse = false): HostUser => ({
  ...{ karmada: { namespace, name }, inUse },
});

/** A policy that counts how often it searches the owner of a Secret. */
function counting(owner: ReturnType<SecretPolicy['madeFor']>) {
  let count = 0;
  const policy: SecretPolicy = {
    crossNamespace: 'Granted',
    madeFor: () => {
      count += 1;
      return owner;
    },
  };
  return { policy, count: () => count };
}

describe('mayOpen', () => {
  const owner = { name: 'k9', namespace: 'team' };
  const many = Array.from({ length: 1_000 }, (_, n) => user('team', `n${String(n)}`));

  it.each<[string, string, readonly HostUser[], boolean]>([
    ['no user', 'team', [], false],
    ['others of the namespace of the owner', 'team', many, false],
    ['the owner after many others', 'team', [...many, user('team', 'k9')], true],
    ['a Karmada that uses it already', 'team', [...many, user('team', 'old', true)], true],
    ['a namespace without a grant', 'elsewhere', many, false],
  ])('decides once for all Karmadas of a namespace: %s', (_, namespace, users, expected) => {
    const { policy, count } = counting(owner);
    const secret = { name: 'k9-karmada-cert', namespace };
    expect(mayOpen({ secret, namesServer: true }, users, policy)).toBe(expected);
    expect(count()).toBe(1);
  });

  it('reads a long grant once for each namespace', () => {
    const { policy } = counting(undefined);
    let reads = 0;
    const annotations = {
      get [ALLOWED_NAMESPACES_ANNOTATION]() {
        reads += 1;
        return ','.repeat(100_000);
      },
    };
    const known = { secret: { name: 's', namespace: 'far', annotations }, namesServer: true };
    expect(mayOpen(known, [...many, user('third', 'k')], policy)).toBe(false);
    expect(reads).toBe(2);
  });
});
