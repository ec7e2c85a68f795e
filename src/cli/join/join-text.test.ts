import { describe, expect, it } from '@jest/globals';
import { joinText } from './join-text.ts';

const FACTS = {
  name: 'demo',
  namespace: 'team',
  member: 'paris',
  connection: [],
  kubeconfig: 'paris.kubeconfig',
  endpoint: 'karmada.example.com:443',
  isInternal: false,
  pins: ['ab12'],
};

describe('joinText', () => {
  it('has the commands of both modes', () => {
    expect(joinText(FACTS, ['push', 'pull'])).toBe(
      `# Push mode: the control plane connects to the member cluster, so it must reach the API server of the member cluster.
kubectl karmada-operator kubeconfig demo -n team --proxy -- karmadactl join paris --cluster-kubeconfig=paris.kubeconfig

# Pull mode: an agent in the member cluster connects to the control plane, so it must reach karmada.example.com:443.
TOKEN=$(kubectl karmada-operator kubeconfig demo -n team --proxy -- karmadactl token create --ttl 15m)
karmadactl register karmada.example.com:443 --cluster-name paris --kubeconfig paris.kubeconfig --discovery-token-ca-cert-hash sha256:ab12 --token "$TOKEN"
`,
    );
  });

  it('repeats contexts and kubeconfigs, quoted for the shell', () => {
    const facts = {
      ...FACTS,
      context: 'a b',
      kubeconfig: '$HOME/x',
      connection: ['--context', 'host one'],
    };
    const push = joinText(facts, ['push']);
    expect(push).toContain("-n team --context 'host one' --proxy -- karmadactl join");
    expect(push).toContain("'--cluster-kubeconfig=$HOME/x' '--cluster-context=a b'");
    expect(joinText(facts, ['pull'])).toContain("--kubeconfig '$HOME/x' --context 'a b'");
  });

  it('says that an address of the host cluster has to be exposed first', () => {
    const facts = { ...FACTS, isInternal: true };
    expect(joinText(facts, ['pull'])).toContain('expose the API server first');
    expect(joinText(facts, ['push'])).not.toContain('expose');
  });
});
