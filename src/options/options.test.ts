import { describe, expect, it } from '@jest/globals';
import { OptionsError, parseBindAddress, parseOptions } from './options.ts';

function refusal(...args: string[]): OptionsError {
  try {
    parseOptions(args);
  } catch (error) {
    if (error instanceof OptionsError) return error;
  }
  throw new Error('the command line was accepted');
}

describe('parseOptions', () => {
  it('returns the defaults of the upstream operator when no flags are set', () => {
    expect(parseOptions([])).toEqual({
      concurrentSyncs: 5,
      crossNamespaceSecrets: 'Granted',
      tenantPods: 'Any',
      hostPodSecurity: 'restricted',
      maxHostClusters: 100,
      rolloutLimit: { atOnce: { percent: 10 }, failures: { percent: 1 } },
      progressDeadlineMs: 300_000,
      addresses: { allowed: [] },
      metrics: { host: '', port: 8080 },
      health: { host: '', port: 8443 },
      clientRate: { qps: 150, burst: 300 },
      leaderElection: {
        enabled: true,
        namespace: 'karmada-system',
        name: 'karmada-operator',
        leaseMs: 15_000,
        renewDeadlineMs: 10_000,
        retryMs: 2_000,
      },
      archiveUrl: 'https://github.com/karmada-io/karmada/releases/download/{release}/crds.tar.gz',
      scope: undefined,
      printOrphans: false,
      withoutEffect: [],
      log: { format: 'json', verbosity: 2 },
    });
  });

  it.each([
    ['--leader-elect=false', { leaderElection: { enabled: false } }],
    ['--leader-elect', { leaderElection: { enabled: true } }],
    ['--metrics-bind-address=0', { metrics: undefined }],
    ['--health-probe-bind-address=127.0.0.1:9', { health: { host: '127.0.0.1', port: 9 } }],
    ['--leader-elect-lease-duration=1m30s', { leaderElection: { leaseMs: 90_000 } }],
    ['--operator-rollout-limit=3', { rolloutLimit: { atOnce: { count: 3 } } }],
    ['--operator-rollout-limit=0', { rolloutLimit: { atOnce: { count: 0 } } }],
    ['--operator-rollout-failures=0', { rolloutLimit: { failures: { count: 0 } } }],
    ['--progress-deadline=10m', { progressDeadlineMs: 600_000 }],
    ['--max-host-clusters-per-namespace=7', { maxHostClusters: 7 }],
    ['--operator-rollout-limit=25%', { rolloutLimit: { atOnce: { percent: 25 } } }],
    ['--v=4', { log: { verbosity: 4 } }],
    ['--kubeconfig=/tmp/k', { kubeconfig: '/tmp/k' }],
  ])('parses %s', (flag, expected) => {
    expect(parseOptions([flag])).toMatchObject(expected);
  });

  it.each([
    ['--concurrent-karmada-syncs=0', '--concurrent-karmada-syncs'],
    ['--max-host-clusters-per-namespace=0', '--max-host-clusters-per-namespace'],
    ['--operator-rollout-limit=0%', '--operator-rollout-limit'],
    ['--operator-rollout-failures=-1', '--operator-rollout-failures'],
    ['--operator-rollout-limit=101%', '--operator-rollout-limit'],
    ['--metrics-bind-address=8080', '--metrics-bind-address'],
    ['--health-probe-bind-address=:99999', '--health-probe-bind-address'],
    ['--leader-elect=maybe', '--leader-elect'],
    ['--leader-elect-retry-period=5', '--leader-elect-retry-period'],
    ['--leader-elect-lease-duration=10s', '--leader-elect-renew-deadline'],
    ['--logging-format=xml', '--logging-format'],
    ['--no-such-flag', '--no-such-flag'],
  ])('rejects %s with exit code 2 and the name of the flag', (flag, name) => {
    expect(refusal(flag)).toMatchObject({ exitCode: 2, message: expect.stringContaining(name) });
  });

  it('exits with code 0 when help or the version is requested', () => {
    expect(refusal('--help')).toMatchObject({ exitCode: 0 });
    expect(refusal('--version')).toMatchObject({ exitCode: 0, message: '0.0.0-dev\n' });
  });

  it.each([
    ['a duration', /--leader-elect-lease-duration .*\(default: 15s\)/],
    ['a percentage', /--operator-rollout-limit .*\(default: 10%\)/],
    ['a text', /--logging-format .*default: json\)/],
    ['a number', /--kube-api-qps .*\(default: 150\)/],
    ['nothing for addresses, which are denied', /--allow-addresses .*; denied by default\n/],
  ])('prints the default of %s in the help as a user writes it', (_, expected) => {
    const lines = refusal('--help').message.replace(/\n {10,}/g, ' ');
    expect(lines).toMatch(expected);
  });

  it('parses bind addresses with and without a host', () => {
    expect(parseBindAddress('[::1]:80')).toEqual({ host: '::1', port: 80 });
    expect(parseBindAddress(':80')).toEqual({ host: '', port: 80 });
  });
});

describe('--watch-namespaces', () => {
  it.each([
    [['--watch-namespaces='], undefined],
    [['--watch-namespaces=b, a,b'], { namespaces: ['b', 'a'], without: [] }],
    [
      ['--watch-namespaces=a', '--without-cluster-permissions=nodes,storageclasses'],
      { namespaces: ['a'], without: ['nodes', 'storageclasses'] },
    ],
  ])('%j sets the scope', (args, scope) => {
    expect(parseOptions(args).scope).toEqual(scope);
  });

  it.each([
    ['--watch-namespaces=a,B', 'must be a comma-separated list of namespaces'],
    ['--without-cluster-permissions=secrets', 'must be a comma-separated list of customresource'],
  ])('%s is refused', (arg, message) => {
    expect(refusal(arg).message).toContain(message);
  });
});

describe('--crd-archive-url', () => {
  it.each([
    '',
    'https://mirror.example.com/{release}.tgz',
    'http://10.0.0.1/{release}/crds.tar.gz',
  ])('accepts %j', (url) => {
    expect(parseOptions([`--crd-archive-url=${url}`]).archiveUrl).toBe(url);
  });

  it.each(['https://mirror.example.com/crds.tar.gz', 'file:///{release}', '{release}'])(
    'rejects %j',
    (url) => {
      expect(() => parseOptions([`--crd-archive-url=${url}`])).toThrow('must be an http or https');
    },
  );
});
