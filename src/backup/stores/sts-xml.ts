/** Parses responses of AssumeRoleWithWebIdentity. Pure. Responses are untrusted. */
import type { Session } from './credentials.ts';
import { STORE_CODE, StoreError } from './object-store.ts';
import { codeOf, descendantText, parsedRoot } from './xml.ts';
import { parseTime } from '../../kubernetes/time/time.ts';

/** Prefix of the codes of a token service, which have other remedies than the same ones of the S3 server. */
export const TOKEN_SERVICE = 'TokenService.';

/** Code of an error response, which need not be XML. */
export function tokenErrorIn(text: string): string {
  const root = parsedRoot(text);
  return `${TOKEN_SERVICE}${codeOf(root && descendantText(root, ['Error', 'Code']))}`;
}

/** Credentials of a response. @throws StoreError without a value of them */
export function sessionIn(text: string): Session {
  const root = parsedRoot(text);
  const field = (name: string): string =>
    (root && descendantText(root, ['AssumeRoleWithWebIdentityResult', 'Credentials', name])) ?? '';
  const [accessKeyId, secretAccessKey] = [field('AccessKeyId'), field('SecretAccessKey')];
  const [sessionToken, expiresAt] = [field('SessionToken'), parseTime(field('Expiration'))];
  if (!accessKeyId || !secretAccessKey || !sessionToken || Number.isNaN(expiresAt))
    throw new StoreError(
      'the response to AssumeRoleWithWebIdentity has no credentials',
      `${TOKEN_SERVICE}${STORE_CODE.incomplete}`,
    );
  return { credentials: { accessKeyId, secretAccessKey, sessionToken }, expiresAt };
}
