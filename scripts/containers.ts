/**
 * Prints the images that the Dockerfile builds with, as `NAME=IMAGE:TAG@sha256:…`: `node scripts/containers.ts [NAME …]`.
 * Fails if a registry does not return a digest. Needs skopeo. Uses no package, because it runs before they are installed.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dockerfileImages, withDigest } from './release/containers.ts';

/** Returns the digest of an image for all its platforms. */
async function digestOf(image: string): Promise<string> {
  const inspect = ['inspect', '--no-tags', '--format', '{{.Digest}}', `docker://${image}`];
  const { stdout } = await promisify(execFile)('skopeo', inspect);
  return stdout.trim();
}

async function main(names: readonly string[]): Promise<void> {
  const dockerfile = await readFile(join(import.meta.dirname, '../Dockerfile'), 'utf8');
  const images = dockerfileImages(dockerfile);
  const known = Object.keys(images);
  const lines = (names.length === 0 ? known : names).map(async (name) => {
    const image = images[name];
    if (image === undefined)
      throw new Error(`${name}: not an argument of the Dockerfile; it has ${known.join(', ')}`);
    return `${name}=${withDigest(image, await digestOf(image))}\n`;
  });
  process.stdout.write((await Promise.all(lines)).join(''));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
