import { describe, expect, it } from '@jest/globals';
import { A, authorityWith, B, DAY, factsWith, NOW, rotationOf } from './__fixtures__/facts.ts';
import type { RotationFacts } from './facts.ts';
import { nextRotationStep } from './next-step.ts';
import type { Rotation } from './record.ts';
import { ABORT_ANNOTATION, COMPLETE_ANNOTATION, ROTATE_ANNOTATION } from './requests.ts';
import {
  CERTIFICATE_ROTATION,
  rotationConditions,
  rotationDueAt,
  rotationStatus,
} from './status.ts';

const OVERLAP = { phase: 'Overlap', since: NOW - 2 * DAY, writtenAt: NOW - 2 * DAY } as const;

/** An overlap whose end others hold up: paused Pods. */
const withParties = (count: number, annotations = {}) => {
  const rotation = rotationOf({ ...OVERLAP, completion: 'confirmed' });
  const { pods } = authorityWith(rotation);
  const paused = Array.from({ length: count }, (_, index) => ({
    ...{ name: `agent ${String(index)}`, component: 'users' as const, isPaused: true as const },
    ...{ startedAt: NOW - DAY, probes: [], presented: [] },
  }));
  const items = [...pods.items, ...paused];
  return factsWith(
    rotation,
    { authorities: [authorityWith(rotation, { pods: { ...pods, items } })] },
    annotations,
  );
};

describe('rotationStatus', () => {
  it('is absent at rest and for a record that is not valid', () => {
    expect(rotationStatus(factsWith(undefined))).toBeUndefined();
    expect(rotationStatus(factsWith(undefined, { record: { fault: 'x' } }))).toBeUndefined();
  });

  it('has the phase, the fingerprints and the annotations that abort and complete', () => {
    expect(rotationStatus(withParties(1))).toEqual({
      authorities: [
        {
          ...{ authority: 'ca', phase: 'Overlap', since: new Date(NOW - 2 * DAY).toISOString() },
          ...{ from: A, to: B, waitingFor: { names: ['Pod agent 0'], count: 1 } },
          abort: `${ABORT_ANNOTATION}=ca/${B.slice(0, 16)}`,
          complete: `${COMPLETE_ANNOTATION}=ca/${A.slice(0, 16)}`,
        },
      ],
    });
  });

  it('names ten parties and counts all', () => {
    const [row] = rotationStatus(withParties(1_000))?.authorities ?? [];
    expect(row?.waitingFor?.names).toHaveLength(10);
    expect(row?.waitingFor?.count).toBe(1_000);
  });

  it('has the request that waits', () => {
    const facts = withParties(1, { [ROTATE_ANNOTATION]: 'ca/2' });
    expect(rotationStatus(facts)?.queued).toBe('ca/2');
  });
});

const conditionsOf = (facts: RotationFacts) => rotationConditions(facts, nextRotationStep(facts));

describe('rotationConditions', () => {
  const waits = (given: Partial<Rotation>) => {
    const rotation = rotationOf(given);
    const { pods } = authorityWith(rotation);
    const items = pods.items.map((pod) => ({ ...pod, probes: [], presented: [] }));
    return factsWith(rotation, {
      authorities: [authorityWith(rotation, { pods: { ...pods, items } })],
    });
  };

  it.each([
    ['absent at rest', factsWith(undefined), []],
    ['True while a phase takes its time', waits({}), [['True', 'Preparing']]],
    [
      'True when the next step is due',
      factsWith(rotationOf({ phase: 'Switching' })),
      [['True', 'Switching']],
    ],
    [
      'True while the overlap lasts',
      factsWith(rotationOf({ ...OVERLAP, since: NOW })),
      [['True', 'Overlap']],
    ],
    ['False with the reason of an obstacle', withParties(3), [['False', 'RotationPaused']]],
    [
      'False for a request that is not valid',
      factsWith(undefined, {}, { [ROTATE_ANNOTATION]: 'ca' }),
      [['False', 'RotationRequestInvalid']],
    ],
    [
      'True while suspended in a phase',
      factsWith(rotationOf(), { obstacles: { isSuspended: true } }),
      [['True', 'Preparing']],
    ],
    [
      'absent while suspended at rest',
      factsWith(undefined, { obstacles: { isSuspended: true } }),
      [],
    ],
  ] as const)('are %s', (_, facts, expected) => {
    const found = conditionsOf(facts);
    expect(found.map(({ status, reason }) => [status, reason])).toEqual(expected);
    expect(
      found.every(({ type, message }) => type === CERTIFICATE_ROTATION && message !== ''),
    ).toBe(true);
  });

  it('name annotations that have no effect while a rotation is under way', () => {
    const annotations = { [ROTATE_ANNOTATION]: 'ca', [ABORT_ANNOTATION]: `ca/${A}` };
    const [condition] = conditionsOf(withParties(1, annotations));
    expect(condition).toMatchObject({ status: 'False', reason: 'RotationPaused' });
    expect(condition?.message).toContain(`annotation ${ROTATE_ANNOTATION}: the value is not`);
    expect(condition?.message).toContain(
      `annotation ${ABORT_ANNOTATION}=ca/${A}: no rotation of ca`,
    );
  });

  it('name at most ten parties', () => {
    const [condition] = conditionsOf(withParties(1_000));
    expect(condition?.message).toContain('Pod agent 9 and 990 more');
    expect(condition?.message.length).toBeLessThan(1_024);
  });
});

describe('rotationDueAt', () => {
  it.each([
    ['never at rest', factsWith(undefined), Infinity],
    [
      'never for a record that is not valid',
      factsWith(undefined, { record: { fault: 'x' } }),
      Infinity,
    ],
    ['now when a step is due', factsWith(rotationOf()), NOW],
    [
      'at the end of the overlap',
      factsWith(rotationOf({ ...OVERLAP, since: NOW - DAY + 5 })),
      NOW + 5,
    ],
    ['never for paused Pods', withParties(2), Infinity],
    [
      'after a minute while a rotation cannot begin without a Pod that does not answer',
      factsWith(undefined, {
        requests: { rotate: { authorities: ['ca'], recorded: 'rotate=ca/1' }, faults: [] },
        obstacles: { unobserved: 'Pod a: no port-forward' },
      }),
      NOW + 60_000,
    ],
  ])('is %s', (_, facts, expected) => {
    expect(rotationDueAt(facts, nextRotationStep(facts))).toBe(expected);
  });
});
