// Loaded into the operator's process before its own code, with `node --import`. It sees every answer to the process's
// HTTP client at the moment its headers are there, host and control planes alike: the API server has written, and the
// operator does not know it yet. Each write is named on stderr; right after the one that was asked for, the process is
// killed, once in the life of its pod.
import { subscribe } from 'node:diagnostics_channel';
import { existsSync, writeFileSync } from 'node:fs';

const last = Number(process.env.KILL_AFTER_WRITE);
const marker = '/tmp/killed';
let writes = 0;

subscribe('undici:request:headers', ({ request, response }) => {
  const { method, origin, path } = request;
  if (method === 'GET' || response.statusCode >= 300) return;
  if (/\/(leases|events|selfsubject\w+reviews)([/?]|$)/.test(path)) return;
  writes += 1;
  process.stderr.write(`write ${writes} ${method} ${origin}${path}\n`);
  if (writes !== last || existsSync(marker)) return;
  writeFileSync(marker, '');
  process.kill(process.pid, 'SIGKILL');
});
