/** An expected error of a command. Its message is one line with the problem and what to do. */
export class Failure extends Error {
  constructor(problem: string, remedy: string) {
    super(`${problem}: ${remedy}`);
    this.name = 'Failure';
  }
}
