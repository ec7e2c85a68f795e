/** Compares the registries of the images with the credentials in the pull Secrets. Pure functions. */
import { isObject } from '../../kubernetes/compare.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';

/** Registry of an image reference; that of Docker if it has none. */
export function registryOf(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return isHost ? first : 'docker.io';
}

/** Returns the registries for which a Secret of type `kubernetes.io/dockerconfigjson` has credentials. */
export function registriesIn(json: string): readonly string[] {
  try {
    const parsed = parseJsonWithin(json, { size: UNTRUSTED.storedObject });
    const auths = isObject(parsed) ? parsed['auths'] : undefined;
    return isObject(auths) ? Object.keys(auths).map(hostOf) : [];
  } catch {
    return [];
  }
}

/** Docker writes `https://index.docker.io/v1/`, others the host with or without a path. */
function hostOf(key: string): string {
  const [host = ''] = key.replace(/^https?:\/\//, '').split('/');
  return host === 'index.docker.io' ? 'docker.io' : host;
}
