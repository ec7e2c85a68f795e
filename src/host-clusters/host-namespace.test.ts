import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import {
  hostNamespaceLabels,
  isInstalledIn,
  KARMADAS_LABEL,
  namespaceRefusal,
} from './host-namespace.ts';
import { reduceNamespace } from './reduce-objects.ts';

const ENFORCE = 'pod-security.kubernetes.io/enforce';
const namespace = (labels: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team', labels },
});

describe('hostNamespaceLabels', () => {
  it('takes the level of the namespace in the management cluster', () => {
    const labels = { [ENFORCE]: 'baseline', 'pod-security.kubernetes.io/warn': 'restricted' };
    const given = { uid: 'm', namespace: namespace({ ...labels, team: 'a' }) };
    expect(hostNamespaceLabels(given, 'restricted')).toEqual({ ...labels, [KARMADAS_LABEL]: 'm' });
  });

  it('restricts a namespace without a level, also if the operator may not read it', () => {
    const expected = { [ENFORCE]: 'restricted', [KARMADAS_LABEL]: 'm' };
    const plain = { uid: 'm', namespace: namespace({}) };
    expect(hostNamespaceLabels(plain, 'restricted')).toEqual(expected);
    expect(hostNamespaceLabels({ uid: undefined, namespace: undefined }, 'baseline')).toEqual({
      [ENFORCE]: 'baseline',
      [KARMADAS_LABEL]: 'Any',
    });
  });
});

describe('namespaceRefusal', () => {
  const judge = (labels: Record<string, string> | undefined, uid: string | undefined = 'm') =>
    namespaceRefusal(labels && namespace(labels), { uid }, 'https://host');

  it.each([
    ['that does not exist', undefined],
    ['that names this management cluster', { [KARMADAS_LABEL]: 'm' }],
    ['that names all', { [KARMADAS_LABEL]: 'Any' }],
  ])('accepts a namespace %s', (_, labels) => {
    expect(judge(labels)).toBeUndefined();
  });

  it.each([
    ['without the label', {}],
    ['of another management cluster', { [KARMADAS_LABEL]: 'other' }],
    ['with an empty label', { [KARMADAS_LABEL]: '' }],
  ])('refuses a namespace %s, with the command for its owner', (_, labels) => {
    const { reason, message } = judge(labels) ?? { reason: '', message: '' };
    expect(reason).toBe('HostNamespaceNotGranted');
    expect(message).toContain(`kubectl label namespace team ${KARMADAS_LABEL}=m --overwrite`);
  });

  it('accepts no label with an unknown UID', () => {
    expect(namespaceRefusal(namespace({}), { uid: undefined }, 'https://host')).toBeDefined();
    const labels = { [KARMADAS_LABEL]: 'undefined' };
    expect(namespaceRefusal(namespace(labels), { uid: undefined }, 'h')).toBeDefined();
  });
});

describe('isInstalledIn', () => {
  const reference = { secret: { namespace: 'team', name: 'host' } };
  const status = { hostUID: 'h', hostSecret: 'team/host', hostEndpoint: 'https://host' };

  it.each([
    ['the recorded UID', { hostUID: 'h' }, {}, true],
    ['another UID', { hostUID: 'x' }, {}, false],
    ['no record', {}, {}, false],
    ['the recorded Secret', status, {}, true],
    // A server of the author of the Karmada may have reported the UID of this cluster.
    ['another Secret', { ...status, hostSecret: 'team/mine' }, {}, false],
    ['another endpoint', status, { apiEndpoint: 'https://b' }, false],
  ])('compares what is recorded: %s', (_, recorded, endpoint, expected) => {
    expect(isInstalledIn({ status: recorded }, { ...reference, ...endpoint }, 'h')).toBe(expected);
  });

  it('is false for a cluster with an unknown UID', () => {
    expect(isInstalledIn({ status }, reference, undefined)).toBe(false);
    expect(isInstalledIn({ status: {} }, reference, undefined)).toBe(false);
  });
});

describe('reduceNamespace', () => {
  it('keeps the labels that the operator reads', () => {
    const labels = { [ENFORCE]: 'baseline', [KARMADAS_LABEL]: 'm' };
    expect(reduceNamespace(namespace({ ...labels, more: 'x' })).metadata.labels).toEqual(labels);
    expect(reduceNamespace(namespace({ more: 'x' })).metadata).not.toHaveProperty('labels');
  });
});
