import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../kubernetes/errors.ts';
import { foreignWebhookText } from './foreign-webhook.ts';

const failed = (message: string): ApiError =>
  new ApiError({ request: 'create x', code: 500, reason: 'InternalError', message });

describe('foreignWebhookText', () => {
  it.each([
    ['service "dead" not found', 'its Service does not exist'],
    ['no endpoints available for service "dead"', 'its Service has no endpoints'],
    ['dial tcp 10.0.0.1:443: connect: connection refused', 'nothing listens on its port'],
    ['context deadline exceeded', 'it does not respond in time'],
    ['tls: failed to verify certificate: x509: unknown authority', 'does not fit the caBundle'],
    ['lookup dead.example.com: no such host', 'its name cannot be resolved'],
    ['EOF', 'its call fails'],
  ])('names the webhook for the cause %s, and quotes nothing', (cause, why) => {
    const url = 'https://user:s3cr3t@dead.example.com/?token=s3cr3t';
    const text = foreignWebhookText(
      failed(
        `failed calling webhook "dead.example.com": failed to call webhook: Post "${url}": ${cause}`,
      ),
    );
    expect(text).toContain('admission webhook dead.example.com in the control plane');
    expect(text).toContain(why);
    expect(text).toContain('set failurePolicy: Ignore in its ValidatingWebhookConfiguration');
    expect(text).not.toContain('s3cr3t');
  });

  it.each([
    ['a webhook of Karmada', failed('failed calling webhook "work.karmada.io": EOF')],
    ['another error of the API server', failed('etcdserver: request timed out')],
    ['another error', new Error('failed calling webhook "dead.example.com"')],
  ])('is undefined for %s', (_, error) => {
    expect(foreignWebhookText(error)).toBeUndefined();
  });
});
