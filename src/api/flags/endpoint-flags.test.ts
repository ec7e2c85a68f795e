import { describe, expect, it } from '@jest/globals';
import type { ComponentKey } from '../karmada.ts';
import type { StringMap } from '../settings.ts';
import { answersAnonymousProbes, endpointFlags } from './endpoint-flags.ts';

describe('endpointFlags', () => {
  it.each<readonly [ComponentKey, StringMap]>([
    ['karmadaAPIServer', { 'secure-port': '6443' }],
    ['karmadaAPIServer', { 'bind-address': '127.0.0.1' }],
    ['karmadaWebhook', { 'secure-port': '443' }],
    ['kubeControllerManager', { 'bind-address': 'localhost' }],
    ['kubeControllerManager', { 'authorization-always-allow-paths': '/readyz' }],
    ['karmadaSearch', { 'authorization-always-allow-paths': '/readyz,/healthz' }],
    ['karmadaScheduler', { 'health-probe-bind-address': ':9000' }],
    ['karmadaScheduler', { 'health-probe-bind-address': '127.0.0.1:10351' }],
    ['karmadaSchedulerEstimator', { 'server-port': '10353' }],
  ])('rejects for %s %j, with the field and the remedy', (component, given) => {
    const [found, ...others] = endpointFlags(component, `spec.components.${component}`, given);
    const [flag = ''] = Object.keys(given);
    expect(others).toEqual([]);
    expect(found?.field).toBe(`spec.components.${component}.extraArgs.${flag}`);
    expect(found?.message).toMatch(/must (be|also contain)/);
  });

  it.each<readonly [ComponentKey, StringMap]>([
    ['karmadaAPIServer', { 'secure-port': '5443', 'bind-address': '::' }],
    ['karmadaAPIServer', { 'bind-address': '$(POD_IP)', 'tls-min-version': 'VersionTLS12' }],
    ['karmadaScheduler', { 'health-probe-bind-address': '0.0.0.0:10351' }],
    ['karmadaScheduler', { 'health-probe-bind-address': '[::]:10351' }],
    ['kubeControllerManager', { 'authorization-always-allow-paths': '/healthz,/metrics' }],
    ['karmadaSearch', { 'authorization-always-allow-paths': '/*' }],
    ['karmadaWebhook', { 'health-probe-bind-address': ':9000' }],
  ])('accepts for %s %j', (component, given) => {
    expect(endpointFlags(component, '', given)).toEqual([]);
  });
});

describe('answersAnonymousProbes', () => {
  it.each<readonly [StringMap, boolean]>([
    [{}, true],
    [{ 'anonymous-auth': 'true' }, true],
    [{ 'anonymous-auth': 'false' }, false],
    [{ 'anonymous-auth': 'F' }, false],
    [{ 'authorization-mode': 'AlwaysAllow' }, false],
    [{ 'authorization-mode': 'Node,RBAC' }, true],
  ])('with %j is %s', (given, expected) => {
    expect(answersAnonymousProbes(given)).toBe(expected);
  });
});
