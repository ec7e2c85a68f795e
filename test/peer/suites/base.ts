import type { ImageConfig } from '../../../scripts/image/archive.ts';
import type { LeftOut, PeerSuite } from './suite.ts';

/** Program of the interpreter webhook for the kind Workload of the specs. */
export const INTERPRETER = 'interpreter-webhook';

/** Images with the names in the specs. All contain BusyBox. */
export const STAND_INS: readonly ImageConfig[] = [
  {
    tags: ['docker.io/library/nginx:1.19.0'],
    command: ['sh', '-c', 'echo started; exec httpd -f -p 80 -h /tmp'],
  },
  { tags: ['docker.io/library/busybox:1.36.0'], command: ['sh'] },
  { tags: ['docker.io/library/perl:5.34.0'], command: ['perl'] },
];

const KIND = 'creates a cluster with kind, which requires Docker';
const NO_METRICS =
  'requires metrics-server in the member clusters, which the embedded cluster does not have';

const KIND_NAMES =
  'searches for a node, a Pod of etcd or a DaemonSet with the name that kind gives it';

const leftOut: readonly LeftOut[] = [
  { label: 'needCreateCluster', reason: KIND },
  { pattern: 'Aggregated Kubernetes API Endpoint testing', reason: KIND },
  { pattern: 'member clusters joined', reason: KIND },
  { pattern: 'testing for FederatedHPA and metrics-adapter', reason: NO_METRICS },
  { pattern: 'Karmadactl top', reason: NO_METRICS },
  { pattern: String.raw`\[ (?:nodes|pods)\] should be searchable`, reason: KIND_NAMES },
  { pattern: String.raw`\[daemonset\] should`, reason: KIND_NAMES },
  { pattern: 'member clusters updated', reason: KIND_NAMES },
  {
    pattern: 'metrics presence testing',
    reason:
      'the embedded images contain the programs of Karmada in one binary, in which karmada-scheduler reports no work queue',
  },
  {
    pattern: 'Multi-Cluster Service testing Connectivity testing',
    reason: 'requires a server of BusyBox (nc -lk) that the package of Debian does not contain',
  },
];

/** The suite of the Karmada API, whose control plane the operator installs. */
export const baseSuite = (): PeerSuite => ({
  name: 'base',
  package: './test/e2e/suites/base',
  programs: { [INTERPRETER]: './examples/customresourceinterpreter/webhook' },
  processes: 4,
  flags: ['--poll-interval=1s'],
  alterations: [
    {
      file: 'test/e2e/suites/base/mcs_test.go',
      find: '"busybox"',
      replace: '"busybox:1.36.0"',
      reason: 'without a tag, Kubernetes pulls the image, and the embedded cluster pulls none',
    },
  ],
  standIns: STAND_INS.flatMap(({ tags }) => tags),
  leftOut,
});
