/** Where an answer sends a download on to, or why it is not followed. Pure. */

export const MAX_REDIRECTS = 5;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const isRedirect = (status: number): boolean => REDIRECTS.has(status);

export type Redirect = { readonly url: URL } | { readonly refused: string };

/**
 * @param location the header as it came
 * @param followed how many redirects led here
 */
export function nextHop(from: URL, location: unknown, followed: number): Redirect {
  if (followed >= MAX_REDIRECTS)
    return { refused: `it redirects more than ${MAX_REDIRECTS} times` };
  if (typeof location !== 'string' || !URL.canParse(location, from.href))
    return { refused: 'it redirects without saying where to' };
  const url = new URL(location, from.href);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { refused: 'it redirects to something that is neither http nor https' };
  if (from.protocol === 'https:' && url.protocol === 'http:')
    return { refused: 'it redirects from https to http' };
  // The password is for the server it was written for, and for no other.
  if (url.origin === from.origin && url.username === '') {
    url.username = from.username;
    url.password = from.password;
  }
  return { url };
}
