import { describe, expect, it } from '@jest/globals';

import { defaultSpec } from '../defaults/defaults.ts';
import {
  checkControllerManager,
  checkPair,
  checkUpgrade,
  compareVersions,
  formatVersion,
  isReleaseTag,
  kubernetesMinor,
  parseVersion,
  productVersion,
  supportedKubernetes,
  supportOf,
  type Support,
} from './versions.ts';
import { wantedVersions } from './wanted-versions.ts';
import type { Versions } from '../karmada.ts';

describe('versions', () => {
  it.each([
    ['v1.17.1', 'v1.17.1', ''],
    ['1.17.1', 'v1.17.1', ''],
    ['3.6.6-0', 'v3.6.6', '0'],
    ['v1.18.0-rc.1', 'v1.18.0', 'rc.1'],
    ['v1.35.4_corp.2', 'v1.35.4', ''],
    ['v1.35.4_corp_2', 'v1.35.4', ''],
    ['v1.35.4-0001', 'v1.35.4', '1'],
    [`v1.35.4-${'a'.repeat(100_000)}`, undefined, undefined],
    ['v1.17.1@sha256:abc', 'v1.17.1', ''],
    ['latest', undefined, undefined],
    ['', undefined, undefined],
    ['v1.17', undefined, undefined],
    ['0123456789abcdef', undefined, undefined],
    ['v1.17.1\n', undefined, undefined],
  ])('parseVersion of %j returns version %s', (tag, version, prerelease) => {
    const parsed = parseVersion(tag);
    expect(parsed && formatVersion(parsed)).toBe(version);
    expect(parsed?.prerelease.join('.')).toBe(prerelease);
  });

  it('recognizes release tags, orders versions and returns Kubernetes minor versions', () => {
    expect(['v1.17.1', 'v1.17.1-rc.0', '1.17.1', 'v1.17.1@x'].map(isReleaseTag)).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const order = ['v1.9.0', 'v1.10.0', 'v1.10.2', 'v2.0.0'].map(parseVersion);
    const sorted = [...order].reverse().sort((a, b) => (a && b ? compareVersions(a, b) : 0));
    expect(sorted).toEqual(order);
    expect(['v1.35.4', 'v2.0.0', 'x'].map(kubernetesMinor)).toEqual([35, undefined, undefined]);
  });

  it.each([
    ['v1.18.2', { oldest: 27, newest: 36 }],
    ['v1.17.1', { oldest: 27, newest: 36 }],
    ['v1.16.0', { oldest: 27, newest: 35 }],
    ['v1.99.0', undefined],
    ['latest', undefined],
  ])('supportedKubernetes of Karmada %s returns %j', (tag, range) => {
    expect(supportedKubernetes(tag)).toEqual(range);
  });

  it.each<[Versions, Versions, readonly string[]]>([
    [{}, { karmada: 'v1.17.1', kubernetes: 'v1.35.4', etcd: '3.6.6-0' }, []],
    [{ karmada: 'v1.16.0' }, { karmada: 'v1.17.1' }, []],
    [{ karmada: 'v1.17.1' }, { karmada: 'v1.17.0' }, []],
    [{ karmada: 'v1.17.1' }, { karmada: 'v1.16.0' }, ['Downgrade']],
    [{ karmada: 'v1.15.0' }, { karmada: 'v1.17.1' }, ['SkippedMinor']],
    [{ kubernetes: 'v1.33.0' }, { kubernetes: 'v1.35.4' }, ['SkippedMinor']],
    [{ kubernetes: 'v1.35.4' }, { kubernetes: 'v1.34.3' }, ['Downgrade']],
    [{ etcd: '3.5.16-0' }, { etcd: '3.6.6-0' }, []],
    [{ etcd: '3.6.6-0' }, { etcd: '3.5.16-0' }, ['Downgrade']],
    [{ etcd: '3.6.6-0' }, { etcd: '4.0.0-0' }, ['UnknownVersion']],
    [{ etcd: '3.6.6-0' }, { etcd: '1.8.1' }, ['UnknownVersion']],
    [{ karmada: 'v1.18.2' }, { karmada: 'v1.19.0' }, []],
    [{ karmada: 'v1.18.2' }, { karmada: 'v1.20.0' }, ['SkippedMinor']],
    [{ karmada: 'v1.16.0' }, { karmada: 'latest' }, ['UnknownVersion']],
    [{ karmada: 'latest' }, { karmada: 'latest' }, []],
    [{}, { karmada: 'v1.17.1', kubernetes: 'v1.31.0' }, []],
    [{}, { karmada: 'v1.17.1', kubernetes: 'v1.26.0' }, ['UnsupportedPair']],
    [{}, { karmada: 'v1.17.1', kubernetes: 'v1.37.0' }, ['UnsupportedPair']],
  ])('checkUpgrade from %j to %j returns %j', (from, to, reasons) => {
    expect(checkUpgrade(from, to).map((problem) => problem.reason)).toEqual(reasons);
  });

  it.each([
    ['v1.35.4', 'v1.35.1', true],
    ['v1.35.4', 'v1.34.3', true],
    ['v1.34.3', 'v1.35.4', false],
    ['v1.35.4', 'v1.33.0', false],
    ['latest', 'v1.33.0', true],
  ])('accepts kube-apiserver %s with kube-controller-manager %s: %s', (server, manager, fine) => {
    expect(checkControllerManager(server, manager).length === 0).toBe(fine);
  });

  it('wantedVersions returns the versions of a spec', () => {
    const host = { defaultStorageClass: true };
    expect(wantedVersions(defaultSpec({}, host))).toEqual({
      karmada: 'v1.18.2',
      kubernetes: 'v1.35.4',
      etcd: '3.6.14',
    });
    const odd = { components: { karmadaControllerManager: { imageTag: 'latest' } } };
    expect(wantedVersions(defaultSpec(odd, host)).karmada).toBeUndefined();
  });

  it.each<[karmada: string, kubernetes: string, Support]>([
    ['v1.18.2', 'v1.35.4', 'tested'],
    ['v1.18.2', 'v1.34.3', 'allowed'],
    ['v1.18.2', 'v1.36.1', 'allowed'],
    ['v1.18.2', 'v1.27.3', 'allowed'],
    ['v1.18.2', 'v1.26.0', 'blocked'],
    ['v1.18.2', 'v1.37.0', 'blocked'],
    ['v1.17.1', 'v1.34.3', 'tested'],
    ['v1.16.0', 'v1.36.0', 'blocked'],
    ['v1.19.0', 'v1.37.0', 'unknown'],
    ['v1.19.0', 'v1.26.0', 'blocked'],
    ['v1.13.0', 'v1.31.0', 'unknown'],
    ['v1.12.3', 'v1.31.0', 'blocked'],
    ['1.8.1', '1.8.1', 'unknown'],
    ['latest', 'v1.35.4', 'unknown'],
  ])('supportOf Karmada %s with Kubernetes %s returns %s', (karmada, kubernetes, support) => {
    expect(supportOf(karmada, kubernetes)).toBe(support);
  });

  it.each<[keyof Versions, string, boolean]>([
    ['etcd', '3.6.14-0', true],
    ['etcd', '1.8.1', false],
    ['etcd', 'v1.18.2', false],
    ['kubernetes', 'v1.27.3', true],
    ['kubernetes', '1.8.1', false],
    ['karmada', 'v1.8.1', true],
    ['karmada', '1.8.1', false],
    ['karmada', '1.17.1', true],
    ['karmada', '2026.11.3', false],
  ])('productVersion of %s %s is a version: %s', (product, tag, expected) => {
    expect(productVersion(product, tag) !== undefined).toBe(expected);
  });

  it('checkPair returns no problem when a version is unknown', () => {
    expect(checkPair(undefined, 'v1.35.4')).toEqual([]);
    expect(checkPair('v1.17.1', undefined)).toEqual([]);
  });
});
