/** What the steps of an ingestion share. */
import type { Priority } from '@temporalio/common';
import type { AccountFacts } from '../../activities/account';
import type { CaptureStored } from '../../activities/captures';
import type { IngestCaptureInput } from '../../src/inputs/ingest-capture';
import type { Asker } from '../shared/asker';
import type { Status } from '../shared/status';

/** What is known of the result so far; it stays however the run ends (S6). */
export interface Ingested {
  captureId?: string;
  submitted: boolean;
  /** Until when the service may not show the capture yet; 0 for one that a person named. */
  freshUntil: number;
  reprocesses: number;
  /** As last stored. */
  stored?: CaptureStored;
}

/** The run that a step belongs to. */
export interface Ingestion {
  readonly account: string;
  readonly input: IngestCaptureInput;
  readonly facts: AccountFacts;
  readonly status: Status;
  readonly asker: Asker;
  readonly place: Priority;
  /** The run's key in the ledger. */
  readonly run: string;
  readonly soFar: Ingested;
}
