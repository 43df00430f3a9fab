/**
 * Failure messages and stack traces as payloads, so that the codec encrypts them. Loaded by its path: by clients and
 * workers, and inside the bundle of workflows that is used with a key; hence no Node built-ins here.
 */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
