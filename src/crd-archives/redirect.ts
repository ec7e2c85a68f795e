/** Resolves the target of an HTTP redirect, or explains why it is not followed. Pure functions. */

export const MAX_REDIRECTS = 5;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const isRedirect = (status: number): boolean => REDIRECTS.has(status);

export type Redirect = { readonly url: URL } | { readonly refused: string };

/**
 * Returns the target URL of a redirect, or the reason why it is rejected.
 * @param from URL of the request that was redirected
 * @param location unmodified value of the `Location` header
 * @param followed number of redirects followed before
 */
export function nextHop(from: URL, location: unknown, followed: number): Redirect {
  if (followed >= MAX_REDIRECTS) return { refused: `more than ${MAX_REDIRECTS} redirects` };
  if (typeof location !== 'string' || !URL.canParse(location, from.href))
    return { refused: 'redirect without a valid Location header' };
  const url = new URL(location, from.href);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { refused: 'redirect to a URL that is neither http nor https' };
  if (from.protocol === 'https:' && url.protocol === 'http:')
    return { refused: 'redirect from https to http' };
  // Credentials of the URL are only for its own origin, never for another server.
  if (url.origin === from.origin && url.username === '') {
    url.username = from.username;
    url.password = from.password;
  }
  return { url };
}
