import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { addonsOf, ifEnabled } from '../addon.ts';
import { defaultSpec } from './defaults.ts';
import type { KarmadaSpec } from '../karmada.ts';

const golden = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`__golden__/${name}.json`, import.meta.url), 'utf8'));

const plain = { defaultStorageClass: false };

describe('defaultSpec', () => {
  it.each([
    ['minimal', { defaultStorageClass: true }, {}],
    ['minimal-without-storage-class', plain, undefined],
    [
      'addons-and-external-etcd',
      plain,
      {
        components: {
          karmadaSearch: {},
          karmadaDescheduler: {},
          etcd: { external: { endpoints: ['https://a:2379'], secretRef: { name: 'x-etcd-cert' } } },
        },
        crdTarball: { httpSource: { url: 'http://local' } },
      },
    ],
  ])('returns the golden file %s', (name, host, spec) => {
    expect(defaultSpec(spec, host)).toEqual(golden(name));
  });

  const component = (spec: KarmadaSpec, key: 'kubeControllerManager' | 'karmadaSearch') =>
    ifEnabled(defaultSpec(spec, plain).components[key]);

  it.each<[string, KarmadaSpec, string]>([
    ['the default tag when no tag is set', {}, 'v1.35.4'],
    [
      'the tag of the API server',
      { components: { karmadaAPIServer: { imageTag: 'v1.34.3' } } },
      'v1.34.3',
    ],
    [
      'the default tag when the tag of the API server is not a release',
      { components: { karmadaAPIServer: { imageTag: 'v1.34.3-x' } } },
      'v1.35.4',
    ],
    [
      'the default tag when the API server has an image with another name',
      { components: { karmadaAPIServer: { imageTag: 'v1.34.3', imageRepository: 'a/hyperkube' } } },
      'v1.35.4',
    ],
    [
      'its own tag when it is set',
      { components: { kubeControllerManager: { imageTag: 'v1.33.1' } } },
      'v1.33.1',
    ],
  ])('gives kube-controller-manager %s', (_what, spec, tag) => {
    expect(component(spec, 'kubeControllerManager')?.imageTag).toBe(tag);
  });

  it('gives an add-on that is enabled later the release of the control plane', () => {
    const old = { imageTag: 'v1.16.0', imageRepository: 'mirror.example/karmada-scheduler' };
    const spec = { components: { karmadaSearch: {}, karmadaScheduler: old } };
    expect(component(spec, 'karmadaSearch')?.imageTag).toBe('v1.16.0');
    const digest = { ...old, imageTag: `v1.16.0@sha256:${'a'.repeat(64)}` };
    const pinned = { components: { karmadaSearch: {}, karmadaScheduler: digest } };
    expect(component(pinned, 'karmadaSearch')?.imageTag).toBe('v1.16.0');
    const mixed = { components: { ...spec.components, karmadaWebhook: { imageTag: 'v1.17.1' } } };
    expect(component(mixed, 'karmadaSearch')?.imageTag).toBe('v1.18.2');
  });

  it('enables the same add-ons as the Go operator unless they are disabled', () => {
    const off = { enabled: false };
    expect(addonsOf({})).toEqual(['karmadaMetricsAdapter']);
    const all = { karmadaSearch: {}, karmadaDescheduler: { enabled: true } };
    expect(addonsOf({ components: all })).toEqual([
      'karmadaMetricsAdapter',
      'karmadaDescheduler',
      'karmadaSearch',
    ]);
    const none = { karmadaSearch: off, karmadaDescheduler: off, karmadaMetricsAdapter: off };
    expect(addonsOf({ components: none })).toEqual([]);
    const { components } = defaultSpec({ components: none }, plain);
    expect(components).toMatchObject(none);
    expect(components.karmadaMetricsAdapter).toEqual(off);
  });

  it('ignores the release of a disabled add-on', () => {
    const karmadaSearch = { enabled: false, imageTag: 'v1.16.0' };
    const spec = { components: { karmadaSearch, karmadaDescheduler: {} } };
    expect(ifEnabled(defaultSpec(spec, plain).components.karmadaDescheduler)?.imageTag).toBe(
      'v1.18.2',
    );
  });

  it('uses the private registry for images without imageRepository', () => {
    const spec = {
      privateRegistry: { registry: 'registry.example:5000/mirror/' },
      components: { kubeControllerManager: { imageRepository: 'own.example/kcm' } },
    };
    const { components } = defaultSpec(spec, plain);
    expect(components.karmadaWebhook.imageRepository).toBe(
      'registry.example:5000/mirror/karmada-webhook',
    );
    expect(components.etcd.local?.imageRepository).toBe('registry.example:5000/mirror/etcd');
    expect(components.kubeControllerManager.imageRepository).toBe('own.example/kcm');
  });

  it('keeps the etcd volume of the spec when the host cluster has a default StorageClass', () => {
    const own = { hostPath: { path: '/data' } };
    const spec = { components: { etcd: { local: { volumeData: own } } } };
    const host = { defaultStorageClass: true };
    expect(defaultSpec(spec, host).components.etcd.local?.volumeData).toEqual(own);
  });

  it('replaces empty strings but not empty lists and zeros', () => {
    const spec = {
      components: {
        karmadaWebhook: { imageTag: '', priorityClassName: '', replicas: 0, tolerations: [] },
      },
    };
    expect(defaultSpec(spec, plain).components.karmadaWebhook).toMatchObject({
      imageTag: 'v1.18.2',
      priorityClassName: 'system-node-critical',
      replicas: 0,
      tolerations: [],
    });
  });

  it('does not modify its argument', () => {
    const spec = Object.freeze({ components: Object.freeze({ karmadaSearch: Object.freeze({}) }) });
    defaultSpec(spec, plain);
    expect(spec).toEqual({ components: { karmadaSearch: {} } });
  });
});
