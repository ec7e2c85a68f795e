import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clusters } from '../../member-clusters/member-cluster.ts';
import { NetworkError } from '../client/errors.ts';
import { checkedEvent, checkedFields, checkedObject } from '../client/checked-response.ts';
import { resources, type ResourceType } from '../objects/resources.ts';
import { fieldFault } from './kinds.ts';

const REQUEST = 'get';
const objectWith = (fields: object): object => ({ metadata: { name: 'x' }, ...fields });

function checked(type: ResourceType, fields: object): unknown {
  return checkedFields(REQUEST, type, checkedObject(REQUEST, objectWith(fields)));
}

describe('checkedFields', () => {
  it.each<[string, ResourceType, object, string]>([
    [
      'a length, which Buffer.from would allocate',
      resources.Secret,
      { data: { token: { length: 1e9 } } },
      'data[token]',
    ],
    ['a number in a Secret', resources.Secret, { data: { 'ca.crt': 1 } }, 'data[ca.crt]'],
    ['a text as data', resources.Secret, { data: 'x' }, 'data'],
    ['a list as data', resources.ConfigMap, { data: ['x'] }, 'data'],
    [
      'a key that is a text of any length',
      resources.Secret,
      { data: { ['\n'.repeat(9)]: 1 } },
      'data[…]',
    ],
    [
      'a text as conditions',
      resources.PersistentVolumeClaim,
      { status: { conditions: 'x' } },
      'status.conditions',
    ],
    [
      'a condition without a type',
      resources.Node,
      { status: { conditions: [{}] } },
      'status.conditions[0].type',
    ],
    [
      'null as a Pod container',
      resources.Pod,
      { spec: { containers: [null] } },
      'spec.containers[0]',
    ],
    [
      'a number of replicas that is a text',
      resources.StatefulSet,
      { spec: { replicas: '3' } },
      'spec.replicas',
    ],
    ['a text as headers', clusters, { spec: { proxyHeader: 'x' } }, 'spec.proxyHeader'],
  ])('rejects %s', (_, type, fields, field) => {
    const expected = `field ${field} of ${type.kind} x`;
    expect(() => checked(type, fields)).toThrow(expected);
    expect(() => checked(type, fields)).toThrow(NetworkError);
  });

  it('removes fields that are null, because Go writes empty lists and times in this way', () => {
    const bookmark = {
      metadata: { resourceVersion: '1', creationTimestamp: null },
      spec: { containers: null },
      status: {},
    };
    const object = checkedFields(REQUEST, resources.Pod, checkedObject(REQUEST, bookmark));
    expect(object).toEqual({ metadata: { resourceVersion: '1' }, spec: {}, status: {} });
  });

  it('removes a value that is null, and the data of a ControllerRevision that is of another type', () => {
    const data = { a: null, b: 'YQ==' };
    expect(checked(resources.Secret, { data })).toMatchObject({ data: { b: 'YQ==' } });
    expect(data).not.toHaveProperty('a');
    const revision = checked(resources.ControllerRevision, { data: { spec: { template: 1 } } });
    expect(revision).not.toHaveProperty('data');
  });

  it.each([
    ['finalizers', { finalizers: [1] }],
    ['owner references', { ownerReferences: [null] }],
    ['managed fields', { managedFields: 'x' }],
    ['a deletion grace period', { deletionGracePeriodSeconds: 'x' }],
  ])('rejects %s of another type', (_, metadata) => {
    expect(() => checkedObject(REQUEST, { metadata })).toThrow('not a Kubernetes object');
  });
});

describe('checkedEvent', () => {
  const empty = { selector: null, template: { spec: { containers: null } } };
  const metadata = { resourceVersion: '1', creationTimestamp: null };

  it('accepts the bookmark of Kubernetes 1.33, whose object has only null fields', () => {
    const bookmark = { type: 'BOOKMARK', object: { metadata, spec: empty } };
    const { object } = checkedEvent(REQUEST, bookmark, resources.Deployment);
    expect(object.metadata).toEqual({ resourceVersion: '1' });
  });

  it.each([
    ['no spec', {}, 'spec'],
    ['no template', { spec: {} }, 'spec.template'],
    ['no labels', { spec: { template: { spec: { containers: [] } } } }, 'spec.template.metadata'],
    ['no containers', { spec: empty }, 'spec.template.metadata'],
  ])('rejects a Deployment with %s', (_, fields, field) => {
    const event = { type: 'ADDED', object: { metadata: { name: 'x' }, ...fields } };
    expect(() => checkedEvent(REQUEST, event, resources.Deployment)).toThrow(`field ${field} of`);
  });
});

describe('fieldFault', () => {
  it('returns a field or undefined for any value in a field', () => {
    const kinds = Object.values<ResourceType>(resources);
    const fields = fc.dictionary(fc.constantFrom('data', 'spec', 'status', 'type'), fc.jsonValue());
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fields, (type, given) => {
        const object = { apiVersion: 'v1', kind: type.kind, metadata: { name: 'x' }, ...given };
        const fault = fieldFault(type, object);
        expect(fault === undefined || fault.length < 1_000).toBe(true);
      }),
    );
  });
});
