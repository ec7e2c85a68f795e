import { describe, expect, it } from '@jest/globals';
import { defaultText } from './flag-defaults.ts';
import { operatorCommand } from './options.ts';

describe('defaultText', () => {
  const defaults = new Map(
    operatorCommand().options.map((option) => [option.long, defaultText(option)]),
  );

  it.each([
    ['a duration in seconds', '--leader-elect-lease-duration', '15s'],
    ['a percentage', '--operator-rollout-limit', '10%'],
    ['a number', '--kube-api-qps', '150'],
    ['nothing when the flag has no default', '--kubeconfig', ''],
    ['nothing when addresses are denied by default', '--allow-addresses', ''],
  ])('returns %s', (_title, flag, expected) => {
    expect(defaults.get(flag)).toBe(expected);
  });
});
