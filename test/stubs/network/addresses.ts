/** Addresses of Pods and Services: all of 127.0.0.0/8 is on the loopback interface. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** A port that no stub uses. The process that listens there owns the addresses of the block. */
const CLAIM_PORT = 10_007;
const HIGHEST_BLOCK = 254;

/** Allocates addresses of one block, 127.N.0.0/16. */
export class Addresses {
  readonly #block: number;
  readonly #claim: Server;
  #last = 0;

  private constructor(block: number, claim: Server) {
    this.#block = block;
    this.#claim = claim;
  }

  /** Takes a block that no other process uses. */
  static async claim(): Promise<Addresses> {
    for (let n = 0; n < HIGHEST_BLOCK; n += 1) {
      const block = 1 + ((process.pid + n) % HIGHEST_BLOCK);
      const claim = createServer();
      claim.listen({ host: `127.${String(block)}.255.254`, port: CLAIM_PORT });
      const listens = await Promise.race([
        once(claim, 'listening').then(() => true),
        once(claim, 'error').then(() => false),
      ]);
      if (listens) return new Addresses(block, claim.unref());
    }
    throw new Error('no free block of loopback addresses');
  }

  next(): string {
    // Not 0.0 and not the address of the claim.
    this.#last = (this.#last % 65_000) + 1;
    const last = this.#last;
    return `127.${String(this.#block)}.${String(last >> 8)}.${String(last & 255)}`;
  }

  release(): void {
    this.#claim.close();
  }
}
