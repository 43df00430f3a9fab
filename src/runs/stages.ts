/**
 * The values of the search attribute `Stage`, with what each says to whoever reads a list of runs: what a run is doing, then how
 * it ended. Workflows import the types alone.
 */
export const STAGES = {
  looking: 'checks its input, and what is there already',
  listing: 'makes the list of leads or items',
  deciding: 'decides on each lead',
  approval: 'waits until a person approves what it would spend',
  budget: 'waits until a budget or a cap leaves credits again',
  converting: 'converts a lead, or the leads of a pipeline',
  finding: 'finds the project that a converted lead became',
  creating: 'creates a project',
  uploading: 'uploads documents to a project',
  prerequisites: 'waits for the document and interview analysis that an audit needs',
  auditing: 'has started an audit, or waits for its end',
  storing: 'stores the results of an audit and the report',
  submitting: 'submits a note',
  asking: 'waits until a person has submitted a note',
  processing: 'waits until the service has extracted the items of a capture',
  reprocessing: 'has captures extracted again',
  review: 'waits until a person has decided on a capture that needs review',
  calling: 'makes a call of the API that may be repeated',
  sending: 'makes a call of the API that costs, or that must not happen twice',
  running: 'does the items of a backfill',
  concluding: 'writes the item ledger of a backfill',
  done: 'ended: all was done',
  planned: 'ended: it only planned (`dryRun`)',
  converted: 'ended: it converted the lead',
  alreadyConverted: 'ended: somebody else had converted the lead',
  audited: 'ended: the project is audited, and the results are stored',
  processed: 'ended: the service has extracted the items of the capture',
  accepted: 'ended: a person took the capture as it is',
  skipped: 'ended: it spent nothing and changed nothing',
  refused: 'ended: the service refused',
  unresolved: 'ended: nobody could say what became of a call, or what is to be done; a person looks',
  rejected: 'ended: a person did not approve it',
  expired: 'ended: a deadline passed',
  stopped: 'ended early: a person stopped it, or a trouble that its result names',
  cancelled: 'ended: it was cancelled',
  failed: 'ended: it failed; the result says why',
} as const;

export type Stage = keyof typeof STAGES;

/** A run waits for credits that a limit leaves. */
export const BUDGET_STAGE: Stage = 'budget';
