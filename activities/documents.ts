/** Documents of a project: checked in the storage, looked up in the project, uploaded as a stream. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { asName } from '../src/agent-api/id';
import type { ProjectDetail, ProjectDocument } from '../src/agent-api/records';
import { documentUpload } from '../src/agent-api/upload';
import { type DocumentState, isThere } from '../src/audits/document-state';
import { documentIdIn, documentStates, namesakes } from '../src/audits/document-states';
import {
  type AuditDocument,
  byPlace,
  type DocumentChoice,
  doubledNames,
  nameOf,
  problemsOf,
  typeOf,
} from '../src/audits/uploadable';
import type { SendOutcome } from '../src/paying/attempt-plan';
import { documentSubject } from '../src/paying/subject';
import { givenRef } from '../src/storage/of-account';
import { readIfThere } from '../src/storage/stored-json';
import { counted } from '../src/text/numbers';
import { callRoute } from './call';
import { type Deps, runtimeOf } from './deps';
import { notesIn, openRecord, Sending } from './kept-record';
import { slower } from './pace';
import { requeueAfter } from './requeue';
import { sendInForms } from './send-forms';
import { ownRun } from './send-once';

/** What is kept of a document's upload. */
const DocumentRecord = Sending.extend({ documentId: z.string().optional(), strangers: z.number().optional() });

const recordRef = (account: string, projectId: string, nameHash: string) =>
  `documents-made/${account}/${asName(projectId)}/${nameHash}.json`;

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
  /** Documents that the project had at first and that are none of the run's. */
  strangers: number;
  lookedAt: number;
}

export function createDocumentsActivities(deps: Deps) {
  const { storage } = deps;
  const projectOf = async (account: string, projectId: string): Promise<ProjectDetail> =>
    (await callRoute(runtimeOf(deps, account), 'projects.get', { id: projectId })).value;
  /**
   * @param beside names of the run's other documents, which are none of the strangers
   * @param taken names of those of which the service has said to the run that it has them
   */
  const statesIn = async (
    { account, projectId, documents }: { account: string; projectId: string; documents: readonly AuditDocument[] },
    shown: readonly ProjectDocument[] | undefined,
    { beside = [], taken = [] }: { beside?: readonly string[]; taken?: readonly string[] },
  ) => {
    const all = [...documents, ...beside.map((fileName) => ({ fileName, nameHash: hashOf(fileName) }))];
    // What the project shows under its own name needs no record.
    const kept = all.map((document) =>
      namesakes(document, shown ?? []).length > 0
        ? undefined
        : readIfThere(storage, recordRef(account, projectId, document.nameHash), DocumentRecord),
    );
    // Where the storage was away its record does not say so.
    const known = (await Promise.all(kept)).map((record, i) =>
      taken.includes(all[i]?.fileName ?? '') ? { ...record, sent: true, taken: true } : record,
    );
    const { states, madeAt, strangers } = documentStates(all, known, shown);
    return { states: states.slice(0, documents.length), madeAt, strangers };
  };
  /** When the newest of those that are there came to be there, milliseconds: as it is shown, else as it is kept. */
  const newestIn = async (
    { account, projectId, documents }: { account: string; projectId: string; documents: readonly AuditDocument[] },
    { states, madeAt }: { states: readonly DocumentState[]; madeAt: readonly (number | undefined)[] },
  ): Promise<number> => {
    const times = documents.map(async ({ nameHash }, i) => {
      if (!isThere(states[i])) return 0;
      return madeAt[i] ?? (await readIfThere(storage, recordRef(account, projectId, nameHash), DocumentRecord))?.since;
    });
    return Math.max(0, ...(await Promise.all(times)).map((time) => time ?? 0));
  };

  return {
    /** Whether each document is there and can be uploaded: all that is wrong at once. No call of the API. */
    async checkDocuments(call: {
      /** Whose they are; absent in runs of before, which name what they want. */
      account?: string;
      documents: readonly DocumentChoice[];
    }): Promise<{ problems: string[]; documents: AuditDocument[] }> {
      const { account, documents } = call;
      const problems = doubledNames(documents, byPlace);
      const good: AuditDocument[] = [];
      for (const [i, choice] of documents.entries()) {
        const meant = account === undefined ? choice.ref : givenRef(storage, account, choice.ref);
        const stored = await Promise.resolve(meant)
          .then((ref) => storage.stat(ref))
          .catch((error: Error) => error);
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
        good.push({ ref: stored.ref, fileName, fileType, size: stored.size, nameHash: hashOf(fileName) });
      }
      return { problems, documents: good };
    },

    /**
     * GET the project: what became of each document.
     * @param call.beside names of the run's other documents
     * @returns also when the newest of those that are there came to be there, milliseconds, where anything tells
     */
    async documentStates(call: {
      account: string;
      projectId: string;
      documents: readonly AuditDocument[];
      beside?: readonly string[];
    }): Promise<{ states: DocumentState[]; strangers: number; newestAt?: number; hidden?: true }> {
      const { documents: shown } = await projectOf(call.account, call.projectId);
      const { states, madeAt, strangers } = await statesIn(call, shown ?? undefined, call);
      const newestAt = await newestIn(call, { states, madeAt });
      return { states, strangers, ...(newestAt > 0 && { newestAt }), ...(!shown && { hidden: true }) };
    },

    /** POST one document, streamed from the storage: one attempt, under S1 and S2. */
    uploadDocumentOnce(call: DocumentUpload): Promise<SendOutcome> {
      const runtime = runtimeOf(deps, call.account);
      const { account, projectId, strangers } = call;
      const { ref, nameHash, fileName, fileType, size } = call.document;
      const open = () => storage.read(ref);
      const kept = recordRef(account, projectId, nameHash);
      const names = runtime.account.undocumented.upload;
      // All bodies are JSON by the document, and forms are what many services take all the same.
      const encodings = names.encoding === 'auto' ? (['json', 'multipart'] as const) : [names.encoding];
      return sendInForms<'projects.uploadDocument'>(
        runtime,
        {
          route: 'projects.uploadDocument',
          subject: documentSubject(call.projectId, nameHash),
          ...ownRun(),
          lookedAt: call.lookedAt,
          record: notesIn(storage, kept, DocumentRecord, { since: Date.now(), strangers }, (documentId) => ({
            documentId,
          })),
          read(_, body) {
            const documentId = documentIdIn(body, projectId);
            return documentId === undefined ? {} : { ref: documentId };
          },
        },
        encodings.map((encoding) => () => ({
          id: call.projectId,
          raw: documentUpload({ ...names, encoding }, { fileName, fileType, size, open }),
        })),
      );
    },

    /** Keeps that a person has seen the document in the project. No call of the API. */
    async keepUploaded(call: { account: string; projectId: string; document: AuditDocument }): Promise<void> {
      const { account, projectId, document } = call;
      const ref = recordRef(account, projectId, document.nameHash);
      const known = await readIfThere(storage, ref, DocumentRecord);
      await openRecord(storage, ref, DocumentRecord, { since: Date.now(), ...known, sent: true, taken: true });
    },

    /**
     * Returns once every document is there and its `uploadStatus` has settled; with those that failed, and those that are
     * shown with another size. Retried by Temporal without history events.
     * @param call.taken names of those that the run has uploaded
     */
    async awaitDocuments(call: {
      account: string;
      projectId: string;
      documents: readonly AuditDocument[];
      taken?: readonly string[];
    }): Promise<{ failed: string[]; resized: ResizedDocument[]; hidden?: true }> {
      const { documents: shown } = await projectOf(call.account, call.projectId);
      const { states: all } = await statesIn(call, shown ?? undefined, call);
      const states = call.documents.map((document, i) => ({ document, state: all[i] ?? 'missing' }));
      const open = states.filter(({ state }) => state !== 'settled' && state !== 'failed');
      if (open.length > 0)
        throw requeueAfter(
          `${counted(open.length, 'document')} not there yet`,
          slower(runtimeOf(deps, call.account), 24),
        );
      return {
        failed: states.filter(({ state }) => state === 'failed').map(({ document }) => document.fileName),
        resized: call.documents.flatMap((document) => resizedIn(document, shown ?? [])),
        ...(!shown && { hidden: true }),
      };
    },
  };
}

const hashOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 16);

/** The document, when sizes are shown under its name and its own is not among them. */
function resizedIn(document: AuditDocument, documents: readonly ProjectDocument[]): ResizedDocument[] {
  const sizes = namesakes(document, documents).flatMap(({ fileSize }) => fileSize ?? []);
  const [shown] = sizes;
  const { fileName, size } = document;
  return shown === undefined || sizes.includes(size) ? [] : [{ fileName, shown, size }];
}
