import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openTunnel, type DialTunnel } from './tunnel.ts';

let echo: Server;
let closed: number;

beforeEach(async () => {
  closed = 0;
  echo = createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
});

afterEach(() => void echo.close());

const dial: DialTunnel = async () => {
  const stream = connect((echo.address() as AddressInfo).port, '127.0.0.1');
  await once(stream, 'connect');
  return {
    stream,
    close: () => {
      closed += 1;
      return Promise.resolve();
    },
  };
};

it('openTunnel forwards several connections in both directions, and closes what they used', async () => {
  const tunnel = await openTunnel(dial, 0, () => undefined);
  const content = 'x'.repeat(1_000_000);
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((prefix) => {
      const socket = connect(tunnel.port, '127.0.0.1');
      socket.end(prefix + content);
      return text(socket);
    }),
  );
  expect(answers.map((answer) => answer.length)).toEqual([1_000_001, 1_000_001, 1_000_001]);
  expect(answers.map((answer) => answer[0])).toEqual(['a', 'b', 'c']);
  await tunnel.close();
  expect(closed).toBe(3);
});

it('openTunnel ends open connections when it is closed', async () => {
  const tunnel = await openTunnel(dial, 0, () => undefined);
  const socket = connect(tunnel.port, '127.0.0.1');
  socket.write('hello');
  await once(socket, 'data');
  const ended = once(socket, 'close');
  await tunnel.close();
  await ended;
});

it('openTunnel reports why a connection cannot be forwarded, and keeps listening', async () => {
  const reports: string[] = [];
  const failing: DialTunnel = () => Promise.reject(new Error('no running Pod'));
  const tunnel = await openTunnel(failing, 0, (message) => void reports.push(message));
  for (let round = 0; round < 2; round += 1) {
    const socket = connect(tunnel.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'close');
  }
  await tunnel.close();
  expect(reports).toEqual(['no running Pod', 'no running Pod']);
});
