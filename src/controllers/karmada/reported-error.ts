/** Error with which a reconcile ends although its status is written: the status reports the cause. */
export class ReportedError extends Error {
  constructor(cause: unknown) {
    super('the status of the Karmada reports the error', { cause });
  }
}
