// Loaded into the operator's process before its own code, with `node --import`: its clock is wrong by CLOCK_AHEAD_MS.
// What OpenSSL reads of the machine's clock itself stays right.
const ahead = Number(process.env.CLOCK_AHEAD_MS);
const Original = globalThis.Date;

globalThis.Date = class Date extends Original {
  constructor(...args) {
    super(...(args.length === 0 ? [Original.now() + ahead] : args));
  }

  static now() {
    return Original.now() + ahead;
  }
};
