import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { startLines } from './bundle.ts';

/** Runs the first lines of the plugin on a version of Node.js. */
function start(version: string): { exited: number[]; printed: string } {
  const exited: number[] = [];
  let printed = '';
  const process = {
    version: `v${version}`,
    versions: { node: version },
    exit: (code: number) => exited.push(code),
    stderr: { write: (text: string) => (printed += text) },
  };
  runInNewContext(startLines({ node: '>=22.19.0' }).replace(/^#!.*\n/, ''), { process });
  return { exited, printed };
}

describe('startLines', () => {
  it.each(['22.19.0', '22.20.1', '24.0.0', '100.1.0'])('continue on Node.js %s', (version) => {
    expect(start(version)).toEqual({ exited: [], printed: '' });
  });

  it.each(['20.20.2', '22.18.9', '9.30.0'])(
    'end on Node.js %s and say what is needed',
    (version) => {
      expect(start(version)).toEqual({
        exited: [1],
        printed: `error: the plugin needs Node.js 22.19 or newer, and this is v${version}\n`,
      });
    },
  );

  it('reject a range that is no oldest version', () => {
    expect(() => startLines({ node: '^22' })).toThrow('engines.node ^22');
  });
});
