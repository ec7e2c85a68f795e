/**
 * Folders of src, lowest first. A folder imports from lower lines and from itself; the programs, `src/*.ts`, import from
 * all, and nothing imports from them.
 */
const LAYERS = [
  ['redact', 'untrusted'],
  ...[
    ['objects', 'time'],
    ['fairness', 'shapes'],
    ['connection'],
    ['client'],
    ['leader-election', 'workqueue'],
    ['informers'],
    ['apply'],
  ].map((parts) => parts.map((name) => `kubernetes/${name}`)),
  ['api', 'etcd'],
  ['components', 'conditions', 'permissions', 'pki', 'served-crd'],
  ['controlplane', 'external-etcd', 'host-clusters', 'http', 'member-clusters'],
  ['backup', 'crd-archives', 'orphans'],
  ['etcd-cluster/storage'],
  ['causes', 'etcd-cluster/pods'],
  ['control-plane-access', 'etcd-cluster/identity'],
  ['etcd-cluster/members', 'etcd-cluster/recovery'],
  ['instance'],
  ['actions'],
  ['assessment'],
  ['features/propagation', 'features/secret-grants', 'features/status'],
  ...[
    ['rotation'],
    ['adoption', 'certificates', 'etcd-storage', 'member-access', 'remote-host'],
    ['backups', 'etcd-bootstrap', 'external-etcd', 'identities', 'operator-rollout'],
    ['etcd-members'],
    ['causes', 'etcd-recovery', 'etcd-upkeep'],
    ['etcd-plan'],
    ['components'],
    ['reachability', 'rollback'],
    ['progress', 'readiness', 'versions'],
    ['control-plane', 'upgrade-backup'],
  ].map((features) => features.map((name) => `features/${name}`)),
  ['controllers/backups/pods'],
  [
    ...['backup', 'restore', 'schedule', 'store'].map((name) => `controllers/backups/${name}`),
    'controllers/karmada/deletion',
  ],
  ['controllers/backups', 'controllers/karmada'],
  ['cli', 'metrics', 'options'],
  ['operator'],
];

/** Tests and what only they use may import from everywhere. */
const TESTS = String.raw`\.test\.ts$|/__fixtures__/|\.fixture\.ts$|fixture\.test-data\.ts$`;

const folders = LAYERS.flatMap((layer, level) => {
  const below = LAYERS.slice(0, level).flat();
  return layer.map((folder) => ({
    name: `layer-of-${folder}`,
    comment: `src/${folder} imports only from ${[folder, ...below].join(', ')}`,
    severity: 'error',
    from: { path: `^src/${folder}/`, pathNot: TESTS },
    to: { path: '^src/', pathNot: `^src/(?:${[folder, ...below].join('|')})/` },
  }));
});

export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'modules that need each other share a third one, or are one',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-tests-in-src',
      comment: 'the operator does not depend on tests, nor on scripts',
      severity: 'error',
      from: { path: '^src/', pathNot: TESTS },
      to: { path: `^(?:test|tools|scripts)/|${TESTS}` },
    },
    ...folders,
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'node_modules' },
  },
};
