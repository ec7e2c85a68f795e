import { expect, it } from '@jest/globals';
import { karmadaCrd } from '../../scripts/crd/karmada.ts';
import { memoryLog } from '../kubernetes/time/clock.fixture.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { servedCrdCheck } from './served-crd.ts';
import { anyClient } from '../kubernetes/client/any-client.fixture.ts';

const COMPLETE = karmadaCrd as unknown as KubernetesObject;
const EMPTY = { ...COMPLETE, spec: { versions: [] } };

function environment() {
  const log = memoryLog();
  const notes: string[] = [];
  const counts: number[] = [];
  const answers: (KubernetesObject | Error)[] = [];
  const check = servedCrdCheck({
    client: anyClient({
      find: () => {
        const answer = answers.shift();
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    }),
    expected: () => Promise.resolve(COMPLETE),
    events: { record: ({ note }) => void notes.push(note) },
    log,
    onLacks: (count) => void counts.push(count),
  });
  return { check, answers, notes, counts, log };
}

it('servedCrdCheck reports missing parts once, and reports when the CRD is complete again', async () => {
  const { check, answers, notes, counts, log } = environment();
  answers.push(COMPLETE, EMPTY, EMPTY, COMPLETE, COMPLETE);
  for (let time = 0; time < 5; time += 1) await check();
  expect(counts).toEqual([0, 1, 1, 0, 0]);
  expect(notes).toHaveLength(1);
  expect(notes[0]).toContain('missing 1 version (v1alpha1)');
  expect(notes[0]).toContain('apply the CRD of this operator release');
  expect(log.lines.map((line) => line.split(' ')[0])).toEqual(['warn', 'info']);
});

it('servedCrdCheck reports a failed read once and reports no count', async () => {
  const { check, answers, notes, counts, log } = environment();
  answers.push(new Error('no'), new Error('no'));
  await check();
  await check();
  expect([notes, counts, log.lines.length]).toEqual([[], [], 1]);
});
