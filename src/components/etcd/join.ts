/** How a Pod without data joins an etcd cluster. Pure functions. */
import { compareVersions, parseVersion, type Version } from '../../api/versions/versions.ts';

/**
 * Annotation of a Pod: the other members of the cluster that it may join, as the end of `--initial-cluster`. Bound to
 * this very Pod, so that a successor without data does not start under the ID of its predecessor.
 */
export const JOIN_ANNOTATION = 'operator.karmada.io/etcd-join';

/** Environment variable of the etcd container with the value of the annotation. */
export const JOIN_VARIABLE = 'KARMADA_ETCD_JOIN';

/** Readiness endpoint of etcd that fails for a learner and ignores a NOSPACE alarm. */
export const READY_PATH = '/readyz';
/** Readiness endpoint of earlier releases. It is healthy for a learner as well. */
export const HEALTH_PATH = '/health?exclude=NOSPACE';

/** First releases whose `/readyz` fails for a learner, by minor version of etcd 3 (etcd CHANGELOG-3.5). */
const REPORTS_LEARNERS: readonly Version[] = ['3.5.19', '3.6.0'].flatMap(
  (tag) => parseVersion(tag) ?? [],
);

/** Whether the readiness of an etcd release tells learners from voters. False for a tag that is no version. */
export function reportsLearners(imageTag: string): boolean {
  const version = parseVersion(imageTag);
  if (version === undefined) return false;
  const [first, second] = REPORTS_LEARNERS;
  const since = version.major === 3 && version.minor === 5 ? first : second;
  return since !== undefined && compareVersions(version, since) >= 0;
}
