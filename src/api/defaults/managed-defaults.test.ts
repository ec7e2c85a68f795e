import { describe, expect, it } from '@jest/globals';

import { ACCEPTED } from '../__fixtures__/accepted.ts';
import type { Karmada, KarmadaSpec } from '../karmada.ts';
import { API_VERSION, DEFAULTS_FIELD_MANAGER, KIND } from '../karmada.ts';
import { defaultsPatch, managedDefaults } from './managed-defaults.ts';
import { mismatchedTags } from '../validation/version.ts';

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

describe('defaultsPatch', () => {
  it('returns undefined for an object with the defaults of the Go operator', () => {
    const [, spec] = ACCEPTED.find(([what]) => what.startsWith('every component')) ?? [];
    expect(spec).toBeDefined();
    expect(defaultsPatch(karmada(spec ?? {}), { defaultStorageClass: true })).toBeUndefined();
  });

  it('returns missing defaults for a new object, without those that the API server sets', () => {
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

  it('keeps values that this manager stored before when the defaults have changed', () => {
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

  it('drops an add-on that only this manager still owns', () => {
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
    'drops the defaults of %s when it is disabled',
    (key) => {
      const spec = { components: { [key]: { enabled: false, imageTag: 'v1.16.0' } } };
      const ours = { 'f:components': { [`f:${key}`]: { 'f:imageTag': {} } } };
      const theirs = { 'f:components': { [`f:${key}`]: { 'f:enabled': {} } } };
      expect(defaultsPatch(karmada(spec, ours, theirs), host)?.components?.[key]).toBeUndefined();
      const on = { components: { [key]: { enabled: true } } };
      const intent = defaultsPatch(karmada(on, {}, theirs), host)?.components?.[key];
      expect(intent?.imageTag).toBe('v1.18.2');
    },
  );

  it('drops repositories when a private registry is set', () => {
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

  it('returns a complete PVC template when the host cluster has a default StorageClass', () => {
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

describe('defaultsPatch and mismatchedTags with spec.version', () => {
  const tag = (imageTag: string): object => ({ imageTag });
  const stored = {
    karmadaScheduler: tag('v1.16.0'),
    karmadaWebhook: tag('v1.16.0'),
    karmadaAPIServer: tag('v1.34.3'),
    kubeControllerManager: tag('v1.34.3'),
    etcd: { local: tag('3.6.14-0') },
  };
  const owned = { 'f:imageTag': {} };
  const ours = {
    'f:components': {
      'f:karmadaScheduler': owned,
      'f:karmadaAPIServer': owned,
      'f:kubeControllerManager': owned,
      'f:etcd': { 'f:local': owned },
    },
  };
  const tags = ({ components }: KarmadaSpec = {}): object => {
    const { karmadaScheduler, karmadaWebhook, karmadaSearch, ...others } = components ?? {};
    const tagOf = (settings?: { imageTag?: string }): string | undefined => settings?.imageTag;
    return {
      scheduler: tagOf(karmadaScheduler),
      webhook: tagOf(karmadaWebhook),
      search: tagOf(karmadaSearch),
      apiServer: tagOf(others.karmadaAPIServer),
      controllers: tagOf(others.kubeControllerManager),
      etcd: tagOf(others.etcd?.local),
    };
  };

  it('updates default tags, and gives new components the tag of spec.version', () => {
    const spec = { version: 'v1.17.1', components: { ...stored, karmadaSearch: {} } };
    const theirs = { 'f:components': { 'f:karmadaSearch': {}, 'f:karmadaWebhook': owned } };
    expect(tags(defaultsPatch(karmada(spec, ours, theirs), host))).toEqual({
      scheduler: 'v1.17.1',
      webhook: undefined,
      search: 'v1.17.1',
      apiServer: 'v1.35.4',
      controllers: 'v1.35.4',
      etcd: '3.6.14-0',
    });
    expect(mismatchedTags(spec).map(({ field }) => field)).toEqual([
      'spec.components.karmadaScheduler.imageTag',
      'spec.components.karmadaWebhook.imageTag',
    ]);
  });

  it('keeps a tag that another field manager owns too', () => {
    const spec = { version: 'v1.17.1', components: stored };
    const theirs = { 'f:components': { 'f:karmadaScheduler': owned, 'f:karmadaAPIServer': owned } };
    expect(tags(defaultsPatch(karmada(spec, ours, theirs), host))).toMatchObject({
      scheduler: 'v1.16.0',
      apiServer: 'v1.34.3',
      controllers: 'v1.34.3',
    });
  });

  describe('after the upgrade of the README of the Go operator', () => {
    const FOUR = [
      'karmadaAggregatedAPIServer',
      'karmadaControllerManager',
      'karmadaScheduler',
      'karmadaWebhook',
    ];
    const patched = (value: unknown): object => Object.fromEntries(FOUR.map((key) => [key, value]));
    const adapter = { karmadaMetricsAdapter: tag('v1.17.1') };
    const user = (keys: object): object => ({ 'f:components': keys });
    const four = user(Object.fromEntries(FOUR.map((key) => [`f:${key}`, owned])));
    const adapterOwned = user({ 'f:karmadaMetricsAdapter': owned });
    const all = user({
      ...Object.fromEntries(FOUR.map((key) => [`f:${key}`, owned])),
      'f:karmadaMetricsAdapter': owned,
    });
    const adapterTag = (spec: object, ours: object, theirs: object): string | undefined =>
      defaultsPatch(karmada(spec, ours, theirs), host)?.components?.karmadaMetricsAdapter?.imageTag;

    it('the default tag of an add-on follows the four tags', () => {
      const spec = { components: { ...patched(tag('v1.18.2')), ...adapter } };
      expect(adapterTag(spec, adapterOwned, four)).toBe('v1.18.2');
    });

    it.each([
      [
        'one tag has another release',
        { ...patched(tag('v1.18.2')), karmadaWebhook: tag('v1.18.1') },
      ],
      ['a tag is no release', patched(tag('latest'))],
      ['only one tag changes', { karmadaWebhook: tag('v1.18.2') }],
    ])('the default tag of an add-on stays when %s', (_, components) => {
      expect(adapterTag({ components: { ...components, ...adapter } }, adapterOwned, four)).toBe(
        'v1.17.1',
      );
    });

    it('the tag of an add-on stays when the user gives it', () => {
      const spec = { components: { ...patched(tag('v1.18.2')), ...adapter } };
      expect(adapterTag(spec, {}, all)).toBeUndefined();
    });

    it('a tag that the Go operator has stored follows too', () => {
      const spec = { components: { ...patched(tag('v1.18.2')), ...adapter } };
      const base = karmada(spec, {}, four);
      const go = {
        manager: 'karmada-operator',
        operation: 'Update',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': adapterOwned },
      };
      const adopted = {
        ...base,
        metadata: { ...base.metadata, managedFields: [...(base.metadata.managedFields ?? []), go] },
      };
      expect(defaultsPatch(adopted, host)?.components?.karmadaMetricsAdapter?.imageTag).toBe(
        'v1.18.2',
      );
    });
  });

  it('keeps all tags when spec.version is not set', () => {
    const intent = defaultsPatch(karmada({ components: stored }, ours), host);
    expect(tags(intent)).toMatchObject({ scheduler: 'v1.16.0', apiServer: 'v1.34.3' });
  });

  it.each([
    ['v1.17.1', 'v1.17.1@sha256:0000', true],
    ['v1.17.1', 'v1.17.1-patched', true],
    ['v1.17.1', 'latest', true],
    ['v1.17.1', 'v1.17.0', false],
    ['', 'v1.16.0', true],
  ])('accepts version %j with tag %j: %j', (version, imageTag, fits) => {
    const found = mismatchedTags({ version, components: { karmadaSearch: { imageTag } } });
    expect(found).toHaveLength(fits ? 0 : 1);
    const off = { karmadaSearch: { imageTag, enabled: false } };
    expect(mismatchedTags({ version, components: off })).toEqual([]);
  });
});
