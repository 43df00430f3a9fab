/** What the input of a pipeline names in the storage: a run refuses it where it is not there, so the plan looks too. */
import { z } from 'zod';
import { type DocumentChoice, doubledNames, problemsOf } from '../../audits/uploadable';
import type { Pipeline } from '../../config';
import { documentsIn } from '../../inputs/audit-project';
import { accountIn } from '../../inputs/fields';
import { noteFileIn } from '../../inputs/ingest-capture';
import { type Storage, StorageError } from '../../storage';
import { givenRef } from '../../storage/of-account';

/** Where inputs name files: themselves, for the audits that follow, for all items of a batch, and a batch's list. */
const Named = z.looseObject({
  audit: z.unknown().optional(),
  defaults: z.unknown().optional(),
  file: z.looseObject({ ref: z.string() }).optional().catch(undefined),
});

/** It is the person's own file: a command may name what stands in it. */
const says = (choice: DocumentChoice | undefined) => `document '${choice?.ref}'`;

/** One sentence for each file that no run could use now; it may come later. */
export async function fileWarnings({ input }: Pick<Pipeline, 'input'>, storage: Storage): Promise<string[]> {
  const { audit, defaults, file } = Named.parse(input);
  const documents = [input, audit, defaults].flatMap(documentsIn);
  const others = [noteFileIn(input), noteFileIn(defaults), file?.ref].flatMap((ref) => ref ?? []);
  const account = accountIn(input);
  /** @param problemOf what is wrong with a file of this size, or that is not there */
  const look = async (ref: string, says: string, problemOf: (size: number | undefined) => string[]) => {
    try {
      return problemOf((await storage.stat(await givenRef(storage, account, ref)))?.size);
    } catch (error) {
      if (error instanceof StorageError && error.kind === 'refused') return [`${says}: ${error.message}`];
      throw error;
    }
  };
  try {
    const problems = await Promise.all([
      ...documents.map((choice) => look(choice.ref, says(choice), (size) => problemsOf(choice, says(choice), size))),
      ...others.map((ref) =>
        look(ref, `'${ref}'`, (size) =>
          size === undefined ? [`'${ref}' is not in the storage; put it there, or correct its reference.`] : [],
        ),
      ),
    ]);
    return [...doubledNames(documents, (i) => says(documents[i])), ...problems.flat()].map(
      (problem) => `until it is mended each run is refused: ${problem}`,
    );
  } catch (error) {
    return [
      `the storage cannot be looked into for its files: ${error instanceof Error ? error.message : String(error)}`,
    ];
  }
}
