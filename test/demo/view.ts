import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { HOST_REACHABLE } from '../../src/conditions/condition-types.ts';
import { duration } from '../../tools/embedded-cluster/progress.ts';

/** Row of one component or of the host cluster: a condition of the Karmada, with its elapsed time. */
export interface Row {
  readonly name: string;
  readonly done: boolean;
  /** Reason and message while it is not done. */
  readonly detail: string;
  /** Milliseconds from the start until it was done, or until now. */
  readonly elapsedMs: number;
}

/** All rows; `changedRows` returns the changed ones. */
export interface View {
  readonly rows: readonly Row[];
  readonly ready: boolean;
  /** Message of the condition Ready. */
  readonly message: string;
}

/** Conditions with negative polarity: False is the normal status. */
const badWhenTrue = new Set(['Degraded', 'Progressing', 'Stalled', 'Suspended']);

/** Returns true for conditions of components, and of a remote host cluster. */
const isShown = (type: string): boolean =>
  (type.endsWith('Ready') && type !== 'Ready') || type === HOST_REACHABLE;

const isDone = ({ type, status }: Condition): boolean =>
  status === (badWhenTrue.has(type) ? 'False' : 'True');

/** Returns the display name of a condition type without the final Ready: `APIServerReady` becomes `API server`. */
export function componentName(type: string): string {
  const words = type.replace(/Ready$/, '').match(/[A-Z]+(?![a-z])|[A-Z][a-z]+/g) ?? [type];
  const lower = words.map((word, index) =>
    index === 0 || /^[A-Z]+$/.test(word) ? word : word.toLowerCase(),
  );
  return lower.join(' ');
}

/**
 * Returns the view after a change of the Karmada.
 * @param elapsedMs milliseconds since the demo applied the Karmada
 * @param before previous view; the elapsed time of a component that was done stays
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

/** Returns rows that are new, or whose state or detail has changed. */
export function changedRows(view: View, before: View | undefined): Row[] {
  return view.rows.filter((row) => {
    const known = before?.rows.find(({ name }) => name === row.name);
    return known === undefined || known.done !== row.done || known.detail !== row.detail;
  });
}

/** Formats a row as one line, truncated to `columns`. */
export function rowLine(row: Row, columns = Infinity): string {
  const time = duration(row.elapsedMs).padStart(8);
  const line = `  ${row.done ? '✓' : '·'} ${row.name.padEnd(26)} ${time}  ${row.detail}`.trimEnd();
  return line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
}
