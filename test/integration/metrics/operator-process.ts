import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import type { ApiServer } from '../../harness/servers/apiserver.ts';
import { freePorts, startServer, type Server } from '../../harness/servers/process.ts';

/** An operator process that runs from source against an API server. */
export interface OperatorProcess extends Pick<Server, 'end' | 'tail'> {
  readonly metricsPort: number;
}

/** Starts the operator and waits until it is ready. @param flags in addition to addresses and kubeconfig */
export async function startOperator(
  server: ApiServer,
  flags: readonly string[],
): Promise<OperatorProcess> {
  const [metricsPort = 0, health = 0] = await freePorts(2);
  const kubeconfig = join(server.directory, 'kubeconfig.json');
  await writeFile(kubeconfig, server.kubeconfig);
  const operator = startServer(
    process.execPath,
    [
      join(checkout, 'src/main.ts'),
      `--kubeconfig=${kubeconfig}`,
      `--metrics-bind-address=127.0.0.1:${String(metricsPort)}`,
      `--health-probe-bind-address=127.0.0.1:${String(health)}`,
      '--leader-elect-resource-namespace=default',
      ...flags,
    ],
    join(server.directory, `operator-${String(metricsPort)}.log`),
  );
  await poll('the operator is ready', async (seen) => {
    if (operator.ended()) throw new Error(`the operator has ended:\n${operator.tail()}`);
    seen(operator.tail());
    const answer = await fetch(`http://127.0.0.1:${String(health)}/readyz`).catch(() => undefined);
    return answer?.status === 200 ? true : undefined;
  });
  return { metricsPort, end: (signal) => operator.end(signal), tail: () => operator.tail() };
}

/** Scrapes over HTTPS without verification of the certificate. */
export function scrape(
  port: number,
  token?: string,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const options = { host: '127.0.0.1', port, path: '/metrics', headers, agent: false };
    request({ ...options, rejectUnauthorized: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .once('error', reject)
      .end();
  });
}
