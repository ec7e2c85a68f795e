import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../kubernetes/client/errors.ts';
import { FailedWebhookError, webhookProblem, withWebhookProblem } from './failed-webhook.ts';

const failed = (message: string): ApiError =>
  new ApiError({ request: 'create x', code: 500, reason: 'InternalError', message });

const DEAD = failed(
  'failed calling webhook "dead.example.com": failed to call webhook: Post "https://dead.x.svc:443/?timeout=10s": EOF',
);

describe('webhookProblem', () => {
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
    const error = failed(
      `failed calling webhook "dead.example.com": failed to call webhook: Post "${url}": ${cause}`,
    );
    for (const cluster of ['host', 'controlPlane'] as const) {
      const { message = '' } = webhookProblem(error, cluster, 'ConfigMap team/demo') ?? {};
      expect(message).toContain('admission webhook dead.example.com');
      expect(message).toContain('ConfigMap team/demo');
      expect(message).toContain(why);
      expect(message).not.toContain('s3cr3t');
    }
  });

  it('tells a webhook of the user from one of the host cluster', () => {
    const user = webhookProblem(DEAD, 'controlPlane', 'objects');
    expect(user?.reason).toBe('UserWebhookFails');
    expect(user?.message).toMatch(
      /in the control plane, which the operator did not create, .*; .*set failurePolicy: Ignore in its ValidatingWebhookConfiguration/,
    );
    const host = webhookProblem(DEAD, 'host', 'Service team/demo');
    expect(host?.reason).toBe('WebhookRefusesObjects');
    expect(host?.message).toMatch(
      /^Service team\/demo: .* of the host cluster .*; .*correct its webhook configuration$/,
    );
  });

  it.each([
    ['a webhook of Karmada', failed('failed calling webhook "work.karmada.io": EOF')],
    ['another error of the API server', failed('etcdserver: request timed out')],
    ['another error', new Error('failed calling webhook "dead.example.com"')],
  ])('is undefined for %s', (_, error) => {
    expect(webhookProblem(error, 'controlPlane', 'requests')).toBeUndefined();
    expect(withWebhookProblem(error, 'controlPlane', 'requests')).toBe(error);
  });
});

describe('withWebhookProblem', () => {
  it('keeps the code and the reason of the API server', () => {
    const error = withWebhookProblem(DEAD, 'controlPlane', 'ConfigMap team/demo');
    expect(error).toBeInstanceOf(FailedWebhookError);
    expect(error).toMatchObject({
      code: 500,
      reason: 'InternalError',
      problem: { reason: 'UserWebhookFails' },
    });
    expect((error as Error).message).not.toContain('https://');
  });
});
