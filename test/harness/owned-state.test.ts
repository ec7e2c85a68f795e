import { describe, expect, it } from '@jest/globals';
import { FIELD_MANAGER } from '../../src/api/karmada.ts';
import { ownedState } from './owned-state.ts';

const entry = (manager: string, fieldsV1: object, subresource?: string): object => ({
  manager,
  fieldsV1,
  ...(subresource !== undefined && { subresource }),
});

const deployment = (managedFields: readonly object[]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', namespace: 'team-1', labels: { b: 'team-1', c: 'd' }, managedFields },
  spec: {
    replicas: 1,
    template: {
      spec: { dnsPolicy: 'ClusterFirst', containers: [{ name: 'x', image: 'i', tty: true }] },
    },
  },
  status: { replicas: 1 },
});

const CONTAINERS = { 'k:{"name":"x"}': { '.': {}, 'f:image': {}, 'f:name': {} } };
const OWNED = {
  'f:metadata': { 'f:labels': { 'f:b': {} } },
  'f:spec': { 'f:template': { 'f:spec': { 'f:containers': CONTAINERS } } },
};

describe('ownedState', () => {
  it('has the fields of the operator only, without the namespace', () => {
    const host = [
      deployment([
        entry(FIELD_MANAGER, OWNED),
        entry(FIELD_MANAGER, { 'f:status': {} }, 'status'),
        entry('kubelet', { 'f:spec': { 'f:replicas': {} } }),
      ]),
    ];
    expect(ownedState({ host, inside: [] }, 'team-1')).toEqual({
      host: {
        'Deployment NAMESPACE/a': {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'a', namespace: 'NAMESPACE', labels: { b: 'NAMESPACE' } },
          spec: { template: { spec: { containers: [{ name: 'x', image: 'i' }] } } },
        },
      },
      inside: {},
    });
  });

  it('has no object of other managers', () => {
    const host = [deployment([entry('kubelet', OWNED)])];
    expect(ownedState({ host, inside: [] }, 'team-1')).toEqual({ host: {}, inside: {} });
  });

  it('has the lists in their order, and PVC templates without defaults', () => {
    const containers = [{ name: 'y' }, { name: 'x' }];
    const claim = { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' };
    const template = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' } };
    const set = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      spec: { containers, volumeClaimTemplates: [{ ...template, spec: claim }] },
      metadata: {
        name: 'a',
        namespace: 'team-1',
        managedFields: [
          entry(FIELD_MANAGER, {
            'f:spec': {
              'f:containers': {
                'k:{"name":"x"}': { 'f:name': {} },
                'k:{"name":"y"}': { 'f:name': {} },
              },
              'f:volumeClaimTemplates': {},
            },
          }),
        ],
      },
    };
    const spec = { accessModes: ['ReadWriteOnce'] };
    expect(ownedState({ host: [set], inside: [] }, 'team-1').host).toMatchObject({
      'StatefulSet NAMESPACE/a': {
        spec: { containers, volumeClaimTemplates: [{ metadata: { name: 'a' }, spec }] },
      },
    });
  });
});
