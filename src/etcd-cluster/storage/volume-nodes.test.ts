import { describe, expect, it } from '@jest/globals';
import { HOSTNAME, OUT_OF_SERVICE, reduceNode } from '../../kubernetes/objects/node.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { hostNamesOf, volumeNodes } from './volume-nodes.ts';

interface Term {
  readonly matchExpressions?: readonly object[];
}

const on = (...values: readonly string[]): Term => ({
  matchExpressions: [{ key: HOSTNAME, operator: 'In', values }],
});
const volume = (...terms: readonly Term[]): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv-1' },
  spec: terms.length === 0 ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } },
});
const ZONE = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] };

interface Given {
  readonly ready?: string;
  readonly taints?: readonly object[];
}

const node = (name: string, { ready = 'True', taints }: Given = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [HOSTNAME]: name } },
  ...(taints && { spec: { taints } }),
  status: { addresses: [], conditions: [{ type: 'Ready', status: ready, message: 'x' }] },
});

const gone = [{ key: OUT_OF_SERVICE, value: 'nodeshutdown', effect: 'NoExecute' }];
const lost = (part: string): object => ({ kind: 'lost', text: expect.stringContaining(part) });

describe('hostNamesOf', () => {
  it.each<[string, KubernetesObject, readonly string[]]>([
    ['the host name of a local volume', volume(on('n1')), ['n1']],
    ['those of all alternatives', volume(on('n1'), on('n2', 'n3')), ['n1', 'n2', 'n3']],
    ['none for a volume of any node', volume(), []],
    ['none for a volume of a zone', volume({ matchExpressions: [ZONE] }), []],
    ['none when one alternative is a zone', volume(on('n1'), { matchExpressions: [ZONE] }), []],
    [
      'none when nodes are excluded',
      volume({ matchExpressions: [{ key: HOSTNAME, operator: 'NotIn', values: ['n1'] }] }),
      [],
    ],
    ['none for an empty alternative', volume({}), []],
  ])('returns %s', (_, given, expected) => {
    expect(hostNamesOf(given)).toEqual(expected);
  });
});

describe('volumeNodes', () => {
  it.each<[string, KubernetesObject, readonly KubernetesObject[], unknown]>([
    ['nothing while the node is ready', volume(on('n1')), [node('n1')], undefined],
    ['nothing for a volume of any node', volume(), [], undefined],
    [
      'lost when the Node does not exist',
      volume(on('n1')),
      [node('n2')],
      lost('Node n1 of PersistentVolume pv-1 does not exist'),
    ],
    [
      'lost when the Node has the taint of a node that was shut down',
      volume(on('n1')),
      [node('n1', { ready: 'Unknown', taints: gone })],
      lost(`has the taint ${OUT_OF_SERVICE}`),
    ],
    [
      'the Node that is not ready',
      volume(on('n1')),
      [node('n1', { ready: 'Unknown', taints: [{ key: 'node.kubernetes.io/unreachable' }] })],
      { kind: 'unready', node: 'n1' },
    ],
    [
      'nothing when another node of the volume is ready',
      volume(on('n1', 'n2')),
      [node('n1', { ready: 'False' }), node('n2')],
      undefined,
    ],
    [
      'the Node that is not ready when the other one does not exist',
      volume(on('n1'), on('n2')),
      [node('n2', { ready: 'False' })],
      { kind: 'unready', node: 'n2' },
    ],
  ])('returns %s', (_, given, nodes, expected) => {
    expect(volumeNodes(given, nodes)).toEqual(expected);
    expect(volumeNodes(given, nodes.map(reduceNode))).toEqual(expected);
  });
});
