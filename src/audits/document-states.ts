/** Which of a project's documents are ours, and what became of them: by the ID, by the name, by their number. Pure. */
import { isSameId } from '../agent-api/id';
import type { ProjectDocument } from '../agent-api/records';
import { at, fieldOf } from '../agent-api/shape';
import { bareText, plainText } from '../text/plain-text';
import type { DocumentState } from './document-state';
import type { AuditDocument } from './uploadable';

/** What is kept of an upload. */
export interface Uploaded {
  readonly sent?: boolean | undefined;
  /** The service said that it has it. */
  readonly taken?: boolean | undefined;
  /** As the reply named it. */
  readonly documentId?: string | undefined;
  /** Documents that the project had before, and that were none of the run's. */
  readonly strangers?: number | undefined;
}

type Named = Pick<AuditDocument, 'fileName'>;

/** Services write names in their own way: composed or decomposed, trimmed. */
const plain = (name: string) => name.normalize('NFC').trim();

/** Documents that the project shows under the document's own name. */
export const namesakes = ({ fileName }: Named, shown: readonly ProjectDocument[]): ProjectDocument[] =>
  shown.filter((one) => typeof one.fileName === 'string' && plain(one.fileName) === plain(fileName));

/** A name without its ending, and the ending; both without what services change. */
function parts(fileName: string): { stem: string; ending: string } {
  const [, stem = fileName, ending = ''] = /^(.+)\.([a-z0-9]{1,5})$/i.exec(plainText(fileName)) ?? [];
  return { stem: bareText(stem), ending: ending.toLowerCase() };
}

function isAlike(one: string, other: string): boolean {
  const [a, b] = [parts(one), parts(other)];
  return a.stem !== '' && a.stem === b.stem && (a.ending === b.ending || a.ending === '' || b.ending === '');
}

/**
 * The state of each document of a run, since when the project has it, and how many of those that it shows are none of them.
 * @param kept of each, what is kept of its upload; looked at where the name does not tell
 * @param shown undefined: the service does not show a project's documents, and its word for an upload has to do
 */
export function documentStates(
  documents: readonly Named[],
  kept: readonly (Uploaded | undefined)[],
  shown: readonly ProjectDocument[] | undefined,
): { states: DocumentState[]; madeAt: (number | undefined)[]; strangers: number } {
  if (shown === undefined)
    return {
      madeAt: documents.map(() => undefined),
      states: documents.map((_, i) => (kept[i]?.taken ? 'settled' : kept[i]?.sent ? 'unsure' : 'missing')),
      strangers: 0,
    };
  const rest = new Set(shown);
  const ours = documents.map((document, i) => {
    const { documentId } = kept[i] ?? {};
    const byId = documentId === undefined ? [] : shown.filter(({ id }) => id && isSameId(id, documentId));
    const found = [...new Set([...byId, ...namesakes(document, shown)])];
    for (const one of found) rest.delete(one);
    return found;
  });
  const open = () => documents.flatMap((document, i) => (ours[i]?.length ? [] : [{ document, i }]));
  // A name that is only like it counts where it is like no other.
  for (const { document, i } of open()) {
    const like = [...rest].filter(({ fileName }) => fileName && isAlike(fileName, document.fileName));
    const isAnothers = open().some(
      (other) => other.i !== i && like.some(({ fileName }) => fileName && isAlike(fileName, other.document.fileName)),
    );
    if (like.length === 0 || isAnothers) continue;
    ours[i] = like;
    for (const one of like) rest.delete(one);
  }
  const unnamed = open().filter(({ i }) => kept[i]?.taken).length;
  const states = documents.map((_, i): DocumentState => {
    const same = ours[i] ?? [];
    if (same.length > 0) return stateOf(same);
    const { sent, taken, strangers = 0 } = kept[i] ?? {};
    if (!sent) return 'missing';
    // Those that were taken are among the new ones under other names, as soon as there are so many.
    const more = rest.size - strangers;
    if (taken) return more >= unnamed ? stateOf([...rest], true) : 'unsure';
    return more > unnamed ? 'unsure' : 'missing';
  });
  return { states, madeAt: documents.map((_, i) => newestOf(ours[i] ?? [])), strangers: rest.size };
}

/** When the newest of them came to be there, milliseconds, where the service shows it. */
function newestOf(same: readonly ProjectDocument[]): number | undefined {
  const times = same.map(({ createdAt }) => Date.parse(createdAt ?? '')).filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The name alone tells: in which unit `fileSize` is, and whether it is that of what was sent, is not shown. */
function stateOf(same: readonly ProjectDocument[], all = false): DocumentState {
  const statuses = same.map(({ uploadStatus }) => uploadStatus ?? '');
  const isSettled = (status: string) => !FAILED.test(status) && !OPEN.test(status);
  if (all ? statuses.every(isSettled) : statuses.some(isSettled)) return 'settled';
  return statuses.some((status) => OPEN.test(status)) ? 'pending' : 'failed';
}

/** The words of `uploadStatus` are not shown. */
const OPEN = /pending|progress|processing|uploading|queued|waiting/i;
const FAILED = /fail|error|reject|abort|cancel/i;

/** Where the reply to an upload, whose shape is not shown, names the document. */
const PLACES = ['data.document', 'document', 'data.file', 'file', 'data.upload', 'upload', 'result', 'data', ''];

/** The ID that the reply to an upload gives; not that of the project. */
export function documentIdIn(body: unknown, projectId: string): string | undefined {
  const places = PLACES.map((path) => (path === '' ? body : at(body, path)));
  const ids = ['documentId', 'id'].flatMap((name) => places.map((place) => fieldOf(place, name)));
  return ids.find((id): id is string => typeof id === 'string' && id !== '' && !isSameId(id, projectId));
}
