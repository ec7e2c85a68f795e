import { describe, expect, it } from '@jest/globals';
import { anyClient } from './any-client.fixture.ts';
import { manualClock, memoryLog } from '../time/clock.fixture.ts';
import { toApiError } from './errors.ts';
import { EventRecorder, type EventReport } from './events.ts';
import type { KubernetesObject } from '../objects/object.ts';
import type { ObjectKey } from '../objects/resources.ts';

function setUp(fail = false) {
  const clock = manualClock();
  const log = memoryLog();
  const created: KubernetesObject[] = [];
  const patched: [ObjectKey, object][] = [];
  const recorder = new EventRecorder({
    client: anyClient({
      create: (object) => {
        created.push(object);
        const error = toApiError('create Event', { code: 403, body: '' });
        return fail ? Promise.reject(error) : Promise.resolve(object);
      },
      patch: (_type, key, patch) => {
        patched.push([key, patch]);
        return Promise.resolve({ apiVersion: '', kind: '', metadata: { name: '' } });
      },
    }),
    reportingController: 'example.io/operator',
    reportingInstance: 'pod-1',
    clock,
    random: () => 0.25,
    log,
    limit: { burst: 3, refillMs: 60_000 },
  });
  return { clock, log, created, patched, recorder };
}

function report(note: string, name = 'demo'): EventReport {
  const regarding = {
    apiVersion: 'example.io/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'team', uid: `uid-${name}`, resourceVersion: '9' },
  };
  return { regarding, type: 'Warning', reason: 'Broken', action: 'Reconcile', note };
}

describe('EventRecorder', () => {
  it('writes an Event about the object with a MicroTime', async () => {
    const { recorder, created } = setUp();
    recorder.record(report('the disk is full'));
    await recorder.flush();
    expect(created).toHaveLength(1);
    expect(created[0]).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: expect.stringMatching(/^demo\.[0-9a-f]{16}$/), namespace: 'team' },
      eventTime: '2026-01-02T03:04:05.678000Z',
      note: 'the disk is full',
      regarding: { kind: 'Widget', name: 'demo', uid: 'uid-demo' },
    });
  });

  it('counts repetitions in the series of the first Event and patches it at intervals', async () => {
    const { recorder, created, patched, clock } = setUp();
    for (let i = 0; i < 10; i += 1) {
      recorder.record(report('the disk is full'));
      await clock.advance(60_000);
    }
    await recorder.flush();
    expect(created).toHaveLength(1);
    expect(patched).toHaveLength(1);
    expect(patched[0]?.[1]).toEqual({
      series: { count: 6, lastObservedTime: '2026-01-02T03:09:05.678000Z' },
    });
    await clock.advance(3_600_001);
    recorder.record(report('the disk is full'));
    expect(created).toHaveLength(2);
  });

  it('limits the number of Events per object', async () => {
    const { recorder, created, clock } = setUp();
    for (let i = 0; i < 50; i += 1) recorder.record(report(`fault ${i}`));
    expect(created).toHaveLength(3);
    recorder.record(report('fault', 'other'));
    expect(created).toHaveLength(4);
    await clock.advance(60_000);
    recorder.record(report('later a'));
    recorder.record(report('later b'));
    expect(created).toHaveLength(5);
  });

  it('writes Events about an object whose details reached their limit', () => {
    const { recorder, created } = setUp();
    for (let i = 0; i < 50; i += 1) recorder.record({ ...report(`part ${i}`), isDetail: true });
    expect(created).toHaveLength(3);
    recorder.record(report('the disk is full'));
    expect(created).toHaveLength(4);
  });

  it('logs and does not throw when the API server rejects an Event', async () => {
    const { recorder, log } = setUp(true);
    expect(() => recorder.record(report('x'))).not.toThrow();
    await recorder.flush();
    expect(log.lines[0]).toContain('403');
  });

  it('shortens name and note when they exceed the limits of the API', async () => {
    const { recorder, created } = setUp();
    const regarding = {
      apiVersion: 'v1',
      kind: 'ClusterRole',
      metadata: { name: `System:${'x'.repeat(300)}-` },
    };
    recorder.record({ ...report('y'.repeat(5_000)), regarding });
    await recorder.flush();
    expect(created[0]?.metadata.name).toMatch(/^system-x{193}\.[0-9a-f]{16}$/);
    expect(created[0]?.metadata.namespace).toBe('default');
    expect(String(created[0]?.note)).toHaveLength(1_000);
  });

  it('leaves out Events while too many of a namespace or of all are being written', async () => {
    const written: string[] = [];
    const ends: (() => void)[] = [];
    const recorder = new EventRecorder({
      client: {
        create: (object) => {
          written.push(object.metadata.namespace ?? '');
          return new Promise((resolve) => ends.push(() => resolve(object)));
        },
        patch: () => Promise.reject(new Error('not expected')),
      },
      reportingController: 'example.io/operator',
      reportingInstance: 'pod-1',
      clock: manualClock(),
      random: () => 0.25,
      log: memoryLog(),
    });
    const record = (namespace: string, count: number): void => {
      for (let index = 0; index < count; index += 1) {
        const { regarding, ...rest } = report('full', `${namespace}-${String(index)}`);
        const metadata = { ...regarding.metadata, namespace };
        recorder.record({ ...rest, regarding: { ...regarding, metadata } });
      }
    };
    record('crowded', 100);
    expect(written).toHaveLength(32);
    record('other', 1);
    expect(written.at(-1)).toBe('other');
    for (let index = 0; index < 20; index += 1) record(`n${String(index)}`, 20);
    expect(written).toHaveLength(256);
    for (const end of ends) end();
    await recorder.flush();
    record('crowded', 200);
    expect(written.length).toBeGreaterThan(256);
  });
});
