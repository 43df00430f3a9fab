/** The search attributes of every run. Imported by workflows: no Node built-ins here. None holds personal data (S4). */
import { defineSearchAttributeKey } from '@temporalio/common';

export const searchAttributeKeys = {
  /** The configured account's name. */
  account: defineSearchAttributeKey('Account', 'KEYWORD'),
  leadId: defineSearchAttributeKey('LeadId', 'KEYWORD'),
  projectId: defineSearchAttributeKey('ProjectId', 'KEYWORD'),
  captureId: defineSearchAttributeKey('CaptureId', 'KEYWORD'),
  /** Where the run is, in one word. */
  stage: defineSearchAttributeKey('Stage', 'KEYWORD'),
  /** The run waits for a person. */
  needsPerson: defineSearchAttributeKey('NeedsPerson', 'BOOL'),
  /** Credits that the run has used. */
  creditsSpent: defineSearchAttributeKey('CreditsSpent', 'INT'),
  /** What started the run: a person, a schedule or a backfill. */
  runKind: defineSearchAttributeKey('RunKind', 'KEYWORD'),
};
