/** The API server of a host for tests: it passes everything on to a real one, dies in several ways, and comes back. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Pair } from '../certificates.ts';
import type { Call } from '../fault-proxy/calls.ts';
import type { Decision } from '../fault-proxy/faults.ts';
import { createProxy, keptConnections, type Upstream } from '../fault-proxy/proxy.ts';
import { startBlackHole, type BlackHole } from './black-hole.ts';

/**
 * - well: answers as the API server behind it does
 * - mute: takes connections and says nothing, not even on those that are open
 * - cutting: takes connections and resets them
 * - refusing: nobody listens
 * - hole: connections neither open nor are refused, and those that are open carry nothing
 */
export type Mode = 'well' | 'mute' | 'cutting' | 'refusing' | 'hole';

export interface HostStandIn {
  readonly url: string;
  /** Calls for which it is true get no answer, although all others do. */
  hold(which: (call: Call) => boolean): void;
  /** What was asked for and held since the last `hold`. */
  held(): readonly string[];
  turn(mode: Mode): Promise<void>;
  /** Connections of clients that are open. */
  open(): number;
  close(): Promise<void>;
}

/** @param tls what it serves with; its name must hold for 127.0.0.1 */
export async function startStandIn(tls: Pair, upstream: Upstream): Promise<HostStandIn> {
  let holds: (call: Call) => boolean = () => false;
  const held: string[] = [];
  const decide = (call: Call): Decision => {
    if (!holds(call)) return { ...call, occurrence: 1 };
    held.push(call.what);
    return { ...call, occurrence: 1, fault: 'timeout' };
  };
  const agent = keptConnections();
  const calls = createProxy({
    ...{ place: 'host', namespace: '-', tls, delayMs: 0, report: () => undefined },
    upstreamOf: () => ({ ...upstream, agent }),
    decide,
  });
  calls.listen(0, '127.0.0.1');
  await once(calls, 'listening');
  const door = new Door((calls.address() as AddressInfo).port);
  await door.turn('well');
  return {
    url: `https://127.0.0.1:${String(door.port)}`,
    hold(which) {
      holds = which;
      held.length = 0;
    },
    held: () => held,
    turn: (mode) => door.turn(mode),
    open: () => door.open,
    async close() {
      await door.turn('refusing');
      calls.close();
      agent.destroy();
    },
  };
}

/** The port of a stand-in, and what happens to those who come. */
class Door {
  port = 0;
  readonly #target: number;
  /** Connections of clients, with what they are passed on by. */
  readonly #sockets = new Map<Socket, Socket | undefined>();
  #mode: Mode = 'refusing';
  #server: Server | undefined;
  #hole: BlackHole | undefined;

  constructor(target: number) {
    this.#target = target;
  }

  get open(): number {
    return this.#sockets.size;
  }

  async turn(mode: Mode): Promise<void> {
    this.#mode = mode;
    const silent = mode === 'mute' || mode === 'hole';
    for (const [socket, inner] of this.#sockets)
      if (silent) silence(socket, inner);
      else socket.resetAndDestroy();
    await this.#hole?.close();
    this.#hole = undefined;
    if (mode === 'hole' || mode === 'refusing') await this.#leave();
    else await this.#listen();
    if (mode === 'hole') this.#hole = await startBlackHole(this.port);
  }

  async #listen(): Promise<void> {
    if (this.#server !== undefined) return;
    this.#server = createServer((socket) => this.#take(socket));
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    ({ port: this.port } = this.#server.address() as AddressInfo);
  }

  /** The port is free at once; what is open stays open, so that nobody waits for it. */
  async #leave(): Promise<void> {
    this.#server?.close();
    this.#server = undefined;
    await new Promise((resolve) => setImmediate(resolve));
  }

  #take(socket: Socket): void {
    if (this.#mode === 'cutting') return void socket.resetAndDestroy();
    this.#sockets.set(socket, undefined);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    if (this.#mode === 'well') this.#passOn(socket);
    else silence(socket);
  }

  #passOn(socket: Socket): void {
    const inner = connect(this.#target, '127.0.0.1');
    this.#sockets.set(socket, inner);
    inner.on('error', () => undefined).on('close', () => socket.destroy());
    socket.on('close', () => inner.destroy());
    socket.pipe(inner);
    inner.pipe(socket);
  }
}

/** What comes is read and dropped: only who reads learns that the other side has left. */
function silence(...sockets: readonly (Socket | undefined)[]): void {
  for (const socket of sockets) socket?.unpipe().resume();
}
