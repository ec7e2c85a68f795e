import { describe, expect, it } from '@jest/globals';
import { StoreError } from './object-store.ts';
import { storeErrorText } from './store-remedies.ts';

describe('storeErrorText', () => {
  it.each([
    ['AccessDenied', 'spec.s3.podIdentity: allow'],
    ['TokenService.AccessDenied', 'the role must trust the ServiceAccount'],
    ['TokenService.InvalidIdentityToken', 'register the issuer'],
    ['TokenService.ExpiredToken', 'correct the clock'],
    ['TokenService.ValidationError', 'spec.s3.podIdentity.roleARN'],
    ['TokenService.Unknown', 'no token service'],
    ['SignatureDoesNotMatch', 'spec.s3.credentialsSecretRef: correct'],
    ['ExpiredToken', 'sessionToken'],
    ['RequestTimeTooSkewed', 'correct the clock'],
    ['AuthorizationHeaderMalformed', 'spec.s3.region'],
    ['NoSuchBucket', 'spec.s3.bucket'],
    ['InsufficientStorage', 'spec.s3.bucket: the store is full'],
    ['ENOSPC', 'spec.volume.claimName: the store is full'],
    ['TimeoutError', 'spec.activeDeadlineSeconds'],
    ['ENOTFOUND', 'spec.s3.endpoint'],
    ['UND_ERR_HEADERS_TIMEOUT', 'spec.s3.endpoint: the S3 server is overloaded or faulty'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'spec.s3.caSecretRef'],
  ])('names what to do about %s', (code, remedy) => {
    const text = storeErrorText(new StoreError(`PUT a/b: ${code}`, code));
    expect(text).toMatch(new RegExp(`^PUT a/b: ${code}; `));
    expect(text).toContain(remedy);
  });

  it('keeps the text of other errors', () => {
    expect(storeErrorText(new StoreError('a/b: exists already', 'ObjectExists'))).toBe(
      'a/b: exists already',
    );
    expect(storeErrorText(new Error('AccessDenied'))).toBe('AccessDenied');
    expect(storeErrorText('text')).toBe('text');
  });
});
