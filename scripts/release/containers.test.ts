import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { containerRefusals, dockerfileImages, parseContainer } from './containers.ts';

const hex = '0123456789abcdef'.repeat(4);
const execute = promisify(execFile);

describe('dockerfileImages', () => {
  it('reads the arguments with images, and no others', () => {
    const text = '# ARG OLD_IMAGE=a:1\nARG GO_IMAGE=docker.io/library/golang:1\nARG OTHER=x\n';
    expect(dockerfileImages(text)).toEqual({ GO_IMAGE: 'docker.io/library/golang:1' });
  });
});

it.each([
  [undefined, true],
  [`docker.io/library/golang:1.26@sha256:${hex}`, true],
  ['', false],
  ['golang:1.26', false],
  [`golang@sha256:${hex.slice(1)}`, false],
  [`golang@sha256:${hex}0`, false],
  [`@sha256:${hex}`, false],
])('a release from the container %j is allowed: %s', (container, allowed) => {
  expect(containerRefusals(container).length === 0).toBe(allowed);
});

it('parseContainer returns image and digest', () => {
  expect(parseContainer(`golang:1@sha256:${hex}`)).toEqual({ image: 'golang:1', sha256: hex });
});

/** Stand-in for skopeo: prints $ANSWER for the images that $KNOWN matches. */
const SKOPEO = `#!/bin/sh
for image; do :; done
case "$image" in $KNOWN) printf '%s\\n' "$ANSWER" ;; *) echo "manifest unknown" >&2; exit 1 ;; esac
`;

describe('scripts/containers.ts', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'containers-'));
    await writeFile(join(directory, 'skopeo'), SKOPEO);
    await chmod(join(directory, 'skopeo'), 0o755);
  });
  afterAll(() => rm(directory, { recursive: true }));

  const containers = async (
    env: Record<string, string>,
    args: readonly string[] = [],
  ): Promise<{ stdout: string; stderr: string; code: number }> => {
    const options = { cwd: checkout, env: { PATH: `${directory}:/usr/bin:/bin`, ...env } };
    const command = ['--disable-warning=ExperimentalWarning', 'scripts/containers.ts', ...args];
    return execute(process.execPath, command, options).then(
      (output) => ({ ...output, code: 0 }),
      (error: unknown) => error as { stdout: string; stderr: string; code: number },
    );
  };

  it('prints all images of the Dockerfile, or the named one, with their digests', async () => {
    const env = { KNOWN: 'docker://docker.io/library/*', ANSWER: `sha256:${hex}` };
    const { stdout } = await containers(env);
    expect(stdout).toMatch(
      new RegExp(
        `^NODE_IMAGE=docker\\.io/library/node:[\\w.-]+@sha256:${hex}\nGO_IMAGE=docker\\.io/library/golang:[\\w.-]+@sha256:${hex}\n$`,
      ),
    );
    expect((await containers(env, ['GO_IMAGE'])).stdout).toBe(`${stdout.split('\n')[1] ?? ''}\n`);
  });

  it.each([
    ['the registry does not have one', { KNOWN: '*/node:*', ANSWER: `sha256:${hex}` }, 'golang'],
    ['an answer is empty', { KNOWN: '*', ANSWER: '' }, 'returned no digest, but ""'],
    ['an answer is a tag', { KNOWN: '*', ANSWER: 'latest' }, 'returned no digest, but "latest"'],
  ])('prints nothing and fails if %s', async (_, env, message) => {
    const { stdout, stderr, code } = await containers(env);
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain(message);
  });

  it('names the arguments of the Dockerfile if it does not have the named one', async () => {
    expect((await containers({}, ['RUST_IMAGE'])).stderr).toBe(
      'error: RUST_IMAGE: not an argument of the Dockerfile; it has NODE_IMAGE, GO_IMAGE\n',
    );
  });
});
