import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { judgeProgress, type Progress } from './deadline.ts';
import type { ProgressMemo } from '../../instance/progress-memo.ts';
import type { StageProgress } from './stages.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const DEADLINE_MS = 300_000;

const stage = (state: string, isAtWork = false, name = 'etcd'): StageProgress => ({
  stage: name,
  state,
  isAtWork,
});

/** An operator that judges a control plane. It loses its memory when it restarts. */
class Operator {
  #memo: ProgressMemo | undefined;
  status: KarmadaStatus = {};

  judge(seconds: number, stages: readonly StageProgress[], generation = 1): Progress {
    const input = { stages, generation, epoch: String(generation), deadlineMs: DEADLINE_MS };
    const now = START + seconds * 1_000;
    const progress = judgeProgress({ ...input, memo: this.#memo, before: this.status, now });
    this.#memo = progress.memo;
    this.status = {
      observedGeneration: generation,
      lastProgressTime: new Date(progress.reportedAt).toISOString(),
    };
    return progress;
  }

  restart(): void {
    this.#memo = undefined;
  }
}

/** Judges states in steps of seconds. @returns times in seconds at which the control plane has failed */
function failures(
  states: readonly (StageProgress | 'restart')[],
  stepSeconds: number,
): readonly number[] {
  const operator = new Operator();
  return states.flatMap((state, index) => {
    const seconds = index * stepSeconds;
    if (state === 'restart') operator.restart();
    else if (operator.judge(seconds, [state]).isOverdue) return [seconds];
    return [];
  });
}

const repeated = <T>(count: number, value: T): readonly T[] =>
  Array.from({ length: count }, () => value);

describe('judgeProgress', () => {
  it.each<[string, readonly (StageProgress | 'restart')[], readonly number[]]>([
    ['fails a stage that does not change for five minutes', repeated(7, stage('a')), [300, 360]],
    [
      'counts from the last change',
      [...repeated(4, stage('a')), ...repeated(6, stage('b'))],
      [540],
    ],
    [
      'counts no state that repeats',
      repeated(5, [stage('a'), stage('b')]).flat(),
      [360, 420, 480, 540],
    ],
    ['counts work as progress, also of twice the deadline', repeated(11, stage('a', true)), []],
    [
      'counts from the end of work',
      [...repeated(8, stage('a', true)), ...repeated(6, stage('a'))],
      [720, 780],
    ],
    [
      'does not count a restart of the operator',
      [...repeated(3, stage('a')), 'restart', ...repeated(5, stage('a'))],
      [360, 420, 480],
    ],
    [
      'gives a control plane time after a longer absence of the operator',
      [stage('a'), ...repeated(20, 'restart' as const), stage('a'), stage('a'), stage('a')],
      [1_320, 1_380],
    ],
  ])('%s', (_, states, expected) => {
    expect(failures(states, 60)).toEqual(expected);
  });

  it('counts anew after a change of the spec', () => {
    const operator = new Operator();
    operator.judge(0, [stage('a')]);
    expect(operator.judge(299, [stage('a')], 2).isOverdue).toBe(false);
    expect(operator.judge(598, [stage('a')], 2).isOverdue).toBe(false);
    expect(operator.judge(599, [stage('a')], 2).isOverdue).toBe(true);
  });

  it('counts the progress of one stage for all', () => {
    const operator = new Operator();
    const at = (seconds: number, state: string): boolean =>
      operator.judge(seconds, [stage('a'), stage(state, false, 'webhook')]).isOverdue;
    expect([at(0, 'x'), at(280, 'y'), at(560, 'y'), at(580, 'y')]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('changes the reported time at most every 30 seconds', () => {
    const operator = new Operator();
    const times = Array.from(
      { length: 60 },
      (_, n) => operator.judge(n * 2, [stage(String(n))]).reportedAt,
    );
    expect(new Set(times).size).toBeLessThanOrEqual(5);
  });

  it('fails every control plane that only repeats some states, whatever their order and restarts', () => {
    const some = fc.constantFrom(stage('a'), stage('b'), stage('c'));
    const parts = fc.array(fc.array(some, { minLength: 10, maxLength: 20 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(parts, (lives) => {
        const states = lives.flatMap((life) => [...life, 'restart' as const]);
        expect(failures([...states, ...repeated(30, stage('a'))], 60)).not.toEqual([]);
      }),
    );
  });

  it('never fails a control plane that is at work or changes within the deadline', () => {
    const step = fc.record({
      isNew: fc.boolean(),
      isAtWork: fc.boolean(),
      seconds: fc.integer({ min: 1, max: 290 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const operator = new Operator();
        let [seconds, state] = [0, 0];
        operator.judge(0, [stage('0')]);
        let quiet = 0;
        for (const { isNew, isAtWork, seconds: after } of steps) {
          seconds += after;
          quiet += after;
          if (isNew || quiet >= 300) state += 1;
          const { isOverdue } = operator.judge(seconds, [stage(String(state), isAtWork)]);
          if (isNew || isAtWork || quiet >= 300) quiet = 0;
          expect(isOverdue).toBe(false);
        }
      }),
    );
  });
});
