/**
 * Compares the patterns of the CRD with the operator's own validation and with the Pod template of the API server.
 *
 * @tier test
 */
import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadAll } from 'js-yaml';

import * as operator from '../../src/api/validation/syntax.ts';
import type { Syntax } from '../../src/api/validation/syntax.ts';
import { OWN_CONTAINER, OWN_MOUNT_PATHS, OWN_VOLUMES } from './api-server.ts';
import type { Overlay } from './kubernetes/overlay.ts';
import * as kubernetes from './kubernetes/patterns.ts';
import * as crd from './syntax.ts';

const OPTIONAL: Syntax = { expected: '', matches: () => true };

/** Patterns of the CRD, each with the syntax that the operator validates for the same field. */
const SAME: Readonly<Record<string, readonly [Overlay, Syntax]>> = {
  imagePullSecrets: [kubernetes.OBJECT_NAME, operator.objectName],
  priorityClassName: [kubernetes.OPTIONAL_OBJECT_NAME, operator.objectName],
  namespace: [kubernetes.OPTIONAL_DNS_LABEL, operator.dnsLabel],
  labelKey: [kubernetes.LABEL_KEY, operator.qualifiedName],
  labelValue: [kubernetes.LABEL_VALUE, operator.labelValue],
  annotationKey: [{ pattern: kubernetes.ANNOTATION_KEY_PATTERN }, operator.annotationKey],
  dataKey: [kubernetes.CONFIG_KEY, operator.dataKey],
  amount: [kubernetes.AMOUNT, operator.quantity],
  positiveAmount: [kubernetes.POSITIVE_AMOUNT, operator.quantity],
  certSANs: [{ pattern: crd.SUBJECT_ALT_NAME_PATTERN, maxLength: 253 }, operator.subjectAltName],
  dnsDomain: [crd.DNS_DOMAIN, operator.dnsDomain],
  etcdEndpoint: [crd.ETCD_ENDPOINT, operator.etcdEndpoint],
  apiEndpoint: [crd.API_ENDPOINT, operator.apiEndpoint],
  imageRegistry: [crd.IMAGE_REGISTRY, operator.imageRegistry],
  controllers: [crd.CONTROLLER, operator.controllerName],
  stepDuration: [crd.STEP_DURATION, operator.stepDuration],
  budget: [crd.COUNT_OR_PERCENT, operator.percentage],
  downloadUrl: [{ pattern: crd.DOWNLOAD_URL_PATTERN, maxLength: 2048 }, operator.downloadUrl],
  proxyUrl: [crd.PROXY_URL, operator.proxyUrl],
  serviceSubnet: [{ pattern: crd.RANGE_PATTERN }, operator.serviceSubnet],
  notChecked: [kubernetes.LOCAL_PATH, OPTIONAL],
};

/** Texts that match a pattern. fast-check knows no inline flags: digits of IPv6 addresses get their uppercase letters. */
function textsOf({ pattern = '', maxLength = Infinity }: Overlay): fc.Arbitrary<string> {
  const plain = pattern.replace(/\(\?i(:?)\)?/g, (_, scoped) => (scoped === '' ? '' : '(?:'));
  const fitting = fc.stringMatching(new RegExp(plain.replaceAll('[0-9a-f]', '[0-9A-Fa-f]')));
  return fitting.filter((text) => text.length <= maxLength);
}

describe('patterns of the CRD', () => {
  it.each(Object.keys(SAME))('accept only %s values that the operator accepts', (name) => {
    const [overlay, syntax] = SAME[name] ?? [{}, OPTIONAL];
    fc.assert(
      fc.property(textsOf(overlay), (text) => {
        // A separate rule limits the length of a key prefix, and an empty text counts as unset.
        fc.pre(text !== '' && text.lastIndexOf('/') <= 253);
        expect([text, syntax.matches(text)]).toEqual([text, true]);
      }),
      { numRuns: 300 },
    );
  });

  it('accept only imageRepository and imageTag values that form a valid image reference', () => {
    const repository = textsOf(crd.IMAGE_REPOSITORY).filter((text) => text !== '');
    const tag = textsOf(crd.IMAGE_TAG).filter((text) => text !== '');
    fc.assert(
      fc.property(repository, tag, (name, version) => {
        fc.pre(!name.includes('@'));
        const image = `${name}:${version}`;
        expect([image, operator.imageReference.matches(image)]).toEqual([image, true]);
      }),
    );
  });

  it('list the container, volumes and mount paths of the API server Pod', () => {
    const golden = new URL(
      '../../src/components/karmada-apiserver/__golden__/minimal.yaml',
      import.meta.url,
    );
    const objects = loadAll(readFileSync(golden, 'utf8')) as { kind: string; spec: unknown }[];
    const workload = objects.find(({ kind }) => kind === 'Deployment')?.spec as {
      template: {
        spec: {
          containers: { name: string; volumeMounts: { mountPath: string }[] }[];
          volumes: { name: string }[];
        };
      };
    };
    const { containers, volumes } = workload.template.spec;
    expect(containers.map(({ name }) => name)).toEqual([OWN_CONTAINER]);
    expect(volumes.map(({ name }) => name)).toEqual(OWN_VOLUMES);
    const paths = containers.flatMap((container) => container.volumeMounts);
    expect(paths.map(({ mountPath }) => mountPath)).toEqual(OWN_MOUNT_PATHS);
  });
});
