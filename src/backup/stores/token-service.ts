/** Where an S3 server exchanges the token of a ServiceAccount: pure. */

/** Where a token is exchanged, and for whom it is valid. */
export interface TokenService {
  /** URL without a path. */
  readonly url: string;
  /** The only audience of the token: no other server accepts it. */
  readonly audience: string;
}

/**
 * The token service of an S3 server: that of AWS in the region, else the server itself. The audience of the token follows from the
 * address, so a server that a user names cannot use the token elsewhere.
 * @param endpoint URL of the S3 server, without a path
 */
export function tokenServiceOf(endpoint: string, region: string): TokenService {
  const { hostname } = new URL(endpoint);
  const [, domain] = /(?:^|\.)(amazonaws\.com(?:\.cn)?)$/.exec(hostname) ?? [];
  return domain === undefined
    ? { url: endpoint, audience: endpoint }
    : { url: `https://sts.${region}.${domain}`, audience: `sts.${domain}` };
}
