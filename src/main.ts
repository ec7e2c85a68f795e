import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { KubeConfig } from '@kubernetes/client-node';
import { createAnnouncer, karmadas } from './announce.ts';
import { createClient } from './kubernetes/client.ts';
import { systemClock } from './kubernetes/clock.ts';
import { kubeConfigEndpoint } from './kubernetes/connection.ts';
import { createLogger } from './logging.ts';
import { createMetrics } from './metrics.ts';
import { Operator } from './operator.ts';
import { OptionsError, parseOptions, type Options } from './options.ts';
import { operatorVersion } from './version.ts';

function loadKubeConfig(file: string | undefined): KubeConfig {
  const config = new KubeConfig();
  if (file === undefined) config.loadFromCluster();
  else config.loadFromFile(file);
  return config;
}

async function start(options: Options): Promise<number> {
  const log = createLogger(options.log);
  const random = Math.random;
  const client = createClient(kubeConfigEndpoint(loadKubeConfig(options.kubeconfig)), {
    rateLimit: options.clientRate,
    resources: [karmadas],
    userAgent: `karmada-operator/${operatorVersion}`,
  });
  const common = { client, clock: systemClock, random, log };
  const operator = new Operator({
    ...common,
    options,
    reconciler: createAnnouncer({ ...common, version: operatorVersion }),
    metrics: createMetrics(operatorVersion),
    identity: `${hostname()}_${randomUUID()}`,
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => operator.stop());
  log.info({ version: operatorVersion }, 'karmada-operator starts');
  const outcome = await operator.run();
  log.info({ outcome }, 'karmada-operator ends');
  return outcome === 'stopped' ? 0 : 1;
}

try {
  process.exit(await start(parseOptions(process.argv.slice(2))));
} catch (error) {
  const wanted = error instanceof OptionsError;
  const text = error instanceof Error ? error.message : String(error);
  const output = wanted && error.exitCode === 0 ? process.stdout : process.stderr;
  output.write(wanted ? text : `error: ${text}\n`);
  process.exit(wanted ? error.exitCode : 1);
}
