import { expect, it } from '@jest/globals';
import { memoryLog } from '../kubernetes/time/clock.fixture.ts';
import type { EventReport } from '../kubernetes/client/events.ts';
import { orphanCheck } from './orphan-check.ts';
import type { Orphan } from './orphans.ts';

const orphan = (name: string, server?: string): Orphan => ({
  namespace: 'team',
  name,
  workloads: ['Deployment', 'StatefulSet'].map((kind) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { namespace: 'team', name },
  })),
  ...(server !== undefined && { server }),
});

it('reports an orphan once, and again when it reappears, and counts orphans in each check', async () => {
  const found: Orphan[][] = [[], [orphan('a')], [orphan('a'), orphan('b')], [], [orphan('a')]];
  const [log, counts, events] = [memoryLog(), [] as number[], [] as EventReport[]];
  const check = orphanCheck({
    find: () => Promise.resolve(found.shift() ?? []),
    events: { record: (event) => void events.push(event) },
    log,
    onOrphans: (count) => void counts.push(count),
  });
  for (let time = 0; time < 5; time += 1) await check();
  expect(counts).toEqual([0, 1, 2, 0, 1]);
  expect(events.map(({ regarding }) => `${regarding.kind} ${regarding.metadata.name}`)).toEqual([
    'StatefulSet a',
    'StatefulSet b',
    'StatefulSet a',
  ]);
  expect(log.lines).toHaveLength(3);
});

it('reports an orphan on a remote host cluster only in the log, and logs a failed check', async () => {
  const [log, events] = [memoryLog(), [] as EventReport[]];
  const answers = [Promise.resolve([orphan('a', 'https://host')]), Promise.reject(new Error('no'))];
  const check = orphanCheck({
    find: () => answers.shift() ?? Promise.resolve([]),
    events: { record: (event) => void events.push(event) },
    log,
    onOrphans: () => undefined,
  });
  await check();
  await check();
  expect(events).toEqual([]);
  expect(log.lines[0]).toContain('https://host');
  expect(log.lines[1]).toContain('check for orphaned control planes failed');
});
