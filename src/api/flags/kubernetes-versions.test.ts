import { describe, expect, it } from '@jest/globals';
import type { Components } from '../karmada.ts';
import { unavailableSettings } from './kubernetes-versions.ts';

const server = (imageTag: string, ...flags: string[]): Components => ({
  karmadaAPIServer: {
    imageTag,
    extraArgs: Object.fromEntries(flags.map((flag) => [flag, 'x'])),
  },
});

describe('unavailableSettings', () => {
  it.each<readonly [Components, string]>([
    [
      server('v1.27.16', 'authorization-config'),
      'spec.components.karmadaAPIServer.extraArgs.authorization-config: Forbidden: requires Kubernetes v1.30 or later, and imageTag is "v1.27.16"; remove it, or set another imageTag',
    ],
    [
      server('v1.35.4', 'cloud-provider'),
      'spec.components.karmadaAPIServer.extraArgs.cloud-provider: Forbidden: requires Kubernetes v1.32 or earlier, and imageTag is "v1.35.4"; remove it, or set another imageTag',
    ],
    [
      {
        kubeControllerManager: { imageTag: 'v1.27.3', controllers: ['*', '-namespace-controller'] },
      },
      'spec.components.kubeControllerManager.controllers[1]: Forbidden: requires Kubernetes v1.28 or later, and imageTag is "v1.27.3"; remove it, or set another imageTag',
    ],
  ])('names the setting that the version of %j does not have', (components, text) => {
    const found = unavailableSettings(components);
    expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual([text]);
  });

  it.each<Components>([
    {},
    server('v1.30.0', 'authorization-config', 'constructor'),
    server('latest', 'authorization-config'),
    { karmadaAPIServer: { extraArgs: { 'authorization-config': 'x' } } },
    { kubeControllerManager: { imageTag: 'v1.28.0', controllers: ['namespace-controller'] } },
    { kubeControllerManager: { imageTag: 'v1.27.0', controllers: ['namespace', '-csrcleaner'] } },
  ])('accepts %j', (components) => {
    expect(unavailableSettings(components)).toEqual([]);
  });
});
