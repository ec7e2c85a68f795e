// Run by `helm test`: the API server serves Karmada objects to the operator, and a replica of the operator is available.
const { readFileSync } = require('node:fs');
const { get } = require('node:https');

const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, DEPLOYMENT, NAMESPACE } = process.env;
const account = (file) => readFileSync(`/var/run/secrets/kubernetes.io/serviceaccount/${file}`, 'utf8');
const DEADLINE_MS = 60_000;

const read = (path) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${account('token').trim()}` };
    get({ host, port, path, headers, ca: account('ca.crt'), timeout: 10_000 }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    }).on('error', reject);
  });

async function problem() {
  const karmadas = await read('/apis/operator.karmada.io/v1alpha1/karmadas?limit=1');
  if (karmadas.status !== 200) return `karmadas: the API server responded ${karmadas.status}`;
  const deployment = await read(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${DEPLOYMENT}`);
  if (deployment.status !== 200)
    return `Deployment ${DEPLOYMENT}: the API server responded ${deployment.status}`;
  const { availableReplicas = 0 } = JSON.parse(deployment.text).status ?? {};
  return availableReplicas > 0 ? '' : `Deployment ${DEPLOYMENT}: no replica is available`;
}

async function main() {
  const until = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await problem().catch((error) => error.message);
    if (found === '') return console.log('The operator is available and may read Karmada objects.');
    if (Date.now() > until) {
      console.error(found);
      process.exit(1);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

main();
