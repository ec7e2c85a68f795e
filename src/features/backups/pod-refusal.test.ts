import { describe, expect, it } from '@jest/globals';
import { refusal } from './pod-refusal.ts';

describe('refusal', () => {
  const pod = (spec: object) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'main-probe' },
    spec: { ...spec },
  });
  const missing = 'pods "main-probe" is forbidden: serviceaccount "backup" not found';

  it.each([
    ['a missing ServiceAccount', { serviceAccountName: 'backup' }, missing, true],
    ['a quota', { serviceAccountName: 'backup' }, 'exceeded quota', false],
    ['the default ServiceAccount', {}, missing, false],
  ])('names the field of the store for %s only if it has one', (_, spec, text, isNamed) => {
    const { reason, message } = refusal(pod(spec), text);
    expect(reason).toBe('PodRefused');
    expect(message).toContain(`refused Pod main-probe: ${text}`);
    expect(message.includes('spec.s3.podIdentity.serviceAccountName')).toBe(isNamed);
  });
});
