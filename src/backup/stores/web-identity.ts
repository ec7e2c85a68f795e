/**
 * Credentials for the token of a ServiceAccount: AssumeRoleWithWebIdentity of the AWS Security Token Service (API version
 * 2011-06-15), which other S3 servers implement at their own endpoint.
 */
import { Agent, request as send } from 'undici';
import type { Clock } from '../../kubernetes/time/clock.ts';
import { connectionFailure, responseFailure } from './attempts.ts';
import type { CredentialSource, Session } from './credentials.ts';
import { textWithin } from '../../untrusted/collect-text.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';
import { StoreError } from './object-store.ts';
import { sessionIn, tokenErrorIn } from './sts-xml.ts';
import type { TokenService } from './token-service.ts';

export interface WebIdentity {
  readonly service: TokenService;
  /** ARN of the role; absent if the server derives the permissions from the token. */
  readonly roleARN?: string;
  /** PEM certificates to trust instead of the well-known CAs. */
  readonly ca?: string;
  /** Reads the token, which the kubelet renews. */
  readonly token: () => Promise<string>;
}

/** Credentials are renewed this long before they expire, so that a part of an upload does not end with an error. */
const RENEW_BEFORE_MS = 600_000;
const SESSION_SECONDS = 3_600;
const TIMEOUT_MS = 30_000;
const API_VERSION = '2011-06-15';
const SESSION_NAME = 'karmada-backup';

/**
 * Creates a source that exchanges the token for credentials and renews them before they expire. After a temporary error the request
 * that needs the credentials is repeated, and with it the exchange.
 */
export function webIdentity(identity: WebIdentity, clock: Pick<Clock, 'wall'>): CredentialSource {
  const { ca } = identity;
  const dispatcher = new Agent({
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    connect: { timeout: 10_000, ...(ca !== undefined && { ca }) },
  });
  let pending: Promise<Session> | undefined;
  let renewAt = 0;
  return async (signal) => {
    if (pending === undefined || clock.wall() >= renewAt) {
      renewAt = Infinity;
      pending = exchanged(identity, dispatcher, signal);
    }
    const current = pending;
    try {
      const session = await current;
      if (current === pending) renewAt = session.expiresAt - RENEW_BEFORE_MS;
      return session.credentials;
    } catch (error) {
      if (current === pending) pending = undefined;
      throw error;
    }
  };
}

async function exchanged(
  { service, roleARN, token }: WebIdentity,
  dispatcher: Agent,
  signal: AbortSignal,
): Promise<Session> {
  const about = `POST ${new URL(service.url).hostname} AssumeRoleWithWebIdentity`;
  // The token is in the body: URLs are written to logs.
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: API_VERSION,
    RoleSessionName: SESSION_NAME,
    DurationSeconds: String(SESSION_SECONDS),
    ...(roleARN !== undefined && { RoleArn: roleARN }),
    WebIdentityToken: (await token()).trim(),
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  try {
    const answer = await send(service.url, { method: 'POST', headers, body, signal, dispatcher });
    const text = (await textWithin(answer.body, UNTRUSTED.xml)) ?? '';
    if (answer.statusCode === 200) return sessionIn(text);
    throw responseFailure(about, answer.statusCode, tokenErrorIn(text));
  } catch (error) {
    throw error instanceof StoreError ? error : connectionFailure(about, error, signal);
  }
}
