/** Every item of a batch is accounted for, once, and as what it is (S6). */
import { auditProjectId, convertLeadId } from '../../../src/runs/run-ids';
import type { Run } from '../engine/run';
import { keyOf } from './halts';
import { Finding, type PaymentRules } from './payments';
import { isBatch, type People } from './people';
import { isOddIn } from './result-rules';
import type { Scene } from './scene';

/** What a backfill or a pipeline leaves, as far as it is looked at. */
interface Result {
  operation?: string;
  ended: string;
  counts: Record<string, number>;
  items?: number;
  leads?: number;
  credits: number;
  files?: { folder: string; ledger?: string };
  decisions?: { inline: Item[] } | { ref: string };
}

/** A line of the item ledger, or what a pipeline says of a lead; a row that never became an item has no place. */
interface Item {
  n?: number;
  id?: string;
  outcome: string;
  reason?: string;
  credits: number;
}

/** What a run's own result may be called by the backfill that has begun it; all else is a failure. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  converted: ['done'],
  alreadyConverted: ['alreadyDone'],
  audited: ['done', 'alreadyDone'],
  processed: ['done', 'alreadyDone'],
  accepted: ['done', 'alreadyDone'],
  skipped: ['skipped'],
  unresolved: ['waiting'],
};
const CONVERTED = ['done', 'alreadyDone', 'converted', 'alreadyConverted'];
/** Of what was paid for nobody says anything else. */
const AS_PAID = [...CONVERTED, 'waiting', 'unresolved'];

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

export class ItemRules {
  constructor(
    private readonly scene: Scene,
    private readonly people: People,
    private readonly payments: PaymentRules,
  ) {}

  /** @throws Finding */
  look(): void {
    const { scene, people } = this;
    const every = [...scene.server.runs.values()].flat();
    const isOdd = isOddIn(scene, people);
    const sent = this.payments.sent();
    for (const run of every.filter(isBatch)) {
      const result = scene.resultOf(run) as Result | undefined;
      if (!result) continue;
      const say = (what: string) => new Finding('S6', `${run.workflowId} ${what}`);
      const total = result.items ?? result.leads ?? 0;
      if (sumOf(Object.values(result.counts)) !== total)
        throw say(`has ${total} items, and its counts are ${JSON.stringify(result.counts)}`);
      // The run that it was reset to has written over it, also where Temporal knows no more of that.
      const later = [...every.slice(every.indexOf(run) + 1), ...people.administrators.gone];
      const isLast = !later.some((one) => one.firstRunId === run.firstRunId && one.startedAt >= run.startedAt);
      const items = isLast ? this.#itemsOf(result) : undefined;
      if (!items) continue;
      const lacks = addsUp(items, result, total);
      if (lacks) throw say(`has a list of its items that ${lacks}`);
      for (const item of items) {
        const wrong = this.#untruthOf(run, result, item, sent);
        if (wrong) throw say(`says of ${item.id}: ${item.outcome} (${item.reason}), and ${wrong}`);
      }
      if (result.ended !== 'done' || isOdd(run) || people.isAttacked) continue;
      for (const item of items) {
        const own = this.#ownRun(run, result, item);
        const { outcome } = (own && !isOdd(own) ? (scene.resultOf(own) ?? {}) : {}) as { outcome?: string };
        const words = result.operation === undefined ? [outcome] : (WORDS[outcome ?? ''] ?? ['failed']);
        if (outcome !== undefined && !words.includes(item.outcome))
          throw say(`says of ${item.id}: ${item.outcome} (${item.reason}), and its run: ${outcome}`);
      }
    }
  }

  /** One for each; undefined where none is kept. */
  #itemsOf({ files, decisions }: Result): Item[] | undefined {
    if (decisions && 'inline' in decisions) return decisions.inline;
    const ref = decisions?.ref ?? files?.ledger;
    const document = ref === undefined ? undefined : this.scene.storage.documents.get(ref);
    const lines = document?.toString().split('\n').filter(Boolean);
    return lines?.map((line) => JSON.parse(line) as Item);
  }

  /** What of a conversion is not true by the service and the books. */
  #untruthOf(batch: Run, result: Result, item: Item, sent: ReturnType<PaymentRules['sent']>): string | undefined {
    const { leads, service } = this.scene;
    const { id, outcome } = item;
    const lead = result.operation === 'auditProject' ? undefined : leads.find((one) => one.id === id);
    if (!lead) return undefined;
    const subject = `lead:${id}`;
    const request = sent.get(subject);
    const own = this.#ownRun(batch, result, item);
    // It went back to before it began this one, and was stopped before it could begin it again.
    if (outcome === 'skipped' && own && own.startedAt < batch.startedAt) return undefined;
    // Somebody may start its run again later, with the same input.
    const { closedAt = Number.POSITIVE_INFINITY } = own ?? {};
    // The build before did not ask the books what it had sent, by what they know after a loss.
    const isUnasked = own !== undefined && this.scene.isBeforeRollout(own);
    const isOwn = request?.run === keyOf(batch) && request.lastAt <= closedAt && !isUnasked;
    const isPaid = service.payments.all.some((paid) => paid.subject === subject && paid.by === 'agent');
    if (isOwn && isPaid && !AS_PAID.includes(outcome)) return 'it has paid for it';
    return CONVERTED.includes(outcome) && lead.surveyStatus !== 'converted' ? `it is ${lead.surveyStatus}` : undefined;
  }

  /** The last run for an item that the batch has begun. */
  #ownRun({ workflowId, firstRunId }: Run, { operation }: Result, { id = '' }: Item): Run | undefined {
    const of = operation === 'auditProject' ? auditProjectId('default', id) : convertLeadId('default', id);
    return this.scene.server.runs.get(of)?.findLast(({ start: { parent } }) => {
      return parent?.run.workflowId === workflowId && parent.run.firstRunId === firstRunId;
    });
  }
}

/** Whether each is there once, with what it came to. @returns what is wrong with it */
function addsUp(items: readonly Item[], { counts, credits, decisions }: Result, total: number): string | undefined {
  const names = items.flatMap((item) => (decisions ? item.id : item.n) ?? []);
  const wanted = total - (counts.quarantined ?? 0);
  if (names.length !== wanted || new Set(names).size !== wanted)
    return `has ${names.length} items, ${new Set(names).size} of them once, of ${wanted}`;
  for (const word of new Set([...Object.keys(counts), ...items.map(({ outcome }) => outcome)])) {
    const listed = items.filter(({ outcome }) => outcome === word).length;
    if (listed !== (counts[word] ?? 0)) return `has ${listed} that are ${word}, and it counts ${counts[word]}`;
  }
  const listed = sumOf(items.map((item) => item.credits));
  return listed === credits ? undefined : `has ${listed} credits, and it says ${credits}`;
}
