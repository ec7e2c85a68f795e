// Preloaded into the operator process with `node --import`. Files that a container of the operator has at fixed paths are in
// another folder here: the CRD archives of the image, and the files of its ServiceAccount.
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

// The parent holds the other end of the standard input: the process ends with it, even if it is killed.
if (fs.fstatSync(0).isSocket())
  process.stdin
    .once('close', () => process.kill(process.pid, 'SIGKILL'))
    .resume()
    .unref();

const folder = process.env.STUB_CONTAINER_FILES;
const moved = [
  '/var/lib/karmada',
  '/var/cache/karmada',
  '/var/run/secrets',
  '/dev/termination-log',
];

function at(path) {
  return typeof path === 'string' && moved.some((start) => path.startsWith(start))
    ? join(folder, path)
    : path;
}

for (const name of ['existsSync', 'createReadStream']) {
  const original = fs[name];
  fs[name] = (path, ...rest) => original(at(path), ...rest);
}
for (const name of ['readFile', 'readdir', 'mkdir', 'open', 'writeFile']) {
  const original = promises[name];
  promises[name] = (path, ...rest) => original(at(path), ...rest);
}
syncBuiltinESMExports();
