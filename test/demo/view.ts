import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { HOST_REACHABLE } from '../../src/reconcile/status/condition-types.ts';
import { duration } from '../cluster/progress.ts';

/** What is shown of one component, or of the host: a condition of the Karmada, and how long it has taken. */
export interface Row {
  readonly name: string;
  readonly done: boolean;
  /** Reason and message while it is not done. */
  readonly detail: string;
  /** Milliseconds from the beginning until it was done, or until now. */
  readonly elapsedMs: number;
}

/** The whole view, of which `changedRows` finds what is new. */
export interface View {
  readonly rows: readonly Row[];
  readonly ready: boolean;
  /** Text of the condition Ready. */
  readonly message: string;
}

/** Conditions whose status False is the good one. */
const badWhenTrue = new Set(['Degraded', 'Progressing', 'Stalled', 'Suspended']);

/** Components, and the host when that is another cluster. */
const isShown = (type: string): boolean =>
  (type.endsWith('Ready') && type !== 'Ready') || type === HOST_REACHABLE;

const isDone = ({ type, status }: Condition): boolean =>
  status === (badWhenTrue.has(type) ? 'False' : 'True');

/** `APIServerReady` becomes `API server`: words of a condition's type, without the final Ready. */
export function componentName(type: string): string {
  const words = type.replace(/Ready$/, '').match(/[A-Z]+(?![a-z])|[A-Z][a-z]+/g) ?? [type];
  const lower = words.map((word, index) =>
    index === 0 || /^[A-Z]+$/.test(word) ? word : word.toLowerCase(),
  );
  return lower.join(' ');
}

/**
 * The view after a change of the Karmada.
 * @param elapsedMs milliseconds since the demo applied it
 * @param before the view until now: the time of a component that was done stays
 */
export function nextView(karmada: Karmada, elapsedMs: number, before?: View): View {
  const conditions = karmada.status?.conditions ?? [];
  const components = conditions.filter(({ type }) => isShown(type));
  const rows = components.map((condition) => {
    const name = componentName(condition.type);
    const known = before?.rows.find((row) => row.name === name);
    const done = isDone(condition);
    const detail = done ? '' : `${condition.reason}: ${condition.message}`;
    return {
      name,
      done,
      detail,
      elapsedMs: done && known?.done === true ? known.elapsedMs : elapsedMs,
    };
  });
  const ready = conditions.find(({ type }) => type === 'Ready');
  const current = ready?.observedGeneration === karmada.metadata.generation;
  return { rows, ready: ready?.status === 'True' && current, message: ready?.message ?? '' };
}

/** Rows that are new, got done or say something else than before. */
export function changedRows(view: View, before: View | undefined): Row[] {
  return view.rows.filter((row) => {
    const known = before?.rows.find(({ name }) => name === row.name);
    return known === undefined || known.done !== row.done || known.detail !== row.detail;
  });
}

/** One line for a row; `columns` cuts it to what a terminal shows in one line. */
export function rowLine(row: Row, columns = Infinity): string {
  const time = duration(row.elapsedMs).padStart(8);
  const line = `  ${row.done ? '✓' : '·'} ${row.name.padEnd(26)} ${time}  ${row.detail}`.trimEnd();
  return line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
}
