/** What this repository changes in the e2e suites of the Karmada module, and the specs that it leaves out. Plain values. */
import { busyboxTag } from '../embedded-cluster/releases.ts';

/** A replacement of text in a file of the Karmada module. */
export interface Alteration {
  /** Path in the module. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly reason: string;
}

/** Specs that do not run: all whose full name matches. */
interface LeftOut {
  /** Regular expression of Ginkgo's `--skip`. */
  readonly pattern: string;
  readonly reason: string;
}

export interface PeerSuite {
  readonly name: 'operator';
  /** Package in the module. */
  readonly package: string;
  readonly alterations: readonly Alteration[];
  readonly leftOut: readonly LeftOut[];
}

/** @param release of Karmada, such as `v1.18.2` */
export const operatorSuite = (release: string): PeerSuite => ({
  name: 'operator',
  package: './test/e2e/suites/operator',
  alterations: [
    {
      file: 'test/helper/karmada.go',
      find: `			CRDTarball: &operatorv1alpha1.CRDTarball{
				HTTPSource: &operatorv1alpha1.HTTPSource{URL: "http://local"},
			},
`,
      replace: '',
      reason:
        'the address belongs to an archive that the scripts of Karmada put into the Pod of the Go operator',
    },
    {
      file: 'test/helper/karmada.go',
      find: 'ImageTag:        "latest"',
      replace: `ImageTag:        "${release}"`,
      reason: 'the embedded cluster has the images of releases',
    },
    {
      file: 'test/e2e/suites/operator/api_sidecar_test.go',
      find: '"busybox:latest"',
      replace: `"docker.io/library/busybox:${busyboxTag}"`,
      reason: 'the embedded cluster has this BusyBox image, and pulls none',
    },
  ],
  leftOut: [],
});

/**
 * Applies the alterations of one file, to all occurrences.
 * @throws Error if a text is not in the file, so that no alteration is silently without effect
 */
export function altered(text: string, alterations: readonly Alteration[]): string {
  return alterations.reduce((before, { file, find, replace }) => {
    if (!before.includes(find)) throw new Error(`${file}: does not contain ${find}`);
    return before.replaceAll(find, () => replace);
  }, text);
}
