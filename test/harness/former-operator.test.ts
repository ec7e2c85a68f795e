import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from '../../tools/embedded-cluster/command.ts';
import { exportCommit } from './former-operator.ts';

describe('exportCommit', () => {
  let folder: string;
  let repository: string;
  let first: string;

  const git = (...args: string[]): Promise<string> => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    return run(['git', ...author, ...args], { cwd: repository });
  };

  /** Commits a file with this content. @returns the commit */
  async function commit(content: string): Promise<string> {
    const blob = await run(['git', 'hash-object', '-w', '--stdin'], {
      cwd: repository,
      input: content,
    });
    await git('update-index', '--add', '--cacheinfo', `100644,${blob.trim()},file`);
    await git('commit', '--quiet', '--message=a commit');
    return (await git('rev-parse', 'HEAD')).trim();
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'former-operator-'));
    repository = join(folder, 'repository');
    await run(['git', 'init', '--quiet', repository]);
    first = await commit('before');
    await commit('after');
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('writes the files of an earlier commit and does not change the index of the checkout', async () => {
    const status = await git('status', '--porcelain');
    await exportCommit(repository, first, join(folder, 'exported'));
    expect(await readFile(join(folder, 'exported/file'), 'utf8')).toBe('before');
    expect(await git('status', '--porcelain')).toBe(status);
  });

  it('suggests git fetch --unshallow when a shallow clone lacks the commit', async () => {
    const shallow = join(folder, 'shallow');
    await run(['git', 'clone', '--quiet', '--depth=1', `file://${repository}`, shallow]);
    await expect(exportCommit(shallow, first, join(folder, 'exported'))).rejects.toThrow(
      /is not in this checkout.*: git fetch --unshallow$/,
    );
  });
});
