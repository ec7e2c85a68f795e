// Preloaded into the operator process with `node --import`. Connections to the port of control planes go to the fault
// proxy, and a first line names the real target. A dial succeeds or fails as it would without the proxy: `connect` is
// emitted after the proxy has found a listening process.
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
        socket.destroy(
          Object.assign(new Error(`no listener at ${target}`), { code: 'ECONNREFUSED' }),
        );
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
