/** A real Prometheus that scrapes the operator on the loopback interface. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { freePorts, startServer } from '../servers/process.ts';
import type { RuleGroup } from './rules.ts';

export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  /** Time and value. */
  readonly value: readonly [number, string];
}

export interface PrometheusOptions {
  readonly rules: readonly RuleGroup[];
  /** Port of the metrics endpoint on the loopback interface. */
  readonly port: number;
  /** Time between two scrapes, and between two evaluations of the rules. */
  readonly intervalMs: number;
}

export class Prometheus {
  readonly #url: string;
  readonly #end: () => Promise<void>;

  private constructor(url: string, end: () => Promise<void>) {
    this.#url = url;
    this.#end = end;
  }

  /** Builds Prometheus if necessary, and waits until it is ready. */
  static async start(options: PrometheusOptions): Promise<Prometheus> {
    const { prometheus } = await ensureBinaries(['prometheus']);
    const directory = await mkdtemp(join(tmpdir(), 'prometheus-'));
    const [port = 0] = await freePorts(1);
    await writeFile(join(directory, 'rules.yml'), JSON.stringify({ groups: options.rules }));
    await writeFile(join(directory, 'prometheus.yml'), configuration(options));
    const url = `http://127.0.0.1:${String(port)}`;
    const flags = [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${String(port)}`,
      '--log.level=warn',
    ];
    const server = startServer(prometheus, flags, join(directory, 'log'));
    await poll('Prometheus is ready', async (seen) => {
      seen(server.tail());
      const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
      return answer?.ok === true ? true : undefined;
    });
    return new Prometheus(url, async () => {
      await server.end('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    });
  }

  /** Evaluates an expression now. @throws Error with the message of Prometheus if it is not valid */
  async query(expression: string): Promise<readonly Sample[]> {
    const data = await this.#get<{ result: readonly Sample[] }>('query', { query: expression });
    return data.result;
  }

  /** Alerts that are pending or firing. */
  async alerts(): Promise<readonly Alert[]> {
    return (await this.#get<{ alerts: readonly Alert[] }>('alerts', {})).alerts;
  }

  /** Whether a series of this name exists, or has existed since the start. */
  async hasSeries(name: string): Promise<boolean> {
    const found = await this.#get<readonly unknown[]>('series', { 'match[]': name, limit: '1' });
    return found.length > 0;
  }

  end(): Promise<void> {
    return this.#end();
  }

  async #get<T>(path: string, parameters: Readonly<Record<string, string>>): Promise<T> {
    const query = new URLSearchParams(parameters).toString();
    const answer = await fetch(`${this.#url}/api/v1/${path}?${query}`);
    const body = (await answer.json()) as { data?: T; error?: string };
    if (body.data === undefined) throw new Error(`${path} ${query}: ${body.error ?? 'no data'}`);
    return body.data;
  }
}

/** JSON is YAML. */
function configuration({ port, intervalMs }: PrometheusOptions): string {
  const interval = `${String(intervalMs)}ms`;
  return JSON.stringify({
    global: {
      scrape_interval: interval,
      scrape_timeout: interval,
      evaluation_interval: interval,
    },
    rule_files: ['rules.yml'],
    scrape_configs: [
      {
        job_name: 'karmada-operator',
        static_configs: [{ targets: [`127.0.0.1:${String(port)}`] }],
      },
    ],
  });
}
