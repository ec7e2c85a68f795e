import { writeFile } from 'node:fs/promises';
import { describeMachine } from './machine.ts';
import type { MemoryFigure } from './memory.ts';
import { runLine, type Results, type Run } from './report.ts';

/** What has been measured so far. */
export interface RunRecord {
  readonly results: Results;
  /** Notes a run, prints a line of it, and writes the file. */
  add(run: Run): Promise<void>;
  addMemory(figures: readonly MemoryFigure[]): Promise<void>;
}

export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/**
 * Begins a record; it is written after every run, so that no raw value is lost when a later one fails.
 * @param kind what is installed
 * @param json absolute path of the file with the raw values, if there is to be one
 */
export function createRecord(kind: string, json: string | undefined): RunRecord {
  const runs: Run[] = [];
  const memory: MemoryFigure[] = [];
  const machine = describeMachine();
  const results: Results = { machine, kind, began: new Date().toISOString(), runs, memory };
  const save = async (): Promise<void> => {
    if (json !== undefined) await writeFile(json, `${JSON.stringify(results, undefined, 2)}\n`);
  };
  return {
    results,
    async add(run) {
      runs.push(run);
      print(runLine(run));
      await save();
    },
    async addMemory(figures) {
      memory.push(...figures);
      await save();
    },
  };
}
