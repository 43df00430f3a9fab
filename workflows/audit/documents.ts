/** The documents of an audit: uploaded once each, by a person where the token may not, and waited for. */

import { condition, defineUpdate, setHandler } from '@temporalio/workflow';
import type { AuditDocument } from '../../src/policy/documents';
import { Said } from '../../src/policy/inputs/messages';
import { WHY } from '../shared/asker';
import { onceCalls, reads } from '../shared/calls';
import { waitUntil } from '../shared/deadline';
import { type Ports, payOnce } from '../shared/pay-once';
import { checked } from '../shared/said';
import { Stop } from '../shared/stop';
import { type At, ofProject } from './step';

/** Every document is in exactly one of them (S6). */
export interface UploadedDocuments {
  /** By this run. */
  uploaded: string[];
  /** There before. */
  found: string[];
  /** By a person, where the service let the token upload none. */
  byPerson: string[];
}

export const documentsUploadedUpdate = defineUpdate<string, [Said | undefined]>('documentsUploaded');

const AT_ONCE = 4;
/** Refusals that mean the route and not the document: agent-api.md leaves it off the token's allowlist. */
const ROUTE_REFUSED = /^(PAT_ROUTE_NOT_ALLOWED|PAT_NOT_SUPPORTED_FOR_ENDPOINT|http40[345]|http501)$/;

export async function uploadDocuments(
  at: At,
  projectId: string,
  documents: readonly AuditDocument[],
): Promise<UploadedDocuments> {
  const result: UploadedDocuments = { uploaded: [], found: [], byPerson: [] };
  const person = new Person(at, projectId);
  if (documents.length === 0) return result;
  const { status } = at;
  const show = (byHand: readonly AuditDocument[] = []) =>
    status.figures(
      `${result.uploaded.length + result.found.length} of ${documents.length} documents in the project${
        byHand.length > 0
          ? `\n\nTo be uploaded by a person:\n${byHand.map(({ fileName, ref }) => `- ${fileName} (${ref})`).join('\n')}`
          : ''
      }`,
    );
  status.step('uploading', `Uploading ${documents.length} documents to project ${projectId}`);
  show();

  const left: AuditDocument[] = [];
  const askedAt = Date.now();
  for (const [i, state] of (await statesOf(at, projectId, documents)).entries()) {
    const document = documents[i];
    if (!document) continue;
    if (state === 'settled' || state === 'pending') result.found.push(document.fileName);
    else left.push(document);
  }
  let byHand: AuditDocument[] = [];
  let routeRefused = false;
  const lane = async () => {
    for (let document = left.shift(); document; document = left.shift()) {
      if (routeRefused) {
        byHand.push(document);
        continue;
      }
      const how = await uploadOne(at, projectId, document, askedAt);
      if (how === 'refused') {
        routeRefused = true;
        byHand.push(document);
      } else result[how].push(document.fileName);
      show();
    }
  };
  // Every lane is heard out, also when one of them has to stop the run: what it sends is accounted for.
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;

  for (;;) {
    if (byHand.length > 0) {
      show(byHand);
      await person.uploads(byHand, routeRefused);
      result.byPerson.push(...byHand.map(({ fileName }) => fileName).filter((name) => !result.byPerson.includes(name)));
    }
    const failed = await settled(at, projectId, documents);
    if (failed.length === 0) break;
    byHand = documents.filter(({ fileName }) => failed.includes(fileName));
    routeRefused = false;
    for (const list of [result.uploaded, result.found])
      for (const name of failed) if (list.includes(name)) list.splice(list.indexOf(name), 1);
  }
  status.figures('');
  const inOrder = (names: string[]) => documents.map(({ fileName }) => fileName).filter((name) => names.includes(name));
  return { uploaded: inOrder(result.uploaded), found: inOrder(result.found), byPerson: inOrder(result.byPerson) };
}

const statesOf = (at: At, projectId: string, documents: readonly AuditDocument[]) =>
  ofProject(at, () =>
    reads(at.account, at.place, 'Look at the documents').documentStates({ account: at.account, projectId, documents }),
  );

/**
 * S2: looked up in the project's `documents` before it is sent, and before it is sent again.
 * @param askedAt when the look was asked for that found it missing
 */
async function uploadOne(
  at: At,
  projectId: string,
  document: AuditDocument,
  askedAt: number,
): Promise<'uploaded' | 'found' | 'refused'> {
  const { account, facts, status, place, asker } = at;
  const { fileName } = document;
  let sent = false;
  const ports: Ports = {
    credits: 0,
    async look() {
      const [state] = await statesOf(at, projectId, [document]);
      return state === 'settled' || state === 'pending' ? 'found' : 'notFound';
    },
    send(lookedAt) {
      sent = true;
      return onceCalls(account, facts, place, `Upload ${fileName}`).uploadDocumentOnce({
        ...{ account, projectId, document, lookedAt },
      });
    },
    ask: (why) =>
      asker.decide(`${WHY[why]} Look whether '${fileName}' is among the documents of project ${projectId}.`),
  };
  const ending = await payOnce(account, facts, status, ports, { askedAt, found: 'notFound' });
  status.goesOn();
  switch (ending.how) {
    case 'refused':
      if (ROUTE_REFUSED.test(ending.reason)) return 'refused';
      throw new Stop('refused', ending.reason, `The service refused the document '${fileName}' (${ending.reason}).`);
    case 'gaveUp':
    case 'overRunCap':
      throw new Stop('unresolved', 'nobodyDecided', `Whether '${fileName}' was uploaded could not be found out.`);
    case 'alreadyDone':
      return sent ? 'uploaded' : 'found';
    default:
      return 'uploaded';
  }
}

/** Waits until the service has taken in every document. @returns the names of those that it could not */
async function settled(at: At, projectId: string, documents: readonly AuditDocument[]): Promise<string[]> {
  const { account, facts, status, place, input } = at;
  const ended = await waitUntil(
    ...([status, facts, account, Date.now() + input.prerequisitesDeadline] as const),
    `The service takes in the documents of project ${projectId}; it is asked again and again.`,
    (left) => reads(account, place, 'Wait for the documents', left).awaitDocuments({ account, projectId, documents }),
    at.taken.freshUntil,
  );
  if (ended !== 'late') return ended.failed;
  throw new Stop('expired', 'documentsNotSettled', `The documents of project ${projectId} were not taken in in time.`);
}

/** A person uploads in the web app, and says so; or it is noticed without a word. */
class Person {
  #asking: readonly AuditDocument[] = [];
  #done = false;

  constructor(
    private readonly at: At,
    private readonly projectId: string,
  ) {
    setHandler(documentsUploadedUpdate, (said) => this.#heard(said), {
      description: 'Says that the listed documents are in the project now: {"by": "…"}',
      validator: checked(Said, 'documentsUploaded', () => {
        if (this.#asking.length === 0) throw new Error('This run does not wait for documents at the moment.');
      }),
    });
  }

  async uploads(documents: readonly AuditDocument[], routeRefused: boolean): Promise<void> {
    const { at, projectId } = this;
    this.#asking = documents;
    this.#done = false;
    const why = routeRefused ? 'The token may not upload documents' : 'The service could not take in some documents';
    const noticed = this.#notice(documents);
    await at.asker.until(
      `${why}: upload the listed files to project ${projectId} in the web app. It goes on when they are there; the update \`documentsUploaded\` makes it look at once.`,
      () => this.#done,
    );
    this.#asking = [];
    if (!this.#done)
      throw new Stop(
        'expired',
        'documentsMissing',
        `${documents.length} documents were not uploaded in time: ${documents.map(({ fileName }) => fileName).join(', ')}.`,
      );
    await noticed;
  }

  /** Looks by itself, ever more seldom. */
  async #notice(documents: readonly AuditDocument[]): Promise<void> {
    const { holdProbeMs } = this.at.facts.timing;
    for (
      let wait = holdProbeMs;
      this.#asking === documents && !this.#done;
      wait = Math.min(2 * wait, 60 * holdProbeMs)
    ) {
      await condition(() => this.#done || this.#asking !== documents, wait);
      if (!this.#done && this.#asking === documents) await this.#missing().catch(() => undefined);
    }
  }

  async #heard(said: Said | undefined): Promise<string> {
    const missing = await this.#missing();
    if (missing.length > 0) return `Still missing in project ${this.projectId}: ${missing.join(', ')}.`;
    this.at.asker.note('documentsUploaded', said);
    return 'All documents are there: it goes on.';
  }

  async #missing(): Promise<string[]> {
    const asked = this.#asking;
    const { account, place } = this.at;
    const states = await reads(account, place, 'Look at the documents').documentStates({
      ...{ account, projectId: this.projectId, documents: asked },
    });
    const missing = asked.filter((_, i) => states[i] !== 'settled' && states[i] !== 'pending');
    if (missing.length === 0) this.#done = true;
    return missing.map(({ fileName }) => fileName);
  }
}
