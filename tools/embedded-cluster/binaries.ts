import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';
import { lock } from './lock.ts';
import { cacheDirectory, checkout, digest } from './paths.ts';
import { requireLinuxOnX64 } from './platform.ts';
import { createProgress, type Progress } from './progress.ts';
import { goEnvironment, goVersion, requireDisk } from './toolchain.ts';
import { karmadaReleases, kubernetesReleases } from './releases.ts';

/** Build parameters of one executable from a Go module below `go/`. */
export interface BinarySource {
  module: string;
  package: string;
  /** Module file in the folder of the module; defaults to go.mod. */
  modfile?: string;
  /** Linker flags `-X`: variable to text. */
  values?: Readonly<Record<string, string>>;
  /** Build tags that the Go project itself uses. */
  tags?: string;
}

function kubernetesVersion(version: string): Record<string, string> {
  const [major = '', minor = ''] = version.slice(1).split('.');
  const variable = 'k8s.io/component-base/version';
  return {
    [`${variable}.gitVersion`]: version,
    [`${variable}.gitMajor`]: major,
    [`${variable}.gitMinor`]: minor,
  };
}

function karmadaVersion(version: string): Record<string, string> {
  return { 'github.com/karmada-io/karmada/pkg/version.gitVersion': version };
}

/** Since Kubernetes 1.35 libraries, estimators cannot encode their messages without this tag. */
const estimatorTag = 'kubernetes_protomessage_one_more_release';

const sources = {
  pause: { module: 'pause', package: '.' },
  etcd: { module: 'etcd', package: '.' },
  'etcd-previous': { module: 'etcd-previous', package: '.' },
  coredns: { module: 'coredns', package: '.' },
  helm: {
    module: 'helm',
    package: 'helm.sh/helm/v3/cmd/helm',
    values: { 'helm.sh/helm/v3/internal/version.version': 'v3.19.0' },
  },
  krew: { module: 'krew', package: 'sigs.k8s.io/krew/cmd/krew' },
  'krew-validator': { module: 'krew', package: 'sigs.k8s.io/krew/cmd/validate-krew-manifest' },
  registry: { module: 'registry', package: '.' },
  rclone: { module: 'rclone', package: '.' },
  versitygw: { module: 'versitygw', package: 'github.com/versity/versitygw/cmd/versitygw' },
  // Its go.mod requires Go 1.26.
  prometheus: {
    module: 'prometheus',
    package: 'github.com/prometheus/prometheus/cmd/prometheus',
    // Without the service discovery of clouds the build takes half the time.
    tags: 'remove_all_sd,enable_kubernetes_sd',
  },
  'crd-cost': { module: 'crd-cost', package: '.' },
  'gitops-health': { module: 'gitops-health', package: '.' },
  kubernetes: {
    module: 'kubernetes',
    package: '.',
    values: kubernetesVersion(kubernetesReleases.current),
  },
  'kubernetes-previous': {
    module: 'kubernetes-previous',
    package: '.',
    values: kubernetesVersion(kubernetesReleases.previous),
  },
  karmada: {
    module: 'karmada',
    package: '.',
    values: karmadaVersion(karmadaReleases.current),
    tags: estimatorTag,
  },
  'karmada-previous': {
    module: 'karmada',
    package: '.',
    modfile: `${karmadaReleases.previous}.mod`,
    values: karmadaVersion(karmadaReleases.previous),
    tags: estimatorTag,
  },
  'karmada-oldest': {
    module: 'karmada',
    package: '.',
    modfile: `${karmadaReleases.oldest}.mod`,
    values: karmadaVersion(karmadaReleases.oldest),
  },
} satisfies Record<string, BinarySource>;

/** Names of the executables for the embedded cluster, its images and the integration tests. */
export type BinaryName = keyof typeof sources;

const moduleDirectory = (source: BinarySource): string =>
  join(checkout, 'tools', 'embedded-cluster', 'go', source.module);

/** Returns true for files of the module that affect the build. Module files of another release do not. */
function relevant(file: string, source: BinarySource): boolean {
  if (file.endsWith('.go')) return true;
  const stem = (source.modfile ?? 'go.mod').replace(/\.mod$/, '');
  return file === `${stem}.mod` || file === `${stem}.sum`;
}

/**
 * Computes the content key of a binary from all inputs of its build.
 * @param directory folder of the Go module
 * @param go version of the compiler
 */
export async function buildKey(
  source: BinarySource,
  directory: string,
  go: string,
): Promise<string> {
  const names = await readdir(directory, { recursive: true });
  const files = names.filter((file) => relevant(file, source)).sort();
  const contents = await Promise.all(files.map((file) => readFile(join(directory, file))));
  return digest(go, JSON.stringify(source), ...files, ...contents);
}

async function build(source: BinarySource, output: string, goCache: string): Promise<void> {
  const values = Object.entries(source.values ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  const partial = `${output}.partial`;
  const modfile = source.modfile === undefined ? [] : [`-modfile=${source.modfile}`];
  const tags = source.tags === undefined ? [] : [`-tags=${source.tags}`];
  const ldflags = `-ldflags=${['-s', '-w', ...values].join(' ')}`;
  await run(
    [
      'go',
      'build',
      '-trimpath',
      '-buildvcs=false',
      ...modfile,
      ...tags,
      ldflags,
      '-o',
      partial,
      source.package,
    ],
    { cwd: moduleDirectory(source), env: { ...goEnvironment(), GOCACHE: goCache } },
  );
  await chmod(partial, 0o755);
  await rename(partial, output);
}

/**
 * Returns the compiler cache. Our own cache grows to 11 GiB and saves little later, so it is deleted after the builds.
 * A cache that the user sets with GOCACHE is kept.
 */
function compilerCache(): { directory: string; keep: boolean } {
  const own = process.env['GOCACHE'];
  if (own !== undefined && own !== '') return { directory: own, keep: true };
  return { directory: join(cacheDirectory(), 'go-build'), keep: false };
}

/** Throws Failure if the disk of the cache has too little space to build `count` binaries. */
async function requireRoom(count: number): Promise<void> {
  const place = {
    directory: cacheDirectory(),
    alternative: 'point KARMADA_OPERATOR_CACHE to a larger disk',
  };
  await requireDisk(place, count > 2 ? 16 : 6, 'building from source');
}

async function buildMissing(
  missing: readonly { name: BinaryName; path: string }[],
  progress: Progress,
): Promise<void> {
  const cache = cacheDirectory();
  await mkdir(join(cache, 'bin'), { recursive: true });
  const waiting = (): void => progress.note('waiting: another process builds the same binaries');
  const held = await lock(`binaries:${cache}`, waiting);
  try {
    const compiler = compilerCache();
    await requireRoom(missing.length);
    for (const { name, path } of missing) {
      if (existsSync(path)) continue;
      await progress.step(`build ${name}`, () => build(sources[name], path, compiler.directory));
    }
    if (!compiler.keep) await rm(compiler.directory, { recursive: true, force: true });
  } finally {
    held.release();
  }
}

/** Returns the cache path of each executable, whether it exists or not. */
async function locate<N extends BinaryName>(
  names: readonly N[],
): Promise<{ name: N; path: string }[]> {
  requireLinuxOnX64(`the program ${names.join(', ')}`);
  const go = await goVersion();
  return Promise.all(
    names.map(async (name) => {
      const source: BinarySource = sources[name];
      const key = await buildKey(source, moduleDirectory(source), go);
      return { name, path: join(cacheDirectory(), 'bin', `${name}-${key}`) };
    }),
  );
}

/**
 * Checks the requirements to build the executables that are missing in the cache, before any build starts.
 * @throws Failure if Go or disk space is missing
 */
export async function checkBuild(names: readonly BinaryName[]): Promise<void> {
  const missing = (await locate(names)).filter(({ path }) => !existsSync(path));
  if (missing.length > 0) await requireRoom(missing.length);
}

/**
 * Returns the paths of the executables. Builds those that are missing in the cache, sequentially, because the compiler
 * uses all cores by itself.
 * @throws Failure if Go or disk space is missing
 */
export async function ensureBinaries<N extends BinaryName>(
  names: readonly N[],
  progress: Progress = createProgress(process.stderr),
): Promise<Record<N, string>> {
  const paths = await locate(names);
  const missing = paths.filter(({ path }) => !existsSync(path));
  if (missing.length > 0) await buildMissing(missing, progress);
  return Object.fromEntries(paths.map(({ name, path }) => [name, path])) as Record<N, string>;
}
