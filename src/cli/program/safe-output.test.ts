import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../../kubernetes/time/clock.ts';
import type { ProcessEnvironment } from './environment.ts';
import { runPlugin } from './run.ts';
import { safeEnvironment, safeOutput } from './safe-output.ts';

const HOSTILE = '\u001b]0;title\u0007\u001b[31mred\u001b[8m\u009b2J\u202eend\n';

function recorded(isTerminal: boolean) {
  const written: string[] = [];
  return { written, stream: { write: (text: string) => void written.push(text), isTerminal } };
}

describe('safeOutput', () => {
  it.each([
    [true, ['\u001b[31mredend\n', 'redend\n', '\u001b[H\u001b[J\u001b[31mredend\n']],
    [false, ['redend\n', HOSTILE, '\u001b[H\u001b[Jredend\n']],
  ])('on a terminal %s strips text, and data only on a terminal', (isTerminal, expected) => {
    const { stream, written } = recorded(isTerminal);
    const output = safeOutput(stream);
    output.write(HOSTILE);
    output.writeData(HOSTILE);
    output.redraw(HOSTILE);
    expect(written).toEqual(expected);
  });
});

describe('runPlugin', () => {
  const scene = (isTerminal: boolean) => {
    const [output, errors] = [recorded(isTerminal), recorded(isTerminal)];
    const asked: string[] = [];
    const environment: ProcessEnvironment = {
      version: '0.0.0',
      variables: {},
      homeDirectory: '/none',
      workingDirectory: '/none',
      output: output.stream,
      errors: errors.stream,
      clock: systemClock,
      ask: (question) => Promise.resolve(void asked.push(question)),
      input: () => Promise.resolve(''),
      runProgram: () => Promise.resolve(0),
      interrupted: new AbortController().signal,
      templates: () => () => [],
      crdArchive: () => Promise.resolve(Readable.from([])),
      fieldSchemas: () => Promise.reject(new Error('not used')),
    };
    return { environment, asked, text: () => [...output.written, ...errors.written].join('') };
  };

  it.each([
    ['an unknown command', [HOSTILE.trim()]],
    ['a flag', ['status', `--x${HOSTILE}`]],
    ['an error of a command', ['images', HOSTILE]],
    ['a kubeconfig that does not exist', ['status', '--kubeconfig', `/none/${HOSTILE}`]],
  ])('prints no control sequence of %s', async (_, args) => {
    const { environment, text } = scene(true);
    await runPlugin(args, environment);
    expect(text()).toContain('end');
    expect(text()).not.toMatch(/\u001b(?!\[31m)|[\u0007\u009b\u202e]/);
  });

  it.each([
    [['help'], 'Usage: kubectl karmada-operator [options]'],
    [['help', 'plan'], 'Usage: kubectl karmada-operator plan'],
  ])('prints help for %j', async (args, usage) => {
    const { environment, text } = scene(false);
    expect(await runPlugin(args, environment)).toBe(0);
    expect(text()).toContain(usage);
  });

  it('lists the known releases after an unknown one', async () => {
    const { environment, text } = scene(false);
    expect(await runPlugin(['images', '1.18'], environment)).toBe(1);
    expect(text()).toBe(
      'error: Karmada "1.18" is not a known release; write one of v1.18.2, v1.17.1, v1.16.0, or another patch release of these\n',
    );
  });

  it('asks without control sequences', async () => {
    const { environment, asked } = scene(true);
    await safeEnvironment(environment).ask(`Restart ${HOSTILE}? `);
    expect(asked).toEqual(['Restart redend ? ']);
  });
});
