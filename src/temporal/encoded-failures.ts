/**
 * Failure messages and stack traces as payloads, so that the codec encrypts them. Loaded by its path: by clients and
 * workers, and inside the bundle of workflows that is used with a key; hence no Node built-ins here.
 */
import {
  ApplicationFailure,
  DefaultFailureConverter,
  type PayloadConverter,
  type ProtoFailure,
  type SerializationContext,
} from '@temporalio/common';
import { FailureType } from '../runs/failure-types';

const readable = new DefaultFailureConverter();

class EncodedFailures extends DefaultFailureConverter {
  /** Why something was refused that is not encrypted as it has to be: whoever sent it has no key to read that with (and it quotes nothing, S4). */
  override errorToFailure(error: unknown, converter: PayloadConverter, context?: SerializationContext): ProtoFailure {
    return error instanceof ApplicationFailure && error.type === FailureType.illegible
      ? readable.errorToFailure(error, converter, context)
      : super.errorToFailure(error, converter, context);
  }
}

export const failureConverter = new EncodedFailures({ encodeCommonAttributes: true });
