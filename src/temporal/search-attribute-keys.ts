/** The search attributes of every run. Imported by workflows: no Node built-ins here. None holds personal data (S4). */
import { defineSearchAttributeKey } from '@temporalio/common';

export const searchAttributeKeys = {
  /** The configured account's name. */
  account: defineSearchAttributeKey('Account', 'KEYWORD'),
  /** The lead that the run is about. */
  leadId: defineSearchAttributeKey('LeadId', 'KEYWORD'),
  /** The project that the run is about, or has found or created. */
  projectId: defineSearchAttributeKey('ProjectId', 'KEYWORD'),
  /** The capture that the run is about, or has submitted. */
  captureId: defineSearchAttributeKey('CaptureId', 'KEYWORD'),
  /** What the run is doing, in one word; then how it ended. */
  stage: defineSearchAttributeKey('Stage', 'KEYWORD'),
  /** The run waits for a person. */
  needsPerson: defineSearchAttributeKey('NeedsPerson', 'BOOL'),
  /** Credits that the run has used. */
  creditsSpent: defineSearchAttributeKey('CreditsSpent', 'INT'),
  /** What started the run: `person`, `schedule`, `pipeline`, `audit`, `backfill`; `ledger` and `page` are started by workers. */
  runKind: defineSearchAttributeKey('RunKind', 'KEYWORD'),
};
