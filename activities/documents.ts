/** Documents of a project: checked in the storage, looked up in the project, uploaded as a stream. */
import { createHash } from 'node:crypto';
import type { ProjectDetail, ProjectDocument } from '../src/agent-api/records';
import { documentUpload } from '../src/agent-api/upload';
import type { SendOutcome } from '../src/policy/course';
import {
  type AuditDocument,
  byPlace,
  type DocumentChoice,
  doubledNames,
  nameOf,
  problemsOf,
  typeOf,
} from '../src/policy/documents';
import { documentSubject } from '../src/policy/subject';
import { bounce, callRoute } from './call';
import { type Deps, runtimeOf } from './deps';
import { slower } from './pace';
import { sendInForms } from './send-forms';
import { ownRun } from './send-once';

/** A document of a project, by its name. */
export type DocumentState = 'missing' | 'pending' | 'settled' | 'failed';

/** A document that the project shows with another size than it has in the storage. */
export interface ResizedDocument {
  fileName: string;
  /** As the service shows it, in whatever unit. */
  shown: number;
  /** Bytes. */
  size: number;
}

export interface DocumentUpload {
  account: string;
  projectId: string;
  document: AuditDocument;
  lookedAt: number;
}

export function createDocumentsActivities(deps: Deps) {
  const { storage } = deps;
  const projectOf = async (account: string, projectId: string): Promise<ProjectDetail> =>
    (await callRoute(runtimeOf(deps, account), 'projects.get', { id: projectId })).value;

  return {
    /** Whether each document is there and can be uploaded: all that is wrong at once. No call of the API. */
    async checkDocuments({ documents }: { documents: readonly DocumentChoice[] }): Promise<{
      problems: string[];
      documents: AuditDocument[];
    }> {
      const problems = doubledNames(documents, byPlace);
      const good: AuditDocument[] = [];
      for (const [i, choice] of documents.entries()) {
        const stored = await storage.stat(choice.ref).catch((error: Error) => error);
        if (stored instanceof Error) {
          // A reference that is not allowed is the input's fault; a storage that is away is not.
          if (stored.name !== 'StorageError') throw stored;
          problems.push(`${byPlace(i)}: ${stored.message}`);
          continue;
        }
        const wrong = problemsOf(choice, byPlace(i), stored?.size);
        problems.push(...wrong);
        const [fileName, fileType] = [nameOf(choice), typeOf(choice)];
        if (wrong.length > 0 || !stored || fileType === undefined) continue;
        good.push({ ref: choice.ref, fileName, fileType, size: stored.size, nameHash: hashOf(fileName) });
      }
      return { problems, documents: good };
    },

    /** GET the project: what became of each document, by its name. */
    async documentStates(call: {
      account: string;
      projectId: string;
      documents: readonly AuditDocument[];
    }): Promise<DocumentState[]> {
      const { documents } = await projectOf(call.account, call.projectId);
      return call.documents.map((document) => stateOf(document, documents ?? []));
    },

    /** POST one document, streamed from the storage: one attempt, under S1 and S2. */
    uploadDocumentOnce(call: DocumentUpload): Promise<SendOutcome> {
      const runtime = runtimeOf(deps, call.account);
      const { ref, nameHash, fileName, fileType, size } = call.document;
      const open = () => storage.read(ref);
      const names = runtime.account.unshown.upload;
      // All bodies are JSON by the document, and forms are what many services take all the same.
      const encodings = names.encoding === 'auto' ? (['json', 'multipart'] as const) : [names.encoding];
      return sendInForms<'projects.uploadDocument'>(
        runtime,
        {
          route: 'projects.uploadDocument',
          subject: documentSubject(call.projectId, nameHash),
          ...ownRun(),
          lookedAt: call.lookedAt,
          read: () => ({}),
        },
        encodings.map((encoding) => () => ({
          id: call.projectId,
          raw: documentUpload({ ...names, encoding }, { fileName, fileType, size, open }),
        })),
      );
    },

    /**
     * Returns once every document is there and its `uploadStatus` has settled; with those that failed, and those that are
     * shown with another size. Retried by Temporal without history events.
     */
    async awaitDocuments(call: {
      account: string;
      projectId: string;
      documents: readonly AuditDocument[];
    }): Promise<{ failed: string[]; resized: ResizedDocument[] }> {
      const { documents } = await projectOf(call.account, call.projectId);
      const states = call.documents.map((document) => ({ document, state: stateOf(document, documents ?? []) }));
      const open = states.filter(({ state }) => state === 'missing' || state === 'pending');
      if (open.length > 0)
        throw bounce(`${open.length} documents are not there yet`, slower(runtimeOf(deps, call.account), 24));
      return {
        failed: states.filter(({ state }) => state === 'failed').map(({ document }) => document.fileName),
        resized: call.documents.flatMap((document) => resizedIn(document, documents ?? [])),
      };
    },
  };
}

const hashOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 16);

/** Services write names in their own way: composed or decomposed, trimmed. */
const plain = (name: string) => name.normalize('NFC').trim();

const namesakes = ({ fileName }: AuditDocument, documents: readonly ProjectDocument[]) =>
  documents.filter((d) => d.fileName !== undefined && d.fileName !== null && plain(d.fileName) === plain(fileName));

/** The name alone tells: in which unit `fileSize` is, and whether it is that of what was sent, is not shown. */
function stateOf(document: AuditDocument, documents: readonly ProjectDocument[]): DocumentState {
  const same = namesakes(document, documents);
  if (same.length === 0) return 'missing';
  const statuses = same.map(({ uploadStatus }) => uploadStatus ?? '');
  if (statuses.some((status) => !FAILED.test(status) && !OPEN.test(status))) return 'settled';
  return statuses.some((status) => OPEN.test(status)) ? 'pending' : 'failed';
}

/** The document, when sizes are shown under its name and its own is not among them. */
function resizedIn(document: AuditDocument, documents: readonly ProjectDocument[]): ResizedDocument[] {
  const sizes = namesakes(document, documents).flatMap(({ fileSize }) => fileSize ?? []);
  const [shown] = sizes;
  const { fileName, size } = document;
  return shown === undefined || sizes.includes(size) ? [] : [{ fileName, shown, size }];
}

/** The words of `uploadStatus` are not shown. */
const OPEN = /pending|progress|processing|uploading|queued|waiting/i;
const FAILED = /fail|error|reject|abort|cancel/i;
