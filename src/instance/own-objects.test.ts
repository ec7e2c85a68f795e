import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../kubernetes/client/any-client.fixture.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../api/labels.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import { findOwn, foreignProblem, isOwn } from './own-objects.ts';

const LABELS = { [MANAGED_BY]: MANAGER, [INSTANCE]: 'demo' };
const writtenBy = (manager: string, operation: string): object => ({
  managedFields: [{ manager, operation }],
});

const secret = (suffix: string, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `demo-karmada-${suffix}`, namespace: 'team', ...metadata },
});

describe('isOwn', () => {
  it.each<[string, KubernetesObject, boolean]>([
    ['labels', secret('cert', { labels: LABELS }), true],
    ['no labels', secret('cert'), false],
    [
      'labels of another Karmada',
      secret('cert', { labels: { ...LABELS, [INSTANCE]: 'x' } }),
      false,
    ],
    [
      'only the label of the operator',
      secret('cert', { labels: { [MANAGED_BY]: MANAGER } }),
      false,
    ],
    ['an apply of the operator', secret('cert', writtenBy('karmada-operator', 'Apply')), true],
    ['an apply of another manager', secret('cert', writtenBy('kubectl', 'Apply')), false],
    [
      'an update of the Go operator',
      secret('cert', writtenBy('karmada-operator', 'Update')),
      false,
    ],
    [
      'a creation of a Secret that only this operator has',
      secret('ca-backup', writtenBy('karmada-operator', 'Update')),
      true,
    ],
    [
      'a creation for another Karmada',
      secret('ca-backup', {
        labels: { [INSTANCE]: 'other' },
        ...writtenBy('karmada-operator', 'Update'),
      }),
      false,
    ],
  ])('decides by %s', (_, object, expected) => {
    expect(isOwn(object, 'demo')).toBe(expected);
  });
});

describe('findOwn', () => {
  const key = { namespace: 'team', name: 'demo-karmada-cert' };
  const reading = (found: KubernetesObject | undefined) =>
    findOwn(anyClient({ find: () => Promise.resolve(found) }), resources.Secret, key, 'demo');

  it('returns an own object, and undefined if there is none', async () => {
    const own = secret('cert', { labels: LABELS });
    expect(await reading(own)).toBe(own);
    expect(await reading(undefined)).toBeUndefined();
  });

  it('rejects a foreign object as a conflict that names it', async () => {
    const error: unknown = await reading(secret('cert')).catch((reason: unknown) => reason);
    const { reason, message } = foreignProblem(error);
    expect(reason).toBe('Conflict');
    expect(message).toMatch(/^Secret team\/demo-karmada-cert: exists, but the operator/);
    expect(() => foreignProblem(new Error('other'))).toThrow('other');
  });
});
