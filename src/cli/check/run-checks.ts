/**
 * Checks before an installation or a change whether the host cluster can run a control plane. Reads, reviews of permissions
 * and dry runs only. The decisions are those of the operator and of the API server.
 */
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { Karmada } from '../../api/karmada.ts';
import { defaultsPatch } from '../../api/defaults/managed-defaults.ts';
import { fill } from '../../api/defaults/fill.ts';
import { validate } from '../../api/validation/validation.ts';
import { mismatchedTags } from '../../api/validation/version.ts';
import { warnings } from '../../api/warnings/warnings.ts';
import { renderHost } from '../../components/desired.ts';
import { karmadas } from '../../host-clusters/host.ts';
import { hostReference } from '../../host-clusters/host-reference.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import { etcdKindChange, hostChange } from '../../features/remote-host/immutable-fields.ts';
import { hostFacts, hostSnapshot, openHost } from '../plan-host.ts';
import type { PlanRequest } from '../plan.ts';
import { appliedKarmada, patchedKarmada } from '../preview.ts';
import { causesOf } from '../program/error-lines.ts';
import { archive } from './check-archive.ts';
import { certificates, secrets } from './check-certificates.ts';
import { dnsDomain, images } from './check-cluster.ts';
import { objects, pods, quota } from './check-objects.ts';
import { permissions } from './check-permissions.ts';
import { storage } from './check-storage.ts';
import { storedValues, versions } from './check-versions.ts';
import { CHECK_NAMES, checked, type CheckName, type CheckResult, type Found } from './result.ts';
import type { CheckTools, Subject } from './subject.ts';

/** Runs all checks. @throws Error with a message for the user if the Karmada or its host cluster cannot be read */
export async function runChecks(
  tools: CheckTools,
  request: PlanRequest,
): Promise<readonly CheckResult[]> {
  const { client } = tools;
  const { name, namespace = '' } = 'given' in request ? request.given.metadata : request;
  const live = await client.find(karmadas, { namespace, name });
  const accepted = await acceptedKarmada(client, live, request);
  if ('refusals' in accepted)
    return accepted.refusals.map((message) => ({ check: 'spec', outcome: 'failed', message }));
  const host = await openHost(tools, accepted.karmada);
  try {
    return await checksOf(await subjectOf(tools, host.client, live, accepted.karmada));
  } finally {
    await host.close();
  }
}

/** Applies the request in a dry run, so that the API server validates it. @throws errors other than a rejection */
async function acceptedKarmada(
  client: KubernetesClient,
  live: Karmada | undefined,
  request: PlanRequest,
): Promise<{ readonly karmada: Karmada } | { readonly refusals: readonly string[] }> {
  try {
    return {
      karmada:
        'given' in request
          ? await appliedKarmada(client, live, request.given)
          : await patchedKarmada(client, request, request.patch),
    };
  } catch (error) {
    if (error instanceof ApiError && isRejection(error, request))
      return { refusals: causesOf(error) };
    throw error;
  }
}

/** Whether the API server or a policy rejects the Karmada itself. */
function isRejection({ code, message }: ApiError, request: PlanRequest): boolean {
  if (message.includes('does not support dry run')) return false;
  // A policy also answers with 403, as for a missing permission of the user.
  if (code === 403) return /denied (?:the )?request/.test(message);
  // For a file, the Namespace may be missing. The Karmada of a name must exist.
  return [400, 422].includes(code) || ('given' in request && code === 404);
}

async function subjectOf(
  tools: CheckTools,
  client: KubernetesClient,
  live: Karmada | undefined,
  changed: Karmada,
): Promise<Subject> {
  const { name, namespace = '' } = changed.metadata;
  // The checks that need Secrets read them, and are skipped without the permission.
  const host = await hostSnapshot(client, { name, namespace }, { withoutSecrets: true });
  const facts = await hostFacts(client, host.pods);
  const intent = defaultsPatch(changed, facts);
  const filled = intent === undefined ? changed.spec : fill(intent, changed.spec);
  const karmada = { ...changed, ...(filled && { spec: filled }) };
  const spec = defaultSpec(karmada.spec, facts);
  const rendered = renderHost(tools.templates, { name, namespace, spec, certificatesHash: {} });
  const isRemote = hostReference(karmada) !== undefined;
  return { tools, client, isRemote, live, karmada, spec, host, facts, rendered };
}

const CHECKS: Readonly<Record<CheckName, (subject: Subject) => Promise<Found> | Found>> = {
  spec: specFindings,
  versions,
  'stored values': storedValues,
  permissions,
  Secrets: secrets,
  certificates,
  CRDs: archive,
  'DNS domain': dnsDomain,
  images,
  storage,
  objects,
  Pods: pods,
  quota,
};

async function checksOf(subject: Subject): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of CHECK_NAMES)
    results.push(...(await checked(check, () => CHECKS[check](subject))));
  return results;
}

/** Errors and warnings of the spec, as the operator reports them. */
function specFindings({ karmada, spec, live, host, facts }: Subject): Found {
  const errors = [...validate(karmada), ...mismatchedTags(karmada.spec ?? {})];
  const changes = [
    live && hostChange(live, hostReference(karmada) !== undefined),
    etcdKindChange(karmada, live?.status ?? {}, host.objects),
  ].filter((change) => change !== undefined);
  return {
    ok: 'the spec is valid, without warnings',
    problems: [
      ...errors.map(({ field, message }) => ({
        outcome: 'failed' as const,
        reason: 'ValidationError',
        message: `${field}: ${message}`,
      })),
      ...changes.map((change) => ({ outcome: 'failed' as const, ...change })),
      ...warnings(karmada, spec, facts).map((warning) => ({
        outcome: 'warning' as const,
        ...warning,
      })),
    ],
  };
}
