import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createProgress, duration, type Progress, type ProgressOutput } from './progress.ts';

interface Screen {
  progress: Progress;
  text: () => string;
}

function screen(terminal?: { columns: number }): Screen {
  const chunks: string[] = [];
  const output: ProgressOutput = new Writable({
    write(chunk: Buffer, _encoding, done): void {
      chunks.push(chunk.toString());
      done();
    },
  });
  if (terminal !== undefined) Object.assign(output, { isTTY: true, ...terminal });
  return { progress: createProgress(output), text: () => chunks.join('') };
}

/** Returns the final rows of a terminal that received the text; a full row wraps. */
function shown(text: string, columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  for (const part of text.split(/(\r\u001b\[2K|\n)/)) {
    const ends = part === '\n';
    row = part.startsWith('\r') ? '' : row + (ends ? '' : part);
    for (; row.length > columns; row = row.slice(columns)) rows.push(row.slice(0, columns));
    if (ends) rows.push(row);
    if (ends) row = '';
  }
  return [...rows, row];
}

/** Starts a step that ends when `end` is called. */
function open(progress: Progress, name: string): { end(error?: Error): Promise<void> } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const done = progress.step(name, () => promise);
  return {
    async end(error) {
      if (error === undefined) resolve();
      else reject(error);
      await done.catch(() => undefined);
    },
  };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('duration', () => {
  it.each([
    [0, '0.0 s'],
    [1_249, '1.2 s'],
    [59_949, '59.9 s'],
    [59_999, '1 min 00 s'],
    [60_000, '1 min 00 s'],
    [245_400, '4 min 05 s'],
    [3_599_999, '60 min 00 s'],
  ])('formats %d ms as %s', (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text);
  });
});

describe('progress in a log', () => {
  it('prints one line with the duration when a step is quick', async () => {
    const { progress, text } = screen();
    const step = open(progress, 'images');
    jest.advanceTimersByTime(4_200);
    await step.end();
    expect(text()).toMatch(/^images +done {2}4\.2 s\n$/);
  });

  it('also prints a running line when a step is slow', async () => {
    const { progress, text } = screen();
    const step = open(progress, 'build karmada');
    jest.advanceTimersByTime(5_000);
    expect(text()).toMatch(/^build karmada +running\n$/);
    jest.advanceTimersByTime(90_000);
    await step.end();
    expect(text().split('\n')).toEqual([
      expect.stringMatching(/running$/),
      expect.stringMatching(/^build karmada +done {2}1 min 35 s$/),
      '',
    ]);
  });

  it('prints a failed line and throws the error when a step fails', async () => {
    const { progress, text } = screen();
    const step = progress.step('images', () => Promise.reject(new Error('no')));
    await expect(step).rejects.toThrow('no');
    expect(text()).toMatch(/^images +failed {2}0\.0 s\n$/);
  });

  it('writes only plain lines without control characters', async () => {
    const { progress, text } = screen();
    const steps = [open(progress, 'a'), open(progress, 'b')];
    progress.note('note');
    jest.advanceTimersByTime(10_000);
    for (const step of steps) await step.end();
    expect(text()).not.toMatch(/[\r\u001b]/);
  });
});

describe('progress on a terminal', () => {
  it('redraws one line and replaces it by the result', async () => {
    const { progress, text } = screen({ columns: 80 });
    const step = open(progress, 'images');
    jest.advanceTimersByTime(1_000);
    expect(shown(text(), 80)).toEqual([expect.stringMatching(/^images +1\.0 s$/)]);
    await step.end();
    expect(shown(text(), 80)).toEqual([expect.stringMatching(/^images +done {2}1\.0 s$/), '']);
  });

  it('shows concurrent steps in one line and prints one result line for each', async () => {
    const { progress, text } = screen({ columns: 80 });
    const first = open(progress, 'control plane');
    const second = open(progress, 'container runtime');
    jest.advanceTimersByTime(400);
    expect(shown(text(), 80)).toEqual([
      expect.stringMatching(/^control plane, container runtime /),
    ]);
    await second.end();
    progress.note('a note');
    expect(shown(text(), 80)).toEqual([
      expect.stringMatching(/^container runtime +done/),
      'a note',
      expect.stringMatching(/^control plane /),
    ]);
    await first.end();
    expect(shown(text(), 80).slice(2)).toEqual([expect.stringMatching(/^control plane +done/), '']);
  });

  it.each([10, 20, 40, 60, 80])('redraws a long line completely at %d columns', async (columns) => {
    const { progress, text } = screen({ columns });
    const step = open(
      progress,
      'a step whose name is longer than most terminals are wide, '.repeat(3),
    );
    for (let tick = 0; tick < 20; tick++) {
      jest.advanceTimersByTime(200);
      expect(shown(text(), columns)).toHaveLength(1);
      expect(shown(text(), columns)[0]?.length).toBeLessThan(columns);
    }
    await step.end();
  });
});
