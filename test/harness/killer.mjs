// Preloaded into the operator process with `node --import`. It observes all HTTP responses, of host cluster and
// control planes, when their headers arrive. At that moment the API server has stored the write, and the operator
// does not know it yet. Each write is printed on stderr. After the requested write the process is killed, once per
// Pod.
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
