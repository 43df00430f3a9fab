/** The input of the workflow `ingestCapture`. */
import { z } from 'zod';
import { Account, Duration, RecordId, Reference } from './fields';
import { runFields } from './run-fields';

/** Most characters of a note: two hours of talk. The document shows no limit. */
export const NOTE_MAX = 100_000;

const Note = z
  .string()
  .max(NOTE_MAX)
  .regex(/\S/)
  .meta({ allowed: `text of 1 to ${NOTE_MAX} characters, of which one shows` });

const SOURCES = ['note', 'noteFile', 'captureId'] as const;
type Sources = Partial<Record<(typeof SOURCES)[number], unknown>> | undefined;

/** What `ingestCapture` takes: one of `note`, `noteFile` or `captureId`. Durations are milliseconds once parsed. */
export const IngestCaptureInput = z
  .strictObject({
    account: Account,
    note: Note.optional().describe(
      "The note's text. It stands in the run's own input, readable for whoever sees the run unless encryption is on, and " +
        'nowhere else; noteFile keeps it out of there too.',
    ),
    noteFile: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe(
        `A text file of the storage (UTF-8, at most ${NOTE_MAX} characters) that holds the note: its reference.`,
      ),
    captureId: RecordId.optional().describe('An existing capture: nothing is submitted.'),
    projectId: RecordId.optional().describe('The project that the note belongs to. Default: none.'),
    reference: Reference.optional().describe(
      'Tells notes of equal text apart: the same text for the same project under the same reference is submitted once, ' +
        'however often it is started; white space does not count. Default: none, so that equal text is one note.',
    ),
    maxReprocesses: z
      .int()
      .min(0)
      .max(20)
      .default(3)
      .describe('How often extraction is run again after it failed, at growing distances. Default 3.'),
    again: z
      .boolean()
      .default(false)
      .describe('Extract also a capture again that the service has done with. Default false.'),
    processingDeadline: Duration.prefault('24h').describe(
      "How long the service may take, failures included; begins anew with a person's answer. Default 24h.",
    ),
    ...runFields,
  })
  .describe('Exactly one of `note`, `noteFile` and `captureId` says what.')
  .refine((input: Sources) => SOURCES.filter((name) => input?.[name] !== undefined).length === 1, {
    error: 'exactly one of note, noteFile or captureId',
    // Also where another field is wrong, so that all is told at once.
    when: ({ value }) => typeof value === 'object' && value !== null,
  });
/** The input once parsed. */
export type IngestCaptureInput = z.output<typeof IngestCaptureInput>;
/** The input as it is written. */
export type IngestCaptureJson = z.input<typeof IngestCaptureInput>;

/** The file of an input that may be wrong elsewhere, so that all that is wrong can be told at once. */
export function noteFileIn(raw: unknown): string | undefined {
  const parsed = z.looseObject({ noteFile: IngestCaptureInput.shape.noteFile }).safeParse(raw);
  return parsed.success ? parsed.data.noteFile : undefined;
}
