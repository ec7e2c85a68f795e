/** Where each npm script runs, so that none fails unnoticed. */

/** A script runs in a check, a job or a suite, or starts a tier itself. */
export type Place =
  | { readonly check: string }
  | { readonly job: string }
  | { readonly suite: string }
  | { readonly tier: readonly string[] };

const sourceCommands = { suite: 'integration/commands' } as const;
const benchmarks = { suite: 'e2e/benchmarks' } as const;

/** Place of each script of package.json. */
export const COMMANDS: Readonly<Record<string, Place>> = {
  check: { tier: ['--check'] },
  test: { tier: [] },
  'test:all': { tier: ['--all'] },
  'test:unit': sourceCommands,
  'test:integration': sourceCommands,
  'test:e2e': sourceCommands,
  'test:peer': { job: 'peer' },
  'test:stubs': { job: 'stubs' },
  'test:kills': { job: 'kills' },
  'test:identities': { job: 'identities' },
  'test:faults': { job: 'faults' },
  'test:attacks': { job: 'attacks' },
  'test:adoption': { job: 'adoption' },
  'test:rotation': { job: 'rotation' },
  'test:fleet': { job: 'fleet' },
  results: sourceCommands,
  typecheck: { check: 'types' },
  lint: { check: 'lint' },
  site: { check: 'site' },
  format: sourceCommands,
  crd: sourceCommands,
  deploy: sourceCommands,
  docs: sourceCommands,
  fuzz: sourceCommands,
  'release-table': sourceCommands,
  cli: sourceCommands,
  render: sourceCommands,
  plan: sourceCommands,
  plugin: sourceCommands,
  image: sourceCommands,
  release: { suite: 'integration/release/build' },
  demo: { suite: 'e2e/readme' },
  cluster: { suite: 'e2e/readme' },
  'bench:cluster': benchmarks,
  'bench:install': benchmarks,
  'bench:remote': benchmarks,
  'bench:upgrade': benchmarks,
  'bench:repair': benchmarks,
  'bench:hosts': benchmarks,
  'bench:compare': benchmarks,
  'bench:backup': benchmarks,
  'bench:metrics': benchmarks,
  'bench:fleet': benchmarks,
};
