/** @size small */
import { chmodSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { controlGroups } from '../../tools/embedded-cluster/cgroups.ts';
import { attempt, type CommandResult } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { clusterDirectory } from '../../tools/embedded-cluster/slot.ts';
import { describeCluster } from '../harness/describe-cluster.ts';

const name = 'errors';
const hour = 3_600_000;

let directory: string;

/** Creates a directory for PATH that contains these scripts. */
function commands(scripts: Readonly<Record<string, string>>): string {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  for (const [command, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, command), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, command), 0o755);
  }
  return bin;
}

/** Returns the path of a command on PATH. */
function which(command: string): string {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((path) => join(path, command));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${command} is not on PATH`);
  return found;
}

const cli = ['--disable-warning=ExperimentalWarning', 'tools/embedded-cluster/main.ts'];

interface Call {
  args?: readonly string[];
  /** Command that wraps the call. */
  inside?: readonly string[];
  env?: Record<string, string | undefined>;
}

function call({ args = ['up', name], inside = [], env = {} }: Call): Promise<CommandResult> {
  return attempt([...inside, process.execPath, ...cli, ...args], { cwd: checkout, env });
}

/** Expects one error line as the last line. Only progress lines may precede it. */
function expectError({ code, stdout, stderr }: CommandResult, message: RegExp): void {
  const lines = stderr.trimEnd().split('\n');
  const errors = lines.filter((line) => !/ {2}(done|failed) {2}|running$/.test(line));
  expect(errors).toEqual([expect.stringMatching(message)]);
  expect(lines.at(-1)).toMatch(/^error: /);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
}

function expectNoCluster(): void {
  expect(existsSync(clusterDirectory(name))).toBe(false);
  expect(controlGroups(name).all()).toEqual([]);
}

/** Runs a shell script in new mount and network namespaces, then the command that follows. */
const apart = (script: string, ...args: string[]): string[] => [
  'unshare',
  '--mount',
  '--net',
  '--propagation',
  'private',
  '--',
  'sh',
  '-ec',
  `${script}; shift ${String(args.length)}; exec "$@"`,
  'sh',
  ...args,
];

describeCluster('errors of the cluster command', () => {
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'errors-'));
    chmodSync(directory, 0o755);
  });
  afterEach(() => {
    expectNoCluster();
    rmSync(directory, { recursive: true });
  });

  it('fails when the user is not root', async () => {
    // The checkout may be in a directory that only root can access.
    const bind = 'mount --bind "$1" "$3"; mount --bind "$2" "$4"; cd "$3"';
    const [tree, packages] = [join(directory, 'tree'), join(directory, 'node')];
    mkdirSync(tree);
    writeFileSync(packages, '');
    const drop = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', packages];
    const inside = apart(bind, checkout, process.execPath, tree, packages);
    const result = await attempt([...inside, ...drop, ...cli, 'up', name], { cwd: checkout });
    expectError(result, /^error: an embedded cluster needs root: run the command as root/);
  });

  it('fails when Go is not installed', async () => {
    const bin = commands({});
    const needed = ['sh', 'ip', 'nsenter', 'unshare', 'mount', 'sysctl', 'apt-get'];
    for (const command of needed) symlinkSync(which(command), join(bin, command));
    const result = await call({ env: { PATH: bin } });
    expectError(
      result,
      /^error: Go is not installed: install Go [\d.]+ or newer and put it on PATH$/,
    );
  });

  it('fails when Go is too old', async () => {
    const bin = commands({ go: 'echo go version go1.19.8 linux/amd64' });
    const result = await call({ env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } });
    expectError(result, /^error: Go 1\.19\.8 is too old: install Go [\d.]+ or newer/);
  });

  it('fails before any download or build when the disk has too little free space', async () => {
    const cache = join(directory, 'cache');
    mkdirSync(cache);
    // Only the mount namespace contains this file system. Its listing goes to the otherwise empty stdout.
    const inside = apart('mount -t tmpfs -o size=64m tmpfs "$1"', cache);
    const list = ['sh', '-c', '"$@"; code=$?; ls -A "$KARMADA_OPERATOR_CACHE"; exit $code', 'sh'];
    const result = await call({
      inside: [...inside, ...list],
      env: { KARMADA_OPERATOR_CACHE: cache },
    });
    expectError(
      result,
      /^error: .*cache has 0\.1 GiB free, building from source needs 16 GiB: free some space, or point KARMADA_OPERATOR_CACHE to a larger disk$/,
    );
  });

  it.each([
    ['veth', 'a veth pair'],
    ['bridge', 'a bridge'],
  ])(
    'fails when the kernel does not support %s',
    async (type, feature) => {
      const refuse = `case "$*" in *"type ${type}"*) echo "Error: Unknown device type." >&2; exit 2;; esac`;
      const bin = commands({ ip: `${refuse}\nexec ${which('ip')} "$@"` });
      const result = await call({ env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } });
      expectError(
        result,
        new RegExp(`^error: the kernel refuses ${feature} \\(.*\\): load or build in ${type}$`),
      );
    },
    hour,
  );

  it('fails when the cluster name is invalid', async () => {
    const result = await call({ args: ['up', 'Bad_Name'] });
    expectError(result, /^error: "Bad_Name" is not a valid cluster name: use 1 to 20 lower case/);
  });

  it(
    'fails when all networks are in use',
    async () => {
      const take = 'for n in 0 1 2 3 4 5 6 7 8 9; do ip route add blackhole 10.24$n.0.0/16; done';
      const result = await call({ inside: apart(take) });
      expectError(
        result,
        /^error: all networks from 10\.240\.0\.0\/16 to 10\.249\.0\.0\/16 are in use: remove a cluster .* or the other routes to these networks$/,
      );
    },
    hour,
  );

  it.each([
    ['an unknown command', ['frobnicate'], 'unknown command'],
    ['a mistyped command', ['upp'], 'unknown command'],
    ['an unknown option', ['up', '--quick'], 'unknown option'],
    ['too many arguments', ['down', name, 'more'], 'too many arguments'],
    ['an invalid choice', ['up', '--images', 'some'], 'Allowed choices are demo, all'],
  ])('fails when called with %s', async (_, args, message) => {
    expectError(
      await call({ args }),
      new RegExp(`^error: .*${message}.*: npm run cluster -- --help lists the commands$`),
    );
  });
});
