import type { Karmada } from '../../src/api/karmada.ts';
import { karmadas } from '../../src/host-clusters/host.ts';
import { systemClock } from '../../src/kubernetes/time/clock.ts';
import { Informer } from '../../src/kubernetes/informers/informer.ts';
import type { Screen } from './screen.ts';
import type { Target } from './target.ts';
import { nextView, type View } from './view.ts';

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Reasons of Ready that require a user action, so that waiting is useless. */
const finalReasons = new Set(['ValidationError', 'NameCollision']);

const TIMEOUT_MS = 600_000;

export interface Outcome {
  readonly ready: boolean;
  readonly message: string;
  readonly elapsedMs: number;
}

/** Shows the progress of a Karmada until it is ready, needs a user action, or the timeout expires. */
export async function follow(
  target: Target,
  { name, namespace }: Karmada['metadata'],
  screen: Screen,
): Promise<Outcome> {
  const informer = new Informer({
    client: target.client,
    type: karmadas,
    namespace: namespace ?? '',
    fieldSelector: `metadata.name=${name}`,
    clock: systemClock,
    random: Math.random,
    log: quiet,
  });
  const began = systemClock.monotonic();
  const elapsed = (): number => systemClock.monotonic() - began;
  let karmada: Karmada | undefined;
  let view: View | undefined;
  const update = (): void => {
    if (karmada === undefined) return;
    view = nextView(karmada, elapsed(), view);
    screen.show(view);
  };
  const redraw = setInterval(update, 200);
  try {
    await new Promise<void>((resolve) => {
      const deadline = setTimeout(resolve, TIMEOUT_MS);
      informer.onChange(({ object }) => {
        karmada = object as unknown as Karmada;
        update();
        const reason =
          karmada.status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '';
        if (view?.ready !== true && !finalReasons.has(reason)) return;
        clearTimeout(deadline);
        resolve();
      });
      informer.start();
    });
  } finally {
    clearInterval(redraw);
    screen.end();
    await informer.stop();
  }
  return {
    ready: view?.ready ?? false,
    message: view?.message ?? 'no status',
    elapsedMs: elapsed(),
  };
}
