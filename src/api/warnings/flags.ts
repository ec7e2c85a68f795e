/** Warnings about flags and variables with which a component exits or does not reach others. */
import { isIPv6 } from 'node:net';
import { ifEnabled } from '../addon.ts';
import { DEFAULT_SERVICE_SUBNET, installedComponents } from '../defaults/defaults.ts';
import { quoted } from '../validation/field-error.ts';
import { missingPaths, missingPathText, type Volumes } from '../flags/flag-paths.ts';
import type { StringMap } from '../settings.ts';
import type { Subject, Warning, WarningRule } from './warning.ts';
import { when } from './warning.ts';

interface FlagSettings extends Volumes {
  readonly extraArgs?: StringMap;
}

function filesOfFlags({ spec }: Subject): readonly Warning[] {
  return installedComponents(spec).flatMap((key) => {
    const settings: FlagSettings = ifEnabled(spec.components[key]) ?? {};
    return missingPaths(settings.extraArgs, settings).map((missing) => ({
      reason: 'FileNotMounted',
      message: missingPathText(key, `spec.components.${key}`, missing),
    }));
  });
}

/** kube-apiserver exits if the first range of Services has another IP family than its own address. */
function subnetFamily({ spec, host }: Subject): readonly Warning[] {
  const { serviceSubnet, extraArgs = {} } = spec.components.karmadaAPIServer;
  const { ipFamily } = host;
  const [first = ''] = serviceSubnet.split('/');
  const family = isIPv6(first) ? 'IPv6' : 'IPv4';
  const isChosen = ['advertise-address', 'bind-address'].some((flag) =>
    Object.hasOwn(extraArgs, flag),
  );
  if (ipFamily === undefined || isChosen) return [];
  const message = `spec.components.karmadaAPIServer.serviceSubnet: ${quoted(serviceSubnet)} begins with ${family}, but the Pods of the host cluster have ${ipFamily} addresses, so kube-apiserver exits; set an ${ipFamily} range, such as ${DEFAULT_SERVICE_SUBNET[ipFamily]}.`;
  return when(family !== ipFamily, 'ServiceSubnetFamily', message);
}

const PROXY = /^(https?|all|no)_proxy$/i;

function proxyOfEtcd({ spec }: Subject): readonly Warning[] {
  return (spec.podSettings ?? []).flatMap(({ components = [], env = [] }, index) => {
    const names = env.map(({ name }) => name).filter((name) => PROXY.test(name));
    const message = `spec.podSettings[${index}].env: etcd does not get ${names.join(', ')}, because its members connect only to each other; remove etcd from components, or the variables.`;
    return when(names.length > 0 && components.includes('etcd'), 'ProxyIgnored', message);
  });
}

export const FLAG_WARNINGS: readonly WarningRule[] = [filesOfFlags, subnetFamily, proxyOfEtcd];
