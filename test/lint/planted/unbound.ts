export class Clock {
  readonly #began = 0;

  now(): number {
    return this.#began;
  }
}

export function forgetsWhoseItIs(clock: Clock): number {
  const { now } = clock;
  return now();
}
