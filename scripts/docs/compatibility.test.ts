import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_ETCD_TAG } from '../../src/api/images.ts';
import { KUBEADM_ETCD, TESTED_ETCD } from '../../src/api/releases/etcd-images.ts';
import {
  DEFAULT_RELEASE,
  OLDEST_KARMADA_MINOR,
  RELEASES,
} from '../../src/api/releases/releases.ts';
import { supportedKubernetes } from '../../src/api/versions/versions.ts';
import {
  etcdTags,
  karmadaReleases,
  kubernetesReleases,
} from '../../tools/embedded-cluster/releases.ts';

const page = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8');

/** Cells of all table rows of the page. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const rowOf = (first: string): readonly string[] | undefined =>
  rows.find(([cell = '']) => cell.split(', ').includes(first));

describe('docs/compatibility.md', () => {
  it.each(RELEASES.map((release) => [release.minor, release] as const))(
    'has the row of the table for Karmada 1.%i',
    (minor, { release, kubernetes, kubernetesTag }) => {
      const { oldest = 0, newest = 0 } = supportedKubernetes(release) ?? {};
      const from = RELEASES.filter((other) => other.minor < minor).map(
        (other) => `1.${other.minor}`,
      );
      expect(rowOf(`1.${minor}`)).toEqual([
        `1.${minor}`,
        release,
        kubernetes.tested.map((one) => `1.${one}`).join(', '),
        `1.${oldest} to 1.${newest}`,
        kubernetesTag,
        from.join(', '),
      ]);
    },
  );

  it('has the etcd tags of the table', () => {
    for (const [minor, tag] of Object.entries(KUBEADM_ETCD))
      expect(rowOf(`1.${minor}`)?.[1]).toBe(tag);
  });

  it('names the default versions and the oldest release', () => {
    const { release, kubernetesTag } = DEFAULT_RELEASE;
    expect(page).toContain(
      `get Karmada ${release}, Kubernetes ${kubernetesTag} and etcd ${DEFAULT_ETCD_TAG}`,
    );
    expect(page).toContain(`Other minor versions from 1.${OLDEST_KARMADA_MINOR} work`);
  });
});

describe('the table of tested versions', () => {
  const minorOf = (tag: string): number => Number(tag.split('.')[1]);

  it('calls only versions tested that the embedded cluster has', () => {
    expect(RELEASES.map(({ release }) => release)).toEqual(Object.values(karmadaReleases));
    const built = Object.values(kubernetesReleases).map(minorOf);
    for (const { kubernetes } of RELEASES)
      for (const minor of kubernetes.tested) expect(built).toContain(minor);
    expect(TESTED_ETCD).toEqual(Object.values(etcdTags).map(minorOf).sort());
  });
});
