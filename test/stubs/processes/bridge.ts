/** Network of Pods with real processes: a bridge on this machine, and a network namespace for each Pod. Needs root. */
import { existsSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { attempt, run } from '../../../tools/embedded-cluster/command.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { startServer } from '../../harness/servers/process.ts';

/** Networks 10.230.0.0/16 to 10.239.0.0/16, next to those of embedded clusters. */
const FIRST = 230;
const COUNT = 10;

/** A network namespace that exists as long as its process. */
export interface PodNetwork {
  readonly address: string;
  /** Command that runs another one in the namespace. */
  readonly enter: readonly string[];
  remove(): Promise<void>;
}

export class Bridge {
  readonly #net: string;
  readonly #name: string;
  #last = 1;

  private constructor(net: string, name: string) {
    this.#net = net;
    this.#name = name;
  }

  /** Creates a bridge. One that a killed process left is replaced. */
  static async create(): Promise<Bridge> {
    for (let n = 0; n < COUNT; n += 1) {
      const name = `karmada-stub${String(n)}`;
      if (existsSync(`/sys/class/net/${name}`) && (await isUsed(name))) continue;
      await attempt(['ip', 'link', 'del', name]);
      if ((await attempt(['ip', 'link', 'add', name, 'type', 'bridge'])).code !== 0) continue;
      await run(['ip', 'link', 'set', name, 'alias', String(process.pid)]);
      const net = `10.${String(FIRST + n)}`;
      await run(['ip', 'addr', 'add', `${net}.0.1/16`, 'dev', name]);
      await run(['ip', 'link', 'set', name, 'up']);
      return new Bridge(net, name);
    }
    throw new Error(`no free bridge of ${String(COUNT)}`);
  }

  /** Address of this machine on the bridge. */
  get gateway(): string {
    return `${this.#net}.0.1`;
  }

  /** Addresses for Services, of which none is reachable. */
  get services(): string {
    return `${this.#net}.128.0/17`;
  }

  /** A free address. */
  next(): string {
    this.#last += 1;
    return `${this.#net}.${String(this.#last >> 8)}.${String(this.#last & 255)}`;
  }

  /** An address for a stub in this process. */
  async nextOwn(): Promise<string> {
    const address = this.next();
    await run(['ip', 'addr', 'add', `${address}/32`, 'dev', this.#name]);
    return address;
  }

  /** Creates a network namespace. @param logFile of the process that holds it */
  async connect(logFile: string): Promise<PodNetwork> {
    const address = this.next();
    const holder = startServer('unshare', ['--net', 'sleep', 'infinity'], logFile);
    const pid = String(holder.pid);
    await untilSeparate(pid);
    const link = `st${address.split('.').slice(1).join('')}`;
    const enter = ['nsenter', `--net=/proc/${pid}/ns/net`, '--'];
    const peer = ['peer', 'name', 'eth0', 'netns', pid];
    await run(['ip', 'link', 'add', link, 'type', 'veth', ...peer]);
    await run(['ip', 'link', 'set', link, 'master', this.#name, 'up']);
    await run([...enter, 'ip', 'link', 'set', 'lo', 'up']);
    await run([...enter, 'ip', 'addr', 'add', `${address}/16`, 'dev', 'eth0']);
    await run([...enter, 'ip', 'link', 'set', 'eth0', 'up']);
    // etcd takes the address of the interface with this route for the one that others reach it at.
    await run([...enter, 'ip', 'route', 'add', 'default', 'via', this.gateway]);
    return { address, enter, remove: () => holder.end('SIGKILL') };
  }

  async remove(): Promise<void> {
    await attempt(['ip', 'link', 'del', this.#name]);
  }
}

/** Whether the process that created a bridge still runs. */
async function isUsed(name: string): Promise<boolean> {
  const { stdout } = await attempt(['ip', '-json', 'link', 'show', name]);
  const [{ ifalias = '' } = {}] = JSON.parse(stdout || '[]') as { ifalias?: string }[];
  return ifalias !== '' && existsSync(`/proc/${ifalias}`);
}

/** Waits until a process is in a network namespace of its own. */
async function untilSeparate(pid: string): Promise<void> {
  const own = await readlink('/proc/self/ns/net');
  await poll(`a network namespace of process ${pid}`, async (seen) => {
    const other = await readlink(`/proc/${pid}/ns/net`).catch((error: unknown) => String(error));
    seen(other);
    return other.startsWith('net:') && other !== own ? true : undefined;
  });
}
