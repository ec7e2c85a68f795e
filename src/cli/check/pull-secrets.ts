/** Compares the registries of the images with the credentials in the pull Secrets. Pure functions. */
import { isObject } from '../../kubernetes/objects/compare.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';

/** Registry of an image reference; that of Docker if it has none. */
export function registryOf(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return isHost ? first : 'docker.io';
}

/** Data of a pull Secret; that of a kind is absent in Secrets of the other one. */
export type PullSecretData = Readonly<Record<string, string | undefined>>;

/**
 * Returns the registries for which a pull Secret has credentials, maybe with wildcards.
 * @param data in base64, of a Secret of type `kubernetes.io/dockerconfigjson` or `kubernetes.io/dockercfg`
 */
export function registriesOf(data: PullSecretData): readonly string[] {
  const { '.dockerconfigjson': config, '.dockercfg': legacy } = data;
  const parsed = config === undefined ? undefined : parsedJson(config);
  // The former format is only this part of the present one.
  const auths = isObject(parsed) ? parsed['auths'] : parsedJson(legacy ?? '');
  return isObject(auths) ? Object.keys(auths).map(hostOf) : [];
}

function parsedJson(encoded: string): unknown {
  try {
    const json = Buffer.from(encoded, 'base64').toString('utf8');
    return parseJsonWithin(json, { size: UNTRUSTED.storedObject });
  } catch {
    return undefined;
  }
}

/** Docker writes `https://index.docker.io/v1/`, others the host with or without a path. */
function hostOf(key: string): string {
  const [host = ''] = key.replace(/^https?:\/\//, '').split('/');
  return host === 'index.docker.io' ? 'docker.io' : host;
}

/** Whether the kubelet uses credentials for a registry: a wildcard stands for a part of a name between two dots. */
export function isFor(pattern: string, registry: string): boolean {
  const [wanted, given] = [pattern, registry].map((host) => host.split('.'));
  return (
    wanted?.length === given?.length &&
    (wanted ?? []).every((part, index) => fits(part, given?.[index] ?? ''))
  );
}

/** Compares the text around the wildcards, without a regular expression of foreign text. */
function fits(pattern: string, part: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return part === pattern;
  let at = first.length;
  for (const text of rest) {
    const found = part.indexOf(text, at);
    if (found < 0) return false;
    at = found + text.length;
  }
  return part.startsWith(first) && part.endsWith(last) && part.length - last.length >= at;
}
