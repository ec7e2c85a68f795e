/** Wall clock of the stubs of this process. A test moves it forward, and the operator follows the Date of their responses. */
let aheadMs = 0;

/** Wall clock in milliseconds. */
export const stubNow = (): number => Date.now() + aheadMs;

/** Ends the difference to the clock of this machine, by which OpenSSL judges certificates. */
export function resetClock(): void {
  aheadMs = 0;
}

/** Moves the clock forward. */
export function advance(ms: number): void {
  aheadMs += ms;
}
