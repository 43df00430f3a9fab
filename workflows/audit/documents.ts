/** The documents of an audit: uploaded once each, by a person where the token may not, and waited for. */

import type { ResizedDocument } from '../../activities/documents';
import { type DocumentState, isThere } from '../../src/audits/document-state';
import type { AuditDocument } from '../../src/audits/uploadable';
import type { LookOutcome } from '../../src/paying/attempt-plan';
import { documentSubject } from '../../src/paying/subject';
import { reasonInWords } from '../../src/runs/reason-words';
import { bullets, code, md, paragraphs } from '../../src/text/md';
import { counted } from '../../src/text/numbers';
import { type Purchase, payOnce } from '../paying/pay-once';
import type { Looked } from '../paying/walk';
import { WHY } from '../shared/asker';
import { control, reads } from '../shared/calls';
import { waitUntil } from '../shared/deadline';
import { beside } from '../shared/status';
import { Stop } from '../shared/stop';
import { type AuditRun, ofProject } from './audit-run';
import { Person } from './by-person';

/**
 * The documents that are in the project, each in exactly one of them (S6): `uploaded` by this run, `found` there before, or
 * `byPerson` where the service refused them from the token.
 */
export type UploadedDocuments = Record<'uploaded' | 'found' | 'byPerson', string[]>;

const AT_ONCE = 4;
/** Refusals that mean the route and not the document: agent-api.md leaves it off the token's allowlist. */
const ROUTE_REFUSED = /^(PAT_ROUTE_NOT_ALLOWED|PAT_NOT_SUPPORTED_FOR_ENDPOINT|http40[345]|http501)$/;
/** Refusals that can mean the form in which documents are sent, which is a guess; a code of the service can mean anything. */
const FORM_REFUSED = /^(http400|http415|http422|(?!http|PAT_|planTooLow:).+)$/;

/**
 * @param result gets each document as soon as it is there, so that it tells also when this throws
 * @returns when the newest of those that were found came to be there, milliseconds; 0 where nothing tells
 */
export async function uploadDocuments(
  at: AuditRun,
  projectId: string,
  documents: readonly AuditDocument[],
  result: UploadedDocuments,
): Promise<number> {
  const person = new Person(at, projectId);
  if (documents.length === 0) return 0;
  const { status } = at;
  const show = (byHand: readonly AuditDocument[] = []) =>
    status.figures(
      paragraphs([
        md`${result.uploaded.length + result.found.length} of ${documents.length} documents in the project`,
        bullets(
          md`To be uploaded by a person:`,
          byHand.map(({ fileName, ref }) => md`${fileName} (${code(ref)})`),
        ),
      ]),
    );
  const names = documents.map(({ fileName }) => fileName);
  const put = (how: keyof UploadedDocuments, { fileName }: AuditDocument) => {
    if (!result[how].includes(fileName)) result[how].push(fileName);
    result[how].sort((one, other) => names.indexOf(one) - names.indexOf(other));
  };
  status.step('uploading', `Uploading ${counted(documents.length, 'document')} to project ${projectId}`);
  show();

  const left: { document: AuditDocument; looked: Looked }[] = [];
  const askedAt = Date.now();
  const { states, strangers, newestAt = 0 } = await statesOf(at, projectId, documents);
  let newest = newestAt;
  const found = (madeAt: number) => {
    newest = Math.max(newest, madeAt);
  };
  for (const [i, state] of states.entries()) {
    const document = documents[i];
    if (!document) continue;
    if (isThere(state)) put('found', document);
    else left.push({ document, looked: { askedAt, found: lookOf(state) } });
  }
  let byHand: AuditDocument[] = [];
  const refusals: string[] = [];
  // A closed route refuses all alike; so does a service that wants another form, when none of the first has passed.
  const isClosed = () =>
    refusals.some((reason) => ROUTE_REFUSED.test(reason)) ||
    (refusals.length >= AT_ONCE && result.uploaded.length === 0);
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { document } = next;
      const others = names.filter((name) => name !== document.fileName);
      const how = isClosed() ? 'byHand' : await uploadOne(at, { projectId, strangers, others, found, ...next });
      if (how === 'uploaded' || how === 'found') put(how, document);
      else byHand.push(document);
      if (typeof how === 'object') refusals.push(how.refused);
      show();
    }
  };
  // Every lane is heard out, also when one of them has to stop the run: what it sends is accounted for.
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => beside(lane)));
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;

  for (;;) {
    if (byHand.length > 0) {
      show(byHand);
      await person.uploads(byHand, whyByHand(refusals));
      for (const document of byHand) put('byPerson', document);
    }
    const { failed, resized, hidden } = await settled(at, projectId, documents, result.uploaded);
    if (hidden) at.notes.push(HIDDEN);
    if (failed.length === 0) {
      noteSizes(at, result, resized);
      break;
    }
    byHand = documents.filter(({ fileName }) => failed.includes(fileName));
    refusals.length = 0;
    for (const list of [result.uploaded, result.found])
      for (const name of failed) if (list.includes(name)) list.splice(list.indexOf(name), 1);
  }
  status.figures();
  return newest;
}

const HIDDEN = 'The service does not show the documents of a project: only its replies say that they are there.';

const statesOf = (
  at: AuditRun,
  projectId: string,
  documents: readonly AuditDocument[],
  beside: readonly string[] = [],
) =>
  ofProject(at, () =>
    reads(at.account, at.place, 'Look at the documents').documentStates({
      ...{ account: at.account, projectId, documents, beside },
    }),
  );

const lookOf = (state: DocumentState | undefined): LookOutcome =>
  isThere(state) ? 'found' : state === 'unsure' ? 'cannotTell' : 'notFound';

/** One document of those that a run uploads. */
interface Upload {
  projectId: string;
  document: AuditDocument;
  /** The look that was made for all of them at once. */
  looked: Looked;
  /** Names of the other documents. */
  others: readonly string[];
  /** Documents that the project had at first and that are none of the run's. */
  strangers: number;
  /** Told when it came to be there, where a look finds it; milliseconds. */
  found(madeAt: number): void;
}

/** S2: looked up in the project's `documents` before it is sent, and before it is sent again. */
async function uploadOne(
  at: AuditRun,
  { projectId, document, looked, others, strangers, found }: Upload,
): Promise<'uploaded' | 'found' | { refused: string }> {
  const { account, asker } = at;
  const { fileName } = document;
  let isSent = false;
  let last = looked.found;
  const upload: Purchase = {
    subject: documentSubject(projectId, document.nameHash),
    price: 0,
    run: at.run,
    summary: `Upload ${fileName}`,
    looked,
    async look() {
      const { states, newestAt } = await statesOf(at, projectId, [document], others);
      last = lookOf(states[0]);
      if (newestAt !== undefined) found(newestAt);
      return last;
    },
    send(calls, { lookedAt }) {
      isSent = true;
      return calls.uploadDocumentOnce({ account, projectId, document, strangers, lookedAt });
    },
    ask: (why, doubt) =>
      asker.decide(`${WHY[why]}${doubt} Look whether '${fileName}' is among the documents of project ${projectId}.`, 0),
  };
  return payOnce(at, upload, async (outcome) => {
    at.status.goesOn();
    switch (outcome.how) {
      case 'done':
        // A person says so, or another run; from now on it is one of those that are there.
        if (outcome.by === 'look' && last !== 'found') {
          found(looked.askedAt);
          await control.keepUploaded({ account, projectId, document });
        }
        return outcome.sent || isSent ? 'uploaded' : 'found';
      case 'refused':
        return { refused: outcome.reason };
      case 'gaveUp':
      case 'overRunCap':
        throw new Stop('unresolved', 'nobodyDecided', `Whether '${fileName}' was uploaded could not be found out.`);
      case 'cannotLook':
        throw outcome.error;
    }
  });
}

/**
 * Waits until the service has taken in every document.
 * @param taken names of those that it has said it has
 * @returns those that it could not take in, and those of another size
 */
async function settled(at: AuditRun, projectId: string, documents: readonly AuditDocument[], taken: readonly string[]) {
  const { account, facts, status, place, input } = at;
  const ended = await waitUntil(
    ...([status, facts, account, Date.now() + input.prerequisitesDeadline] as const),
    `The service takes in the documents of project ${projectId}; it is asked again and again.`,
    (left) =>
      reads(account, place, 'Wait for the documents', left).awaitDocuments({ account, projectId, documents, taken }),
    at.taken.freshUntil,
  );
  if (ended !== 'late') return ended;
  throw new Stop(
    'expired',
    'documentsNotSettled',
    `The service did not take in the documents of project ${projectId} in time.`,
  );
}

/** Why a person uploads, and which settings would let the run do it. */
function whyByHand(refusals: readonly string[]): string {
  const reasons = [...new Set(refusals)].map((reason) => reasonInWords(reason, 'project')).join(', ');
  if (refusals.length === 0) return 'The service could not take in some documents';
  if (refusals.some((reason) => ROUTE_REFUSED.test(reason))) return 'The token may not upload documents';
  if (!refusals.some((reason) => FORM_REFUSED.test(reason))) return `The service refused documents: ${reasons}`;
  return `The service refused documents: ${reasons}; perhaps for the form in which they are sent. The account's settings undocumented.upload.encoding, undocumented.upload.file, undocumented.upload.fileName and undocumented.upload.fileType describe that form (null leaves out one of the last two); change them and start this input again to upload them. Or do it by hand`;
}

/** A name stands for one document, so what differs in size under it is told and never sent a second time. */
function noteSizes(at: AuditRun, { uploaded }: UploadedDocuments, resized: readonly ResizedDocument[]): void {
  const note = (of: readonly ResizedDocument[], sentence: string) => {
    const named = of.slice(0, 10).map(({ fileName, shown, size }) => `'${fileName}' (${shown}, not ${size} bytes)`);
    const rest = of.length > named.length ? ` and ${of.length - named.length} more` : '';
    if (of.length > 0) at.notes.push(`${sentence}: ${named.join(', ')}${rest}.`);
  };
  const isOurs = ({ fileName }: ResizedDocument) => uploaded.includes(fileName);
  note(resized.filter(isOurs), 'The service shows another size than was uploaded, in another unit perhaps');
  note(
    resized.filter((document) => !isOurs(document)),
    'The project has documents of these names that this run did not upload, and shows another size for them; if yours are other documents, give them another fileName and start again',
  );
}
