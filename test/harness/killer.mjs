// Preloaded into the operator process with `node --import`. It observes all HTTP responses, of host cluster,
// control planes and etcd members, when their headers arrive. At that moment the API server has stored the write, and the operator
// does not know it yet. Each write is printed on stderr. After the requested write, counted among those that match a pattern,
// the process is killed, once per Pod; with KILL_EACH_PROCESS, each process of the Pod is killed after this write.
import { subscribe } from 'node:diagnostics_channel';
import { existsSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import { syncBuiltinESMExports } from 'node:module';

const last = Number(process.env.KILL_AFTER_WRITE);
const counted = new RegExp(process.env.KILL_AFTER_WRITE_OF ?? '');
const marker = '/tmp/killed';
let writes = 0;
let matching = 0;

// Changes of etcd members go through sessions of node:http2.
const CHANGES =
  /^\/etcdserverpb\.(Cluster\/Member(Add|Promote|Remove|Update)|Maintenance\/MoveLeader)$/;
const { connect } = http2;
http2.connect = (...args) => {
  const session = connect(...args);
  const request = session.request.bind(session);
  session.request = (headers, ...rest) => {
    const stream = request(headers, ...rest);
    const path = headers[':path'];
    if (CHANGES.test(path))
      stream.once('response', (response) => {
        // A rejected call has its status in the headers.
        if ((response['grpc-status'] ?? '0') === '0') written(`POST etcd ${path}`);
      });
    return stream;
  };
  return session;
};
syncBuiltinESMExports();

subscribe('undici:request:headers', ({ request, response }) => {
  const { method, origin, path } = request;
  if (method === 'GET' || response.statusCode >= 300) return;
  if (/\/(leases|events|selfsubject\w+reviews)([/?]|$)/.test(path)) return;
  written(`${method} ${origin}${path}`);
});

function written(what) {
  writes += 1;
  process.stderr.write(`write ${writes} ${what}\n`);
  if (!counted.test(what)) return;
  matching += 1;
  if (matching !== last) return;
  if (process.env.KILL_EACH_PROCESS !== 'true') {
    if (existsSync(marker)) return;
    writeFileSync(marker, '');
  }
  process.kill(process.pid, 'SIGKILL');
}
