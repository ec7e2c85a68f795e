import { createHash } from 'node:crypto';

/** Response with which an API server opens the WebSocket connection of a port-forward (RFC 6455). @param headers further ones */
export function upgradeResponse(request: Buffer, headers = ''): string {
  const key = /sec-websocket-key: (\S+)/i.exec(request.toString())?.[1] ?? '';
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  return [
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade',
    `Sec-WebSocket-Accept: ${accept.digest('base64')}`,
    `Sec-WebSocket-Protocol: v4.channel.k8s.io${headers}\r\n\r\n`,
  ].join('\r\n');
}

/** First byte of a frame with a whole binary message, and of one that ends the WebSocket. */
export const [WHOLE_MESSAGE, CLOSE] = [0x82, 0x88];

/** A frame of a server without its payload. @param opcode first byte, with all flags */
export function frameHeader(opcode: number, length: number): Buffer {
  const bytes = Buffer.alloc(10);
  bytes.writeUInt8(opcode, 0);
  bytes.writeUInt8(127, 1);
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
}

/** A frame of a server. */
export const frame = (opcode: number, payload: Buffer): Buffer =>
  Buffer.concat([frameHeader(opcode, payload.length), payload]);
