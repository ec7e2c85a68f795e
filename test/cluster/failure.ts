/** What stops a command of the cluster: one line that says what is wrong and what to do about it. */
export class Failure extends Error {
  constructor(problem: string, remedy: string) {
    super(`${problem}: ${remedy}`);
    this.name = 'Failure';
  }
}
