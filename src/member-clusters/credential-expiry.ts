/** Reads when the credentials of a member cluster expire. Pure functions; they return only public values. */
import { isObject } from '../kubernetes/objects/compare.ts';
import type { Secret } from '../kubernetes/objects/kinds.ts';
import { describeCertificate } from '../pki/certificate-info.ts';
import { certificateBlocks } from '../untrusted/pem.ts';
import { parseJsonWithin } from '../untrusted/documents.ts';
import { UNTRUSTED } from '../untrusted/limits.ts';

/**
 * Returns the time at which the first of the credentials in the Secret of a Cluster expires: its token, if it is a JWT
 * with an expiry, or the last certificate of its CA bundle.
 * @returns wall clock in milliseconds; undefined if no credential has a readable expiry
 */
export function credentialExpiry(secret: Secret): number | undefined {
  const data = isObject(secret['data']) ? secret['data'] : {};
  const times = [tokenExpiry(text(data['token'])), bundleExpiry(text(data['caBundle']))];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function text(value: unknown): string {
  if (typeof value !== 'string') return '';
  return Buffer.from(value, 'base64').toString('utf8');
}

/** Reads `exp` of a JWT (RFC 7519), without a check of its signature, since the member cluster checks it. */
function tokenExpiry(token: string): number | undefined {
  const [, payload = '', ...rest] = token.trim().split('.');
  if (rest.length !== 1) return undefined;
  try {
    const text = Buffer.from(payload, 'base64url').toString('utf8');
    const claims = parseJsonWithin(text, { size: UNTRUSTED.token });
    return isObject(claims) ? timeOf(claims['exp']) : undefined;
  } catch {
    return undefined;
  }
}

/** A bundle is usable as long as one of its certificates is valid. */
function bundleExpiry(bundle: string): number | undefined {
  const times = certificateBlocks(bundle).flatMap((pem) => {
    const notAfter = describeCertificate(pem)?.notAfter.getTime();
    return timeOf(notAfter === undefined ? undefined : notAfter / 1_000) ?? [];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

const LATEST_SECONDS = Date.UTC(10_000, 0) / 1_000;

/** @param seconds since 1970; a time that RFC 3339 cannot express counts as none */
const timeOf = (seconds: unknown): number | undefined =>
  typeof seconds === 'number' && seconds >= 0 && seconds < LATEST_SECONDS
    ? seconds * 1_000
    : undefined;
