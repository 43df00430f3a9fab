/** The documents that a person uploads in the web app. */

import { condition, defineUpdate, setHandler } from '@temporalio/workflow';
import { isThere } from '../../src/audits/document-state';
import type { AuditDocument } from '../../src/audits/uploadable';
import { PersonNote } from '../../src/inputs/person-messages';
import { reasonInWords } from '../../src/runs/reason-words';
import { counted } from '../../src/text/numbers';
import { ownAnswer } from '../shared/asker';
import { control, reads } from '../shared/calls';
import { failureText, refusalOf } from '../shared/failures';
import { checked } from '../shared/said';
import { Stop } from '../shared/stop';
import type { AuditRun } from './audit-run';

/** Why a look failed. */
const inWords = (error: unknown): string => {
  const reason = refusalOf(error);
  return reason === undefined ? failureText(error) : reasonInWords(reason, 'project');
};

export const documentsUploadedUpdate = defineUpdate<string, [PersonNote | undefined]>('documentsUploaded');

/** A person uploads in the web app, and says so; or it is noticed without a word. */
export class Person {
  #asking: readonly AuditDocument[] = [];
  #done = false;

  constructor(
    private readonly at: AuditRun,
    private readonly projectId: string,
  ) {
    setHandler(documentsUploadedUpdate, (said) => this.#heard(said), {
      description: 'Says that the listed documents are in the project now: {"by": "…"}',
      validator: checked(PersonNote, 'documentsUploaded', () => {
        if (this.#asking.length === 0) throw new Error('This run does not wait for documents at the moment.');
      }),
    });
  }

  /** @param why they could not be uploaded without a person. @throws Stop when they are not there in time */
  async uploads(documents: readonly AuditDocument[], why: string): Promise<void> {
    const { at, projectId } = this;
    this.#asking = documents;
    this.#done = false;
    const noticed = this.#notice(documents);
    const asks = `${why}: upload the listed files to project ${projectId} in the web app.`;
    const also = 'It goes on when they are there.';
    const answers = [
      ownAnswer('documentsUploaded', 'They are there', 'the run looks at once, and no credits are spent'),
    ];
    await at.asker.until({ asks, also, answers }, () => this.#done);
    this.#asking = [];
    if (!this.#done)
      throw new Stop(
        'expired',
        'documentsMissing',
        `${counted(documents.length, 'document')} ${documents.length === 1 ? 'was' : 'were'} not uploaded in time: ${documents.map(({ fileName }) => fileName).join(', ')}. ${why}: upload them to project ${projectId} in the web app, then start auditProject with this projectId.`,
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

  async #heard(said: PersonNote | undefined): Promise<string> {
    let missing: string[];
    try {
      missing = await this.#missing(true);
    } catch (error) {
      return `Project ${this.projectId} cannot be read (${inWords(error)}): try again later; this run looks by itself, too.`;
    }
    if (missing.length > 0) return `Still missing in project ${this.projectId}: ${missing.join(', ')}.`;
    this.at.asker.note('documentsUploaded', said);
    return 'All documents are there: it goes on.';
  }

  /** @param said a person says that they are there, whose word has to do where the service does not show them */
  async #missing(said = false): Promise<string[]> {
    const asked = this.#asking;
    const { account, place } = this.at;
    const { projectId } = this;
    const { states, hidden } = await reads(account, place, 'Look at the documents').documentStates({
      ...{ account, projectId, documents: asked },
    });
    if (hidden && said) {
      for (const document of asked) await control.keepUploaded({ account, projectId, document });
      this.#done = true;
      return [];
    }
    const missing = asked.filter((_, i) => !isThere(states[i]));
    if (missing.length === 0) this.#done = true;
    return missing.map(({ fileName }) => fileName);
  }
}
