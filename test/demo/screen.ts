import type { ProgressOutput } from '../../tools/embedded-cluster/progress.ts';
import { changedRows, rowLine, type Row, type View } from './view.ts';

/** Prints views. On a terminal each component has a fixed line; other outputs get one line for each change. */
export interface Screen {
  show(view: View): void;
  /** Keeps the current lines; later text is printed below them. */
  end(): void;
}

function terminalScreen(output: ProgressOutput): Screen {
  let shown = 0;
  return {
    show(view) {
      const columns = output.columns ?? 80;
      const up = shown > 0 ? `\u001b[${String(shown)}A` : '';
      const lines = view.rows.map((row) => `\u001b[2K${rowLine(row, columns)}\n`);
      output.write(up + lines.join(''));
      shown = view.rows.length;
    },
    end: () => void (shown = 0),
  };
}

function logScreen(output: ProgressOutput): Screen {
  let before: View | undefined;
  return {
    show(view) {
      const lines = changedRows(view, before).map((row: Row) => `${rowLine(row)}\n`);
      output.write(lines.join(''));
      before = view;
    },
    end: () => undefined,
  };
}

export function createScreen(output: ProgressOutput): Screen {
  return output.isTTY === true ? terminalScreen(output) : logScreen(output);
}
