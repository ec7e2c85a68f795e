/** Parses responses of AssumeRoleWithWebIdentity. Pure. Responses are untrusted. */
import type { Session } from './credentials.ts';
import { STORE_CODE, StoreError } from './object-store.ts';
import { descendantText, parsedRoot } from './xml.ts';

/** Prefix of the codes of a token service, which have other remedies than the same ones of the S3 server. */
export const TOKEN_SERVICE = 'TokenService.';

/** Code of an error response; undefined if there is none. */
export function tokenErrorIn(text: string): string | undefined {
  const root = parsedRoot(text);
  const code = root && descendantText(root, ['Error', 'Code']);
  // A code is a word. Anything else is not repeated in messages.
  return code !== undefined && /^[A-Za-z0-9.]{1,64}$/.test(code)
    ? `${TOKEN_SERVICE}${code}`
    : undefined;
}

/** Credentials of a response. @throws StoreError without a value of them */
export function sessionIn(text: string): Session {
  const root = parsedRoot(text);
  const field = (name: string): string =>
    (root && descendantText(root, ['AssumeRoleWithWebIdentityResult', 'Credentials', name])) ?? '';
  const [accessKeyId, secretAccessKey] = [field('AccessKeyId'), field('SecretAccessKey')];
  const [sessionToken, expiresAt] = [field('SessionToken'), Date.parse(field('Expiration'))];
  if (!accessKeyId || !secretAccessKey || !sessionToken || Number.isNaN(expiresAt))
    throw new StoreError(
      'the response to AssumeRoleWithWebIdentity has no credentials',
      `${TOKEN_SERVICE}${STORE_CODE.incomplete}`,
    );
  return { credentials: { accessKeyId, secretAccessKey, sessionToken }, expiresAt };
}
