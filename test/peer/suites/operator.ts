import { busyboxTag } from '../../../tools/embedded-cluster/releases.ts';
import type { PeerSuite } from './suite.ts';

/**
 * The suite of the Go operator.
 * @param release of Karmada, such as `v1.18.2`
 */
export const operatorSuite = (release: string): PeerSuite => ({
  name: 'operator',
  package: './test/e2e/suites/operator',
  programs: {},
  processes: 1,
  flags: [],
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
  standIns: [],
  leftOut: [],
});
