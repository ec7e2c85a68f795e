/**
 * Random histories of an etcd of the Go operator that moves to this operator: the operator ends after any write, Pods
 * crash, responses are missing, and the user gives and withdraws the consent.
 *
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { majorityOf } from '../../etcd/view.ts';
import { factsWith } from '../../etcd-cluster/members/__fixtures__/facts.ts';
import { peerURL, type MemberFacts } from '../../etcd-cluster/members/facts.ts';
import { hasHttp, templateScheme } from '../../etcd-cluster/members/peer-tls.ts';
import type { PeerScheme } from '../../components/etcd/peer-flags.ts';
import { adoptedFacts } from './adoption/__fixtures__/facts.ts';
import { decideEtcdAdoption, mayReplaceTemplate, type EtcdAdoption } from './adoption/decide.ts';
import { nextStep } from './next-step.ts';

interface Member {
  urls: string[];
  listens: PeerScheme;
  hasCertificate: boolean;
  isRunning: boolean;
  /** Whether its process has the Pod template of the StatefulSet. */
  isCurrent: boolean;
}

class Model {
  readonly members: Member[];
  readonly template = { isGo: true, listens: 'http' as PeerScheme };
  isConfirmed = false;
  isRecorded = false;
  writes = 0;

  /** @param isNamed whether the members are listed with the names of their Pods */
  constructor(count: number, isNamed: boolean) {
    const own = factsWith({ voters: [] });
    this.members = Array.from({ length: count }, (_, ordinal) => ({
      urls: [
        isNamed
          ? peerURL({ ...own, peers: 'http' }, ordinal)
          : `http://10.0.0.${String(ordinal)}:2380`,
      ],
      listens: 'http' as const,
      hasCertificate: false,
      isRunning: true,
      isCurrent: true,
    }));
  }

  #connects(from: Member, to: Member): boolean {
    const isListed = to.urls.some((url) => url.startsWith(`${to.listens}://`));
    return isListed && (to.listens === 'http' || from.hasCertificate);
  }

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
    const voters = this.members.map((_, ordinal) => ordinal);
    const facts = factsWith({
      voters,
      silent: voters.filter((n) => !serving.includes(this.members[n] as Member) || silent.has(n)),
      leader: this.members.findIndex((member) => serving.includes(member)),
      isFormed: !this.template.isGo,
      pods: Object.fromEntries(
        this.members.map(({ listens, hasCertificate }, ordinal) => [
          ordinal,
          {
            ...(listens === 'http' && { listensHttp: true }),
            ...(!hasCertificate && { lacksPeerCertificate: true }),
          },
        ]),
      ),
    });
    const members = facts.view.members.map((member, ordinal) => ({
      ...member,
      peerURLs: this.members[ordinal]?.urls ?? [],
    }));
    const found = {
      ...facts,
      ...(this.template.listens === 'http' && { peers: 'http' as const }),
      view: { ...facts.view, members },
    };
    return hasHttp(found)
      ? { ...found, isAdopting: true, ...(!this.isConfirmed && { keepsHttp: true }) }
      : found;
  }

  decide(facts: MemberFacts): EtcdAdoption {
    const { isConfirmed, isRecorded, template } = this;
    const own = { isConfirmed, isRecorded, hasGoTemplate: template.isGo };
    return decideEtcdAdoption(adoptedFacts(facts, own));
  }

  /** One write of the operator, after which it may end. @returns whether there was one */
  reconcile(silent: ReadonlySet<number> = new Set()): boolean {
    const facts = this.facts(silent);
    if (facts.isAdopting !== true) return false;
    if (!this.isRecorded) {
      if (!facts.view.quorum) return false;
      this.isRecorded = true;
      return true;
    }
    const did = this.template.isGo ? this.#replaceTemplate(facts) : this.#change(facts);
    if (did) this.writes += 1;
    return did;
  }

  #replaceTemplate(facts: MemberFacts): boolean {
    if (!mayReplaceTemplate(this.decide(facts))) return false;
    this.template.isGo = false;
    this.#outdate();
    return true;
  }

  #change(facts: MemberFacts): boolean {
    const listens = templateScheme(facts, true);
    if (listens !== this.template.listens) {
      this.template.listens = listens;
      this.#outdate();
      return true;
    }
    const step = nextStep(facts);
    if (step.kind === 'updatePeerURLs') return this.#update(facts, step.memberId, step.peerURLs);
    const mayRestart = step.kind === 'wait' || step.kind === 'none';
    return mayRestart && this.decide(facts).kind !== 'blocked' && this.#restartOutdated(facts);
  }

  #outdate(): void {
    for (const member of this.members) member.isCurrent = false;
  }

  #update(facts: MemberFacts, id: string, urls: readonly string[]): boolean {
    const member = this.members[facts.view.members.findIndex((one) => one.id === id)];
    if (member === undefined || !this.hasQuorum()) return false;
    member.urls = [...urls];
    return true;
  }

  /** As the operator: only while all members serve, and a member that is listed with its new scheme. */
  #restartOutdated({ view }: MemberFacts): boolean {
    if (view.serving.length < this.members.length) return false;
    const isListed = ({ urls }: Member): boolean =>
      this.members.length === 1 || urls.some((url) => url.startsWith(`${this.template.listens}:`));
    const outdated = this.members.findIndex((member) => !member.isCurrent && isListed(member));
    if (outdated < 0) return false;
    this.stop(outdated);
    if (this.members.length > 2) expect(this.hasQuorum()).toBe(true);
    this.start(outdated);
    return true;
  }

  stop(ordinal: number): void {
    Object.assign(this.members[ordinal] ?? {}, { isRunning: false });
  }

  /** A Pod that is created has the present template. */
  start(ordinal: number): void {
    const { isGo, listens } = this.template;
    const process = { listens, hasCertificate: !isGo, isCurrent: true };
    Object.assign(this.members[ordinal] ?? {}, { isRunning: true, ...process });
  }

  /** The Go operator writes its template, and its StatefulSet restarts one member after the other. */
  returnToGo(): void {
    this.template.isGo = true;
    this.template.listens = 'http';
    for (const ordinal of this.members.keys()) {
      this.stop(ordinal);
      this.start(ordinal);
      expect(this.hasQuorum()).toBe(true);
    }
  }
}

const isComplete = (model: Model): boolean =>
  model.members.every(
    ({ urls, listens }, ordinal) =>
      listens === 'https' && urls.join() === peerURL(factsWith({ voters: [] }), ordinal),
  );

function complete(model: Model): void {
  model.isConfirmed = true;
  for (let left = 100; left > 0 && model.reconcile(); left -= 1)
    expect(model.hasQuorum()).toBe(true);
}

type Event =
  | { readonly kind: 'reconcile'; readonly silent: readonly number[] }
  | { readonly kind: 'crash' | 'return'; readonly ordinal: number }
  | { readonly kind: 'consent'; readonly isGiven: boolean };

/** The Go operator creates any number of members. */
const COUNTS = [1, 2, 3, 5] as const;

const ordinal = fc.integer({ min: 0, max: 4 });
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('reconcile' as const),
      silent: fc.array(ordinal, { maxLength: 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('crash' as const, 'return' as const), ordinal }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('consent' as const), isGiven: fc.boolean() }),
  },
);

/** A majority never crashes at once. */
function happen(model: Model, one: Event): void {
  if (one.kind === 'reconcile') model.reconcile(new Set(one.silent));
  else if (one.kind === 'consent') model.isConfirmed = one.isGiven;
  else if (one.kind === 'return') {
    if (model.members[one.ordinal]?.isRunning === false) model.start(one.ordinal);
  } else {
    const left = model.members.filter(({ isRunning }, index) => isRunning && index !== one.ordinal);
    if (left.length >= majorityOf(model.members.length)) model.stop(one.ordinal);
  }
}

describe('the steps of an etcd of the Go operator', () => {
  it.each([
    [1, true],
    [2, true],
    [3, true],
    [5, true],
    [1, false],
    [2, false],
    [3, false],
    [5, false],
  ])('lead %i members to https with a quorum (names of Pods: %s)', (count, isNamed) => {
    const model = new Model(count, isNamed);
    complete(model);
    expect(isComplete(model)).toBe(true);
  });

  it.each(COUNTS)('change nothing of %i members without consent', (count) => {
    const model = new Model(count, true);
    for (let left = 10; left > 0; left -= 1) model.reconcile();
    expect(model.writes).toBe(0);
  });

  it.each(COUNTS)('let the Go operator take %i members back where they say so', (count) => {
    for (let writes = 0; writes < 30; writes += 1) {
      const model = new Model(count, true);
      model.isConfirmed = true;
      for (let left = writes; left > 0 && model.reconcile(); left -= 1);
      const adoption = model.decide(model.facts(new Set()));
      const done =
        adoption.kind === 'step'
          ? adoption.steps.slice(0, adoption.steps.indexOf(adoption.step) + 1)
          : [];
      // The template of the last step of three members is the first without a way back.
      const canReturn =
        count === 1 || (adoption.kind === 'step' && done.every((one) => one.canReturn));
      if (canReturn) model.returnToGo();
      complete(model);
      expect(isComplete(model)).toBe(true);
    }
  });

  it.each(COUNTS)('begin no step of %i members after the consent was withdrawn', (count) => {
    for (let writes = 0; writes < 30; writes += 1) {
      const model = new Model(count, true);
      model.isConfirmed = true;
      for (let left = writes; left > 0 && model.reconcile(); left -= 1);
      const { isGo, listens } = model.template;
      const urls = model.members.map((member) => [...member.urls]);
      model.isConfirmed = false;
      for (let left = 100; left > 0 && model.reconcile(); left -= 1);
      expect(model.hasQuorum()).toBe(true);
      expect(model.template).toEqual({ isGo, listens });
      if (listens === 'http') expect(model.members.map((member) => member.urls)).toEqual(urls);
      else expect(isComplete(model)).toBe(true);
      const facts = model.facts(new Set());
      if (facts.isAdopting === true) expect(model.decide(facts).kind).toBe('pending');
    }
  });

  it('keep the quorum in every history, and end with https', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...COUNTS),
        fc.boolean(),
        fc.array(event, { maxLength: 60 }),
        (count, isNamed, history) => {
          const model = new Model(count, isNamed);
          for (const one of history) {
            happen(model, one);
            const up = model.members.filter(({ isRunning }) => isRunning).length;
            if (up === count) expect(model.hasQuorum()).toBe(true);
          }
          model.members.forEach(({ isRunning }, index) => isRunning || model.start(index));
          complete(model);
          expect(isComplete(model)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});
