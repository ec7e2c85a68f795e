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

describe('Go modules of Kubernetes and Karmada', () => {
  const [kubernetes, karmada] = [versionsOf('kubernetes'), versionsOf('karmada')];

  it('have the same versions of shared modules, so that their packages are compiled once', () => {
    const shared = [...kubernetes].filter(([path]) => karmada.has(path));
    expect(shared.length).toBeGreaterThan(90);
    expect(shared.filter(([path, version]) => karmada.get(path) !== version)).toEqual([]);
  });

  it('have the same build tags', () => {
    expect(sources.kubernetes.tags).toBe(sources.karmada.tags);
  });
});
