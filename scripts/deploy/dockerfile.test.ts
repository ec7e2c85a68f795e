import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { run } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { requiredGo, compareVersions } from '../../tools/embedded-cluster/toolchain.ts';
import { writeImageArchive } from '../image/archive.ts';
import { containerSettings, dataDirectory } from '../image/operator.ts';
import { dockerfileImages } from '../release/containers.ts';

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Parses the instructions of a Dockerfile, without comments and with continuation lines joined. */
function parse(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  const joined = lines.join('\n').replaceAll(/\s*\\\n\s*/g, ' ');
  return joined.split('\n').flatMap((line) => {
    const match = /^(\S+)\s+(.*)$/.exec(line);
    return match ? [{ name: match[1] ?? '', text: match[2] ?? '' }] : [];
  });
}

/** Parses `NAME="value" …` of an ENV or a LABEL. */
function pairs(text: string): Record<string, string> {
  const found = [...text.matchAll(/(\S+?)="([^"]*)"/g)];
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value]));
}

const dockerfile = await readFile(join(checkout, 'Dockerfile'), 'utf8');
const instructions = parse(dockerfile);
const last = instructions.findLastIndex(({ name }) => name === 'FROM');
const image = instructions.slice(last);
const texts = (name: string, of = instructions): string[] =>
  of.filter((one) => one.name === name).map(({ text }) => text);

describe('Dockerfile', () => {
  it('uses only instructions that these tests know', () => {
    const known = ['ARG', 'FROM', 'COPY', 'RUN', 'WORKDIR', 'LABEL', 'ENV', 'USER', 'ENTRYPOINT'];
    expect(instructions.filter(({ name }) => !known.includes(name))).toEqual([]);
    expect(instructions.length).toBeGreaterThan(10);
  });

  it('starts each build stage with an image that an argument can replace by one with a digest', () => {
    const images = Object.keys(dockerfileImages(dockerfile));
    expect(texts('FROM')).toEqual([
      ...['node', 'build'].map(
        (stage, at) => `--platform=linux/amd64 \${${images[at] ?? ''}} AS ${stage}`,
      ),
      'scratch',
    ]);
    expect(texts('ARG')).toHaveLength(images.length);
  });

  it('copies only from earlier build stages', () => {
    const stages = new Set<string>();
    for (const { name, text } of instructions) {
      if (name === 'FROM') stages.add(/ AS (\S+)$/.exec(text)?.[1] ?? 'image');
      const from = /^--from=(\S+)/.exec(text)?.[1];
      if (name === 'COPY' && from !== undefined) expect([...stages]).toContain(from);
    }
    expect([...stages]).toEqual(['node', 'build', 'image']);
  });

  it('has the entry point, user and environment of `npm run image`', () => {
    const { entrypoint, user, environment } = containerSettings;
    expect(texts('ENTRYPOINT', image).map((text) => JSON.parse(text) as unknown)).toEqual([
      entrypoint,
    ]);
    expect(texts('USER', image)).toEqual([user]);
    expect(texts('ENV', image).map(pairs)).toEqual([
      { PATH: '/usr/local/bin:/usr/bin:/bin', ...environment },
    ]);
  });

  it('labels the image with version and license of package.json', async () => {
    const manifest = await readFile(join(checkout, 'package.json'), 'utf8');
    const { version, license } = JSON.parse(manifest) as { version: string; license: string };
    expect(texts('LABEL', image).map(pairs)).toEqual([
      {
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': license,
      },
    ]);
  });

  it('adds only the files of `npm run image` to its image', () => {
    const [base] = texts('FROM', image);
    expect(base).toBe('scratch');
    expect(texts('COPY', image)).toEqual([
      '--from=build /rootfs/ /',
      `--from=build --chown=${containerSettings.user} /karmada/ /${dataDirectory}/`,
    ]);
    expect(texts('RUN', image)).toEqual([]);
  });

  it('uses a Go version that is new enough for the builds', () => {
    const go = /golang:([\d.]+)/.exec(texts('ARG').join('\n'))?.[1] ?? '';
    expect(compareVersions(go, requiredGo)).toBeGreaterThan(0);
  });

  it('calls existing scripts and excludes generated folders from the build context', async () => {
    const [script] = texts('RUN').flatMap(
      (text) => /^node (\S+) (\S+) /.exec(text)?.slice(1, 3) ?? [],
    );
    expect(script).toBe('scripts/run.mjs');
    expect((await stat(join(checkout, 'scripts/image.ts'))).isFile()).toBe(true);
    const ignored = (await readFile(join(checkout, '.dockerignore'), 'utf8')).split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['node_modules', 'dist', '.git']));
  });

  it('unpacks the image archive into a root file system and the data directory', async () => {
    const command = texts('RUN').find((text) => text.includes('tar -xf'));
    const work = await mkdtemp(join(tmpdir(), 'dockerfile-'));
    try {
      const entries = [
        { path: 'etc/passwd', content: 'root\n' },
        { path: `${dataDirectory}/cache/key/crds.tar.gz`, content: 'crds', mode: 0o640 },
      ];
      await writeImageArchive(join(work, 'operator.tar'), entries, [{ tags: ['a/b:c'] }]);
      const inside = command?.replaceAll(
        / \/(?=(?:archive|rootfs|operator|karmada)\b)/g,
        ` ${work}/`,
      );
      await run(['sh', '-ec', inside ?? 'false']);
      expect(await readFile(join(work, 'rootfs/etc/passwd'), 'utf8')).toBe('root\n');
      const archive = join(work, 'karmada/cache/key/crds.tar.gz');
      expect((await stat(archive)).mode & 0o777).toBe(0o640);
      await expect(stat(join(work, 'rootfs', dataDirectory))).rejects.toThrow('ENOENT');
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
});
