// Injected into the plugin: functions that its libraries use at start and that Node.js 20 lacks.
const zlib = require('node:zlib');
const workers = require('node:worker_threads');

// Only the fetch function of undici uses it, which the plugin does not call.
zlib.createZstdDecompress ??= () => {
  throw new Error('zstd needs Node.js 22');
};
workers.markAsUncloneable ??= () => undefined;
Promise.withResolvers ??= function withResolvers() {
  let resolve;
  let reject;
  const promise = new this((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
};
