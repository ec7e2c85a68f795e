import { isIP } from 'node:net';
import { checkServerIdentity, type ConnectionOptions } from 'node:tls';

/** Options for the name that the certificate must contain. TLS names no IP address in a handshake (RFC 6066, section 3). */
export const nameOptions = (
  serverName: string,
): Pick<ConnectionOptions, 'servername' | 'checkServerIdentity'> =>
  isIP(serverName) === 0
    ? { servername: serverName }
    : { checkServerIdentity: (_, certificate) => checkServerIdentity(serverName, certificate) };
