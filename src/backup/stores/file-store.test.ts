/** A volume that others can write to. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFileStore } from './file-store.ts';
import { once, readSmall } from './object-store.ts';

const never = new AbortController().signal;

let base: string;
let root: string;
let outside: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'file-store-'));
  [root, outside] = [join(base, 'store'), join(base, 'keys')];
  await mkdir(join(root, 'team'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'k1'), 'secret');
});

afterEach(() => rm(base, { recursive: true }));

const read = async (key: string): Promise<string> =>
  (await readSmall(createFileStore(root), key, never)).toString('utf8');

describe('a store in a volume', () => {
  it('reads and writes its own files', async () => {
    const store = createFileStore(root);
    await store.upload('team/one/file', once(Buffer.from('content')), never);
    expect(await read('team/one/file')).toBe('content');
    await store.delete('team/one/file', never);
    await expect(read('team/one/file')).rejects.toMatchObject({ code: 'NotFound' });
    await store.delete('team/other/file', never);
  });

  it('reads no file behind a link', async () => {
    await symlink(join(outside, 'k1'), join(root, 'team/file'));
    await expect(read('team/file')).rejects.toMatchObject({ code: 'NotInStore' });
  });

  it('reads no file behind a folder that is a link', async () => {
    await symlink(outside, join(root, 'linked'));
    await expect(read('linked/k1')).rejects.toMatchObject({ code: 'NotInStore' });
  });

  it('does not wait for the other end of a pipe', async () => {
    await promisify(execFile)('mkfifo', [join(root, 'team/file')]);
    await expect(read('team/file')).rejects.toMatchObject({ code: 'NotInStore' });
  });

  it('writes and deletes nothing behind a folder that is a link', async () => {
    await symlink(outside, join(root, 'linked'));
    const store = createFileStore(root);
    const upload = store.upload('linked/new', once(Buffer.from('x')), never);
    await expect(upload).rejects.toMatchObject({ code: 'NotInStore' });
    await expect(store.delete('linked/k1', never)).rejects.toMatchObject({ code: 'NotInStore' });
    await expect(store.deleteUnfinished('linked/k1', never)).rejects.toMatchObject({
      code: 'NotInStore',
    });
    expect(await readdir(outside)).toEqual(['k1']);
    expect(await readFile(join(outside, 'k1'), 'utf8')).toBe('secret');
  });

  it('lists no link', async () => {
    await symlink(outside, join(root, 'team/linked'));
    await symlink(join(outside, 'k1'), join(root, 'team/file'));
    expect(await createFileStore(root).list('team/', never)).toEqual([]);
  });
});
