import { describe, expect, it } from '@jest/globals';
import { chartSettings } from './flags-page.ts';

const template = [
  '            - {{ printf "--leader-elect-resource-namespace=%s" .Release.Namespace }}',
  '            - --v=2',
  '            - {{ printf "--backup-image=%s" (include "karmada-operator.image" .) | toJson }}',
  '            {{- if ne .Values.crossNamespaceSecrets "Granted" }}',
  '            - {{ printf "--cross-namespace-secrets=%s" .Values.crossNamespaceSecrets }}',
  '            {{- end }}',
  '            {{- with .Values.operator.rolloutLimit }}',
  '            - {{ printf "--operator-rollout-limit=%v" . | toJson }}',
  '            {{- end }}',
].join('\n');

describe('chartSettings', () => {
  it('returns the value, the namespace, the image or the literal that the chart sets for a flag', () => {
    expect(Object.fromEntries(chartSettings(template))).toEqual({
      '--leader-elect-resource-namespace': 'Namespace of the Helm release',
      '--v': 'set to `2`',
      '--backup-image': 'image of the operator',
      '--cross-namespace-secrets': '`crossNamespaceSecrets`',
      '--operator-rollout-limit': '`operator.rolloutLimit`',
    });
  });
});
