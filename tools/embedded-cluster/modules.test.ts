import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sources } from './binary-sources.ts';

/** Versions of the modules that a go.mod names, without replacements. */
function versionsOf(module: string): Map<string, string> {
  const text = readFileSync(join(import.meta.dirname, 'go', module, 'go.mod'), 'utf8');
  const [required = ''] = text.split(/^replace /m);
  const lines = [...required.matchAll(/^\t(\S+) (v\S+)/gm)];
  return new Map(lines.map(([, path = '', version = '']) => [path, version]));
}

describe('Go modules of CoreDNS, Kubernetes and Karmada', () => {
  const kubernetes = versionsOf('kubernetes');

  it.each([
    ['coredns', 55],
    ['karmada', 90],
  ])(
    '%s has the versions of Kubernetes of shared modules, so that their packages are compiled once',
    (module, atLeast) => {
      const shared = [...versionsOf(module)].filter(([path]) => kubernetes.has(path));
      expect(shared.length).toBeGreaterThan(atLeast);
      expect(shared.filter(([path, version]) => kubernetes.get(path) !== version)).toEqual([]);
    },
  );

  it('have the same build tags', () => {
    const { coredns, kubernetes: servers, karmada } = sources;
    expect([coredns.tags, karmada.tags]).toEqual([servers.tags, servers.tags]);
  });
});
