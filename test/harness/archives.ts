import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

/** Reads the text files of a `.tar.gz` by their path. */
export async function filesIn(archive: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const tar = extract();
  tar.on('entry', ({ name }, entry, next) => {
    text(entry).then(
      (content) => {
        files.set(name, content);
        next();
      },
      (error: unknown) => next(error as Error),
    );
  });
  await pipeline(createReadStream(archive), createGunzip(), tar);
  return files;
}
