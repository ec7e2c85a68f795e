import { describe, expect, it } from '@jest/globals';
import type { V1EnvVar } from '@kubernetes/client-node';
import { defaultSpec } from '../api/defaults/defaults.ts';
import type { KarmadaSpec } from '../api/karmada.ts';
import { COMPONENTS } from '../components/registry.ts';
import type { Workload } from '../components/workload.ts';
import { userSettings } from './user-settings.ts';
import type { Setting } from './vocabulary.ts';

const settingsOf = (
  specs: readonly KarmadaSpec[],
  workload?: Workload,
  component = 'karmada-apiserver',
): readonly Setting[] => {
  const found = COMPONENTS.find(({ name }) => name === component);
  if (found === undefined) throw new Error(`no component ${component}`);
  const defaulted = specs.map((spec) => defaultSpec(spec, { defaultStorageClass: false }));
  return [...userSettings(found, defaulted, workload)];
};

const flags = (extraArgs: Readonly<Record<string, string>>): KarmadaSpec => ({
  components: { karmadaAPIServer: { extraArgs } },
});
const variables = (...env: V1EnvVar[]): KarmadaSpec => ({ podSettings: [{ env }] });

const workloadWith = (container: object): Workload => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: {
    selector: { matchLabels: {} },
    template: { metadata: { labels: {} }, spec: { containers: [{ name: 'a', ...container }] } },
  },
});

describe('userSettings', () => {
  it('has flags and variables of all specs', () => {
    const secret = { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } };
    const specs = [flags({ 'a-flag': 'x' }), variables({ name: 'A', value: 'y' }, secret)];
    expect(settingsOf(specs)).toEqual([
      { name: 'a-flag', value: 'x' },
      { name: 'A', value: 'y' },
      { name: 'B', value: '' },
    ]);
    expect(settingsOf(specs, undefined, 'etcd')).toEqual([
      { name: 'A', value: 'y' },
      { name: 'B', value: '' },
    ]);
  });

  it('has a value that several specs and the workload have only once', () => {
    const spec = { ...flags({ 'a-flag': 'x' }), ...variables({ name: 'A', value: 'y' }) };
    const workload = workloadWith({ command: ['kube-apiserver', '--a-flag=x'] });
    expect(settingsOf([spec, spec, flags({ 'a-flag': 'z' })], workload)).toEqual([
      { name: 'a-flag', value: 'x' },
      { name: 'A', value: 'y' },
      { name: 'a-flag', value: 'z' },
    ]);
  });

  it('reads no argument of a sidecar before it is needed', () => {
    let reads = 0;
    const args = new Proxy(['--a=b', 'c'], {
      get: (list, key) => {
        if (key === '1') reads += 1;
        return Reflect.get(list, key) as unknown;
      },
    });
    const sidecarContainers = [{ name: 's', args }];
    const spec = defaultSpec({}, { defaultStorageClass: false });
    const settings = userSettings(
      { name: 'karmada-apiserver', settings: () => ({ sidecarContainers }) as never },
      [spec],
      undefined,
    );
    expect(settings.next().value).toEqual({ name: 'a', value: 'b', isText: true });
    expect(reads).toBe(0);
  });

  it('has former values of the same flags and variables in the live workload', () => {
    const workload = workloadWith({
      command: ['kube-apiserver', '--a-flag=old', '--etcd-servers=e'],
      env: [
        { name: 'A', value: 'former' },
        { name: 'POD_IP', value: '10.0.0.1' },
      ],
    });
    const specs = [{ ...flags({ 'a-flag': 'x' }), ...variables({ name: 'A', value: 'y' }) }];
    expect(settingsOf(specs, workload).slice(2)).toEqual([
      { name: 'A', value: 'former' },
      { name: 'a-flag', value: 'old' },
    ]);
  });

  it('has variables of sidecars, and their arguments as texts', () => {
    const sidecar = {
      name: 's',
      command: ['/proxy', '--password', 'x'],
      args: ['--pin=1', 'run'],
      env: [{ name: 'A', value: 'y' }],
    };
    const spec = { components: { karmadaAPIServer: { sidecarContainers: [sidecar] } } };
    expect(settingsOf([spec])).toEqual([
      { name: 'A', value: 'y' },
      { name: '', value: '/proxy', isText: true },
      { name: '', value: '--password', isText: true },
      { name: 'password', value: 'x', isText: true },
      { name: 'pin', value: '1', isText: true },
      { name: '', value: 'run', isText: true },
    ]);
  });
});
