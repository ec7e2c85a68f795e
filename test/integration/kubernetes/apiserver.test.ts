import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../harness/servers/apiserver-client.ts';

const HARNESS = fileURLToPath(new URL('../../harness/servers/apiserver.ts', import.meta.url));

/** Command lines of the running processes that contain the directory. */
function mentioning(directory: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        return [];
      }
    })
    .filter((line) => line.includes(directory));
}

describe('startApiServer', () => {
  it('stops the API server when its parent process is killed', async () => {
    const script = `
      const { startApiServer } = await import(process.argv[1]);
      const server = await startApiServer();
      console.log(server.directory);
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, HARNESS], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually('started', () => output.includes('\n'));
    const directory = output.trim();
    expect(mentioning(directory)).toHaveLength(2);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await eventually(
      'ended with it',
      () => mentioning(directory).length === 0,
      () => mentioning(directory),
    );
    await rm(directory, { recursive: true });
  });
});
