/**
 * Random histories of members that move to https: crashes of Pods at any time, and partial responses.
 *
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { majorityOf } from '../../etcd/view.ts';
import { factsWith } from '../../etcd-cluster/members/__fixtures__/facts.ts';
import { peerURL, type MemberFacts } from '../../etcd-cluster/members/facts.ts';
import { nextStep } from './next-step.ts';
import type { PeerScheme } from '../../components/etcd/peer-flags.ts';
import { templateScheme } from '../../etcd-cluster/members/peer-tls.ts';

interface Member {
  schemes: PeerScheme[];
  /** What its process accepts, and whether it can connect to https. */
  listens: PeerScheme;
  hasCertificate: boolean;
  isRunning: boolean;
}

/** Pod template; every later Pod has it. */
interface Template {
  listens: PeerScheme;
  hasCertificate: boolean;
}

class Model {
  readonly members: Member[];
  readonly template: Template;

  constructor(count: number, hasCertificate: boolean) {
    this.template = { listens: 'http', hasCertificate };
    this.members = Array.from({ length: count }, () => ({
      schemes: ['http' as const],
      isRunning: true,
      ...this.template,
    }));
  }

  #connects(from: Member, to: Member): boolean {
    const isListed = to.schemes.includes(to.listens);
    return isListed && (to.listens === 'http' || from.hasCertificate);
  }

  /** Members that a majority reaches, in both directions. */
  serving(): readonly Member[] {
    const running = this.members.filter(({ isRunning }) => isRunning);
    const reached = (one: Member): number =>
      running.filter(
        (other) => other === one || (this.#connects(one, other) && this.#connects(other, one)),
      ).length;
    return running.filter((one) => reached(one) >= majorityOf(this.members.length));
  }

  hasQuorum(): boolean {
    return this.serving().length >= majorityOf(this.members.length);
  }

  facts(silent: ReadonlySet<number>): MemberFacts {
    const serving = this.serving();
    const unheard = this.members.flatMap((member, ordinal) =>
      serving.includes(member) && !silent.has(ordinal) ? [] : [ordinal],
    );
    const facts = factsWith({
      voters: this.members.map((_, ordinal) => ordinal),
      silent: unheard,
      leader: this.members.findIndex((member) => serving.includes(member)),
      pods: Object.fromEntries(
        this.members.map(({ listens, hasCertificate }, ordinal) => [
          ordinal,
          { listensHttp: listens === 'http', lacksPeerCertificate: !hasCertificate },
        ]),
      ),
    });
    const members = facts.view.members.map((member, ordinal) => ({
      ...member,
      peerURLs: (this.members[ordinal]?.schemes ?? []).map((peers) =>
        peerURL({ ...facts, peers }, ordinal),
      ),
    }));
    return { ...facts, peers: this.template.listens, view: { ...facts.view, members } };
  }

  /** One reconcile: writes the template, changes a peer URL, or restarts one Pod. @returns whether it did anything */
  reconcile(silent: ReadonlySet<number> = new Set()): boolean {
    const facts = this.facts(silent);
    const listens = templateScheme(facts, true);
    if (listens !== this.template.listens || !this.template.hasCertificate) {
      Object.assign(this.template, { listens, hasCertificate: true });
      return true;
    }
    const step = nextStep(facts);
    if (step.kind === 'updatePeerURLs') return this.#update(facts, step.memberId, step.peerURLs);
    return step.kind === 'wait' || step.kind === 'none' ? this.#restartOutdated(facts) : false;
  }

  #update(facts: MemberFacts, id: string, urls: readonly string[]): boolean {
    const index = facts.view.members.findIndex((member) => member.id === id);
    const member = this.members[index];
    if (member === undefined || !this.hasQuorum()) return false;
    member.schemes = urls.map((url) => (url.startsWith('https:') ? 'https' : 'http'));
    return true;
  }

  /** As the operator: only while all members serve, and a member that is listed with its new scheme. */
  #restartOutdated({ view }: MemberFacts): boolean {
    if (view.serving.length < this.members.length) return false;
    const outdated = this.members.findIndex(
      ({ listens, hasCertificate, schemes }) =>
        (listens !== this.template.listens || hasCertificate !== this.template.hasCertificate) &&
        (this.members.length === 1 || schemes.includes(this.template.listens)),
    );
    if (outdated < 0) return false;
    this.stop(outdated);
    if (this.members.length > 2) expect(this.hasQuorum()).toBe(true);
    this.start(outdated);
    return true;
  }

  stop(ordinal: number): void {
    Object.assign(this.members[ordinal] ?? {}, { isRunning: false });
  }

  start(ordinal: number): void {
    Object.assign(this.members[ordinal] ?? {}, { isRunning: true, ...this.template });
  }
}

type Event =
  | { readonly kind: 'reconcile'; readonly silent: readonly number[] }
  | { readonly kind: 'crash' | 'return'; readonly ordinal: number };

const ordinal = fc.integer({ min: 0, max: 4 });
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('reconcile' as const),
      silent: fc.array(ordinal, { maxLength: 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('crash' as const, 'return' as const), ordinal }),
  },
);

/** A majority never crashes at once. A Pod that returns has the present template. */
function happen(model: Model, one: Event): void {
  if (one.kind === 'reconcile') model.reconcile(new Set(one.silent));
  else if (one.kind === 'return') {
    if (model.members[one.ordinal]?.isRunning === false) model.start(one.ordinal);
  } else {
    const left = model.members.filter(({ isRunning }, index) => isRunning && index !== one.ordinal);
    if (left.length >= majorityOf(model.members.length)) model.stop(one.ordinal);
  }
}

describe('the rules for connections between members', () => {
  it.each([
    [1, true],
    [3, true],
    [5, true],
    [1, false],
    [3, false],
    [5, false],
  ])('move %i members to https (with certificates at first: %s)', (count, hasCertificate) => {
    const model = new Model(count, hasCertificate);
    while (model.reconcile()) expect(model.hasQuorum()).toBe(true);
    expect(model.members.map(({ schemes, listens }) => [schemes, listens])).toEqual(
      model.members.map(() => [['https'], 'https']),
    );
  });

  it('keep the quorum in every history, and end with https', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 3, 5),
        fc.boolean(),
        fc.array(event, { maxLength: 60 }),
        (count, hasCertificate, history) => {
          const model = new Model(count, hasCertificate);
          for (const one of history) {
            happen(model, one);
            const up = model.members.filter(({ isRunning }) => isRunning).length;
            if (up === count) expect(model.hasQuorum()).toBe(true);
          }
          model.members.forEach(({ isRunning }, index) => isRunning || model.start(index));
          for (let left = 100; left > 0 && model.reconcile(); left -= 1);
          expect(model.members.every(({ schemes }) => schemes.join() === 'https')).toBe(true);
          expect(model.members.every(({ listens }) => listens === 'https')).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});
