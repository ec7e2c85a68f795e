import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filesIn } from '../../../test/harness/archives.ts';
import { writeArchive, type ReportFile } from './archive.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'report-'));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

async function* files(...all: readonly (ReportFile | Error)[]): AsyncGenerator<ReportFile> {
  for (const file of all) {
    if (file instanceof Error) throw file;
    yield file;
  }
}

const target = (name: string) => ({ file: join(directory, name), folder: 'report', time: 0 });

describe('writeArchive', () => {
  it('writes all files, readable only for the user', async () => {
    const long = 'x'.repeat(3_000_000);
    const all = [
      { path: 'a.txt', text: 'ä' },
      { path: 'b/c.log', text: long },
    ];
    await writeArchive(target('one.tar.gz'), files(...all));
    const { file } = target('one.tar.gz');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect([...(await filesIn(file))]).toEqual([
      ['report/a.txt', 'ä'],
      ['report/b/c.log', long],
    ]);
  });

  it('leaves no file when a file of the report fails', async () => {
    const failing = files({ path: 'a.txt', text: 'a' }, new Error('interrupted'));
    await expect(writeArchive(target('two.tar.gz'), failing)).rejects.toThrow('interrupted');
    expect(await readdir(directory)).toEqual(['one.tar.gz']);
  });

  it('keeps an existing file, and names a directory that does not exist', async () => {
    await expect(writeArchive(target('one.tar.gz'), files())).rejects.toThrow(
      'one.tar.gz exists; choose another file with --file',
    );
    await expect(writeArchive(target('none/one.tar.gz'), files())).rejects.toThrow(
      /none\/one\.tar\.gz: not written \(ENOENT/,
    );
  });

  it.each(['../../../../tmp/evil/karmada.log', '/etc/passwd', 'a/./b', 'a\\..\\b', '.../x'])(
    'writes a file with the path %s in the folder of the report',
    async (path) => {
      const { file } = target('safe.tar.gz');
      await writeArchive(target('safe.tar.gz'), files({ path, text: 'x' }));
      const names = [...(await filesIn(file)).keys()];
      await rm(file);
      expect(names).toEqual([expect.stringMatching(/^report(?:\/(?!\.*(?:\/|$))[\w.-]+)+$/)]);
    },
  );
});
