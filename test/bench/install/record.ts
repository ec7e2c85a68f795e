import { writeFile } from 'node:fs/promises';
import { describeMachine } from './machine.ts';
import type { MemoryFigure } from './memory.ts';
import { runLine, type Results, type Run } from './report.ts';

/** The measurements so far. */
export interface RunRecord {
  readonly results: Results;
  /** Adds a run, prints it as one line, and writes the file. */
  add(run: Run): Promise<void>;
  addMemory(figures: readonly MemoryFigure[]): Promise<void>;
}

export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/**
 * Creates a record. The file is written after every run, so that a later failure loses no raw values.
 * @param kind kind of the installed control planes
 * @param json absolute path of the file for the raw values; undefined for no file
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
