import { describe, expect, it } from '@jest/globals';

import { ACCEPTED } from './__fixtures__/accepted.ts';
import type { Karmada, KarmadaSpec } from './karmada.ts';
import { API_VERSION, DEFAULTS_FIELD_MANAGER, KIND } from './karmada.ts';
import { defaultsPatch, managedDefaults } from './managed-defaults.ts';

const host = { defaultStorageClass: false };

function karmada(spec: KarmadaSpec, ours: object = {}, theirs: object = {}): Karmada {
  const entry = (manager: string, operation: string, fields: object): object => ({
    manager,
    operation,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': fields },
  });
  const managedFields = [
    entry('kubectl', 'Update', theirs),
    entry(DEFAULTS_FIELD_MANAGER, 'Apply', ours),
    { ...entry(DEFAULTS_FIELD_MANAGER, 'Apply', { 'f:suspend': {} }), subresource: 'status' },
  ];
  return { apiVersion: API_VERSION, kind: KIND, metadata: { name: 'demo', managedFields }, spec };
}

describe('defaults that are written', () => {
  it("4.2 an object that upstream's operator filled in is left as it is", () => {
    const [, spec] = ACCEPTED.find(([what]) => what.startsWith('every component')) ?? [];
    expect(spec).toBeDefined();
    expect(defaultsPatch(karmada(spec ?? {}), { defaultStorageClass: true })).toBeUndefined();
  });

  it('4.2 a new object gets what is missing, and nothing the API server fills in itself', () => {
    const spec = { components: { karmadaWebhook: { imageTag: 'v1.16.0', replicas: 3 } } };
    const intent = defaultsPatch(karmada(spec), host);
    expect(intent?.components?.karmadaWebhook).toEqual({
      imageRepository: 'docker.io/karmada/karmada-webhook',
      imagePullPolicy: 'IfNotPresent',
    });
    expect(intent?.components?.karmadaScheduler).toEqual({
      imageRepository: 'docker.io/karmada/karmada-scheduler',
      imageTag: 'v1.16.0',
      imagePullPolicy: 'IfNotPresent',
      replicas: 1,
    });
    expect(intent?.components?.karmadaSearch).toBeUndefined();
    expect(intent?.hostCluster).toEqual({ networking: { dnsDomain: 'cluster.local' } });
    expect(JSON.stringify(intent)).not.toMatch(/priorityClassName|serviceType|crdDownloadPolicy/);
  });

  it('4.2 what this manager wrote before stays as it is, though the defaults are others now', () => {
    const written = { imageTag: 'v1.9.0', replicas: 7 };
    const spec = {
      components: { karmadaWebhook: { ...written, imagePullPolicy: 'Always' as const } },
    };
    const fields = {
      'f:components': { 'f:karmadaWebhook': { 'f:imageTag': {}, 'f:replicas': {} } },
    };
    expect(managedDefaults(karmada(spec, fields))).toEqual({
      components: { karmadaWebhook: written },
    });
    const intent = defaultsPatch(karmada(spec, fields), host);
    expect(intent?.components?.karmadaWebhook).toEqual({
      ...written,
      imageRepository: 'docker.io/karmada/karmada-webhook',
    });
  });

  it('4.2 an add-on that only this manager still asks for is given up', () => {
    const spec = { components: { karmadaSearch: { replicas: 1, imageTag: 'v1.17.1' } } };
    const ours = { 'f:components': { 'f:karmadaSearch': { 'f:replicas': {}, 'f:imageTag': {} } } };
    const theirs = { 'f:components': { '.': {}, 'f:karmadaSearch': {} } };
    expect(defaultsPatch(karmada(spec, ours), host)?.components?.karmadaSearch).toBeUndefined();
    expect(defaultsPatch(karmada(spec, ours, theirs), host)?.components?.karmadaSearch).toEqual({
      replicas: 1,
      imageTag: 'v1.17.1',
      imageRepository: 'docker.io/karmada/karmada-search',
      imagePullPolicy: 'IfNotPresent',
    });
  });

  it.each(['karmadaSearch', 'karmadaMetricsAdapter'] as const)(
    '4.1 %s that is switched off gets no defaults and loses those it had',
    (key) => {
      const spec = { components: { [key]: { enabled: false, imageTag: 'v1.16.0' } } };
      const ours = { 'f:components': { [`f:${key}`]: { 'f:imageTag': {} } } };
      const theirs = { 'f:components': { [`f:${key}`]: { 'f:enabled': {} } } };
      expect(defaultsPatch(karmada(spec, ours, theirs), host)?.components?.[key]).toBeUndefined();
      const on = { components: { [key]: { enabled: true } } };
      const intent = defaultsPatch(karmada(on, {}, theirs), host)?.components?.[key];
      expect(intent?.imageTag).toBe('v1.17.1');
    },
  );

  it('4.4 repositories are no longer written once there is a private registry', () => {
    const repository = 'docker.io/karmada/karmada-webhook';
    const spec = {
      privateRegistry: { registry: 'registry.example' },
      components: { karmadaWebhook: { imageRepository: repository, imageTag: 'v1.17.1' } },
    };
    const ours = {
      'f:components': { 'f:karmadaWebhook': { 'f:imageRepository': {}, 'f:imageTag': {} } },
    };
    const intent = defaultsPatch(karmada(spec, ours), host);
    expect(JSON.stringify(intent)).not.toContain('imageRepository');
    expect(intent?.components?.karmadaWebhook?.imageTag).toBe('v1.17.1');
  });

  it('4.2 a claim is written as a whole, where there is a default storage class', () => {
    const intent = defaultsPatch(karmada({}), { defaultStorageClass: true });
    expect(intent?.components?.etcd?.local?.volumeData).toEqual({
      volumeClaim: {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '8Gi' } } },
      },
    });
    const owned = { components: { etcd: { local: { volumeData: { hostPath: { path: '/d' } } } } } };
    const other = defaultsPatch(karmada(owned), { defaultStorageClass: true });
    expect(other?.components?.etcd?.local?.volumeData).toBeUndefined();
  });
});
