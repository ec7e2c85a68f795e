import { existsSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { aptOptions } from './apt.ts';
import { attempt, run } from './command.ts';
import { Failure } from './failure.ts';
import { lock } from './lock.ts';
import { cacheDirectory, digest } from './paths.ts';
import type { Progress } from './progress.ts';
import { quote } from './quote.ts';

/** Debian packages for a node. They are unpacked into the cache and never installed. */
const packages = [
  'containerd',
  'runc',
  'containernetworking-plugins',
  'iptables',
  'busybox-static',
  // Not for a node: a test uses it to enforce NetworkPolicies.
  'ipset',
  // Not for a node: a test uses it as a proxy in front of a control plane.
  'sniproxy',
];

/** Packages that are never unpacked, because the programs must use those of the machine. */
const system = /^(libc6|libgcc-s1|gcc-\d+-base|netbase|debconf|init-system-helpers)$/;

/** Programs of the packages, with their paths relative to the unpacked folder. */
const programs: Readonly<Record<string, string>> = {
  containerd: 'usr/bin/containerd',
  'containerd-shim-runc-v2': 'usr/bin/containerd-shim-runc-v2',
  ctr: 'usr/bin/ctr',
  runc: 'usr/sbin/runc',
  sniproxy: 'usr/sbin/sniproxy',
  ipset: 'usr/sbin/ipset',
};

const iptablesPrograms = [
  'iptables',
  'iptables-save',
  'iptables-restore',
  'ip6tables',
  'ip6tables-save',
  'ip6tables-restore',
];

export interface Tools {
  /** Directory to put first on PATH. */
  bin: string;
  /** Directory of the CNI plugins. */
  cni: string;
  /** A static BusyBox. */
  busybox: string;
}

async function aptClosure(apt: readonly string[]): Promise<string[]> {
  const none = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'];
  const depends = await run([
    'apt-cache',
    ...apt,
    'depends',
    '--recurse',
    ...none.map((kind) => `--no-${kind}`),
    ...packages,
  ]);
  const names = depends.split('\n').filter((text) => /^[a-z0-9]/.test(text));
  return [...new Set(names.map((name) => name.trim()))].filter((name) => !system.test(name)).sort();
}

async function unpack(target: string): Promise<void> {
  const work = await mkdtemp(join(cacheDirectory(), 'apt-'));
  try {
    for (const part of ['debs', 'root']) await mkdir(join(work, part));
    const apt = await aptOptions(work);
    await run(['apt-get', ...apt, 'update']);
    await run(['apt-get', ...apt, 'download', ...(await aptClosure(apt))], {
      cwd: join(work, 'debs'),
    });
    for (const file of await readdir(join(work, 'debs'))) {
      await run(['dpkg-deb', '--extract', join(work, 'debs', file), join(work, 'root')]);
    }
    await writeWrappers(join(work, 'root'), target);
    await rename(join(work, 'root'), target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Writes wrapper scripts that set the library path of each program without a change of the caller's environment. */
async function writeWrappers(root: string, target: string): Promise<void> {
  const libraries = join(target, 'usr/lib/x86_64-linux-gnu');
  const both = `${libraries}:${join(target, 'lib/x86_64-linux-gnu')}`;
  const bin = join(root, 'bin-wrapped');
  await mkdir(bin);
  const environment = `LD_LIBRARY_PATH=${quote(both)} XTABLES_LIBDIR=${quote(`${libraries}/xtables`)}`;
  const wrap = (name: string, ...command: string[]): Promise<void> =>
    writeFile(
      join(bin, name),
      `#!/bin/sh\n${environment} exec ${command.map(quote).join(' ')} "$@"\n`,
      { mode: 0o755 },
    );
  for (const [name, path] of Object.entries(programs)) await wrap(name, join(target, path));
  for (const [variant, multi] of [
    ['nft', 'xtables-nft-multi'],
    ['legacy', 'xtables-legacy-multi'],
  ] as const) {
    const directory = join(root, `iptables-${variant}`);
    await mkdir(directory);
    for (const name of iptablesPrograms) {
      await wrap(`${variant}-${name}`, join(target, 'usr/sbin', multi), name);
      await symlink(join(target, 'bin-wrapped', `${variant}-${name}`), join(directory, name));
    }
  }
}

async function release(): Promise<string> {
  return readFile('/etc/os-release', 'utf8').catch(() => '');
}

/**
 * Unpacks the container runtime, CNI plugins, iptables and BusyBox into the cache if they are missing.
 * It neither uses nor changes the packages, lists and locks of the machine.
 * @throws Failure on a machine without apt
 */
export async function ensureTools(progress: Progress): Promise<Tools> {
  const directory = join(cacheDirectory(), 'tools');
  const target = join(directory, digest(await release(), packages.join(' '), 'v4'));
  if (!existsSync(target)) {
    if ((await attempt(['apt-get', '--version'])).code !== 0) {
      throw new Failure(
        'apt-get is missing',
        'the embedded cluster needs a Debian or Ubuntu machine',
      );
    }
    await mkdir(directory, { recursive: true });
    const held = await lock(`tools:${target}`, () =>
      progress.note('waiting: another process unpacks the tools'),
    );
    try {
      if (!existsSync(target))
        await progress.step('unpack container runtime', () => unpack(target));
    } finally {
      held.release();
    }
  }
  return {
    bin: join(target, 'bin-wrapped'),
    cni: join(target, 'usr/lib/cni'),
    busybox: join(target, 'bin/busybox'),
  };
}

/** Returns the PATH for the node programs, with the iptables variant that works on this kernel. */
export function toolPath(tools: Tools, variant: 'nft' | 'legacy'): string {
  const root = join(tools.bin, '..');
  return [
    tools.bin,
    join(root, `iptables-${variant}`),
    '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ].join(':');
}
