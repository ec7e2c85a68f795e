import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CATALOG } from '../../api/component-catalog.ts';
import { causeIn, crashed } from '../../causes/__fixtures__/scene.ts';

/** Lines with which components report why they end, around any words. */
const OF_KUBERNETES: readonly ((words: string) => string)[] = [
  (words) =>
    `E1126 15:00:00.000000       1 run.go:72] "command failed" err=${JSON.stringify(words)}`,
  (words) => `F1126 15:00:00.000000       1 server.go:1] ${words}`,
  (words) => `Error: ${words}`,
  (words) => `panic: ${words}`,
];
const OF_ETCD: readonly ((words: string) => string)[] = [
  (words) => JSON.stringify({ level: 'fatal', msg: 'discovery failed', error: words }),
  (words) => JSON.stringify({ level: 'panic', msg: words }),
  (words) => `panic: ${words}`,
];

/** Words that end lines of real programs, and any others. */
const words = fc.oneof(
  fc.constantFrom(
    'open /etc/x: no such file or directory',
    'open /var/log/audit/audit.log: permission denied',
    'unknown flag: --x',
    'context deadline exceeded',
    'bind: address already in use',
    'invalid argument "x" for "--v" flag: strconv.ParseInt',
  ),
  fc.lorem({ maxCount: 8 }),
);

/** Those of a control plane with defaults. */
const components = CATALOG.filter(({ installed }) => installed !== 'request').map(
  ({ name }) => name,
);

describe('the cause of a crash whose log has the words of the program', () => {
  it.each(components)('quotes them instead of naming the log of %s', (component) => {
    const lines = component === 'etcd' ? OF_ETCD : OF_KUBERNETES;
    const exitCodes = fc.constantFrom(1, 2, 126, 127, 132, 137, 139, 255);
    fc.assert(
      fc.property(words, fc.constantFrom(...lines), exitCodes, (text, line, exitCode) => {
        const log = `I1126 15:00:00.000000       1 server.go:1] starting\n${line(text)}\n`;
        const message = causeIn({ component, main: crashed(log, { exitCode }) })?.message ?? '';
        expect(message).toContain('exit code');
        expect(message).not.toMatch(/(?:read|check|see) (?:its|the) log\b/);
      }),
      { numRuns: 60 },
    );
  });
});
