import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { writeOperatorImage } from './image/operator.ts';

const [file, ...rest] = process.argv.slice(2);
if (file === undefined || rest.length > 0 || file.startsWith('-')) {
  process.stderr.write('usage: npm run image -- FILE.tar\n');
  process.exitCode = 2;
} else {
  try {
    // npm runs scripts in the project folder. The path is relative to the folder of the user.
    const target = resolve(process.env['INIT_CWD'] ?? process.cwd(), file);
    await mkdir(dirname(target), { recursive: true });
    const { reference } = await writeOperatorImage(target);
    const { size } = await stat(target);
    process.stdout.write(`${reference} (${String(Math.round(size / 1e6))} MB) in ${target}\n`);
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
