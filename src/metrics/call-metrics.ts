/** Metrics of the calls to API servers. Labels have fixed sets of values: no label names a cluster or an object. */
import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { FinishedCall } from '../kubernetes/client/finished-call.ts';
import type { Metrics } from './metrics-interface.ts';

const WRITES: ReadonlySet<string> = new Set(['create', 'apply', 'replace', 'patch', 'delete']);

/** Whether a call changed an object. A dry run counts too: the operator makes few. */
const isWrite = ({ verb, code }: FinishedCall): boolean => WRITES.has(verb) && /^2/.test(code);

/** Calls and writes. */
export function callMetrics(registers: Registry[]): Pick<Metrics, 'called' | 'limited'> {
  const total = new Counter({
    name: 'karmada_operator_api_requests_total',
    help: 'Number of requests to API servers by cluster (local, remote, control-plane, member), verb and HTTP status; "error" without a response. Retries count separately.',
    labelNames: ['cluster', 'verb', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'karmada_operator_api_request_seconds',
    help: 'Time until the response of an API server, or until its headers for a watch.',
    labelNames: ['cluster', 'verb'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30],
    registers,
  });
  const writes = new Counter({
    name: 'karmada_operator_writes_total',
    help: 'Number of successful writes by cluster, resource and verb.',
    labelNames: ['cluster', 'resource', 'verb'],
    registers,
  });
  const waits = new Histogram({
    name: 'karmada_operator_rate_limit_wait_seconds',
    help: 'Time that a request waited for --kube-api-qps, by priority: high for changes of Ready control planes, low for reconciles after a start and periodic ones.',
    labelNames: ['priority'],
    buckets: [0.001, 0.1, 0.5, 1, 5, 10, 60],
    registers,
  });
  return {
    limited: (waitedMs, priority) => waits.observe({ priority }, waitedMs / 1000),
    called(cluster, call) {
      const { verb, resource, code } = call;
      total.inc({ cluster, verb, code });
      seconds.observe({ cluster, verb }, call.seconds);
      if (isWrite(call)) writes.inc({ cluster, resource, verb });
    },
  };
}
