/**
 * Size of the blocks from which Node.js takes small buffers. A small buffer that lasts keeps its block, such as the list of protocols that
 * each TLS connection has. Blocks of Node.js 26 have 64 KiB, which is more than all else that a connection needs.
 */
const BLOCK_BYTES = 4_096;

/** Makes small buffers keep little memory. */
export function useSmallBufferPools(): void {
  Buffer.poolSize = BLOCK_BYTES;
}
