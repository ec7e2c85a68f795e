// Loaded into the operator's process before its own code, with `node --import`. What the operator dials at the port of
// control planes goes to the fault proxy, which is told the true target in a first line. A dial succeeds or fails as it
// would have without the proxy: `connect` is told when the proxy has found somebody who listens.
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const CONTROL_PLANES = 5443;
const proxy = { host: '127.0.0.1', port: Number(process.env.FAULT_PROXY_TUNNEL_PORT) };
const connect = net.connect;

function announced(socket, target) {
  const emit = socket.emit;
  socket.emit = (event, ...args) => {
    if (event === 'ready') return false;
    if (event !== 'connect') return emit.call(socket, event, ...args);
    socket.write(target);
    socket.once('readable', () => {
      const answer = String(socket.read());
      delete socket.emit;
      if (answer === 'yes\n') socket.emit('connect');
      else
        socket.destroy(Object.assign(new Error(`nobody at ${target}`), { code: 'ECONNREFUSED' }));
    });
    return true;
  };
  return socket;
}

net.connect = (options, ...rest) => {
  if (options?.port !== CONTROL_PLANES) return connect(options, ...rest);
  return announced(connect({ ...options, ...proxy }, ...rest), `${options.host} ${options.port}\n`);
};
syncBuiltinESMExports();
