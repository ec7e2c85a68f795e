// Decisions of run.mjs that depend on the platform. This file has no dependencies and parses on Node.js 20.
// Pure functions: the platform, the processor architecture and the version are those of `process`.

/** Platforms for which the lock file has Node.js as a package, as `process.platform` and `process.arch` name them. */
const PACKAGED = ['linux-x64', 'linux-arm64'];

/** Platforms whose commands run with the Node.js that started them, because npm has no package of the locked version. */
const UNPACKAGED = ['darwin-x64', 'darwin-arm64'];

const named = ({ platform, arch }) => `${platform}-${arch}`;

/**
 * Returns the Node.js that runs the commands on a machine: a package of the lock file, or the one that started them.
 * @param machine `platform` and `arch`, and `version`, such as `v26.12.1`
 * @param locked version of Node.js in package.json, such as `26.12.1`
 * @returns `{ package }`, `{ own: true }`, or `{ error }` with what to do
 */
export function nodeFor(machine, locked) {
  const name = named(machine);
  if (PACKAGED.includes(name)) return { package: `node-${name}` };
  if (!UNPACKAGED.includes(name)) {
    const known = 'Linux and macOS on x86-64 and arm64';
    return { error: `this is ${name}: the development commands run on ${known}` };
  }
  const major = locked.split('.')[0];
  if (machine.version.startsWith(`v${major}.`)) return { own: true };
  const remedy = `install Node.js ${major} and put it first on PATH`;
  return { error: `this is Node.js ${machine.version} on ${name}: ${remedy}` };
}

/**
 * Returns what is wrong with the Node.js that started a command, and what to install. It only starts the commands and npm,
 * so an old one is no error. Its support ends with that of its major version.
 * @param version such as `v20.20.2`
 * @param engines the oldest supported version in package.json, such as `>=22.19.0`
 * @returns undefined if the version is supported
 */
export function outdatedNode(version, engines) {
  const numbers = (text) => text.match(/\d+/g).map(Number);
  const [own, oldest] = [numbers(version), numbers(engines)];
  const at = oldest.findIndex((number, index) => number !== own[index]);
  if (at === -1 || own[at] > oldest[at]) return undefined;
  return `Node.js ${version} is not supported any more: install Node.js ${oldest.join('.')} or newer`;
}

/** Value of O_EXLOCK in <fcntl.h> of macOS: open(2) acquires an exclusive lock, which ends with the process. */
const O_EXLOCK = 0x20;

/**
 * Returns how processes that install packages exclude each other. The kernel releases both locks when their holder exits
 * for any reason. Only Linux has abstract sockets, and only macOS has O_EXLOCK.
 * @param platform as `process.platform` names it
 * @param key text that identifies the checkout
 * @param constants those of `node:fs`
 * @returns `{ socket }` with the address to listen at, or `{ file, flags }` with the name of a file in the folder for
 * temporary files, and the flags to open it
 */
export function installLock(platform, key, constants) {
  const name = `karmada-operator-ts:install:${key}`;
  if (platform === 'linux') return { socket: `\0${name}` };
  const { O_CREAT, O_RDWR, O_NONBLOCK } = constants;
  return { file: name.replaceAll(':', '-'), flags: O_CREAT | O_RDWR | O_NONBLOCK | O_EXLOCK };
}
