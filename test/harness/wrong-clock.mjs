// Preloaded into the operator process with `node --import`: shifts Date by CLOCK_AHEAD_MS. OpenSSL reads the system
// clock directly and is not affected.
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
