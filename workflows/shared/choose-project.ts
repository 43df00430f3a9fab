/** Which of several projects it was: a person says so, or the others turn out to be somebody else's. */
import { CancellationScope, defineUpdate, setHandler } from '@temporalio/workflow';
import { includesId } from '../../src/agent-api/id';
import { ProjectSaid } from '../../src/inputs/person-messages';
import { type Asker, ownAnswer } from './asker';
import { control } from './calls';
import { checked } from './said';

export const chooseProjectUpdate = defineUpdate<string, [ProjectSaid]>('chooseProject');

export class ProjectChoice {
  #ids: readonly string[] = [];
  #subject = '';
  #chosen: string | undefined;

  /** Registers the update `chooseProject`. @param what that became a project, such as 'the lead' */
  constructor(
    private readonly account: string,
    private readonly asker: Asker,
    what: string,
  ) {
    setHandler(
      chooseProjectUpdate,
      async ({ projectId, ...said }) => {
        const taken = await control.claimedRefs({ account, but: this.#subject });
        if (includesId(taken, projectId)) return `Project ${projectId} is another one's already: choose again.`;
        this.#chosen = projectId;
        asker.note(`project ${projectId}`, said);
        return `Noted: ${what} became project ${projectId}.`;
      },
      {
        description: `Says which project ${what} became: {"projectId": "…", "by": "…"}`,
        validator: checked(ProjectSaid, 'chooseProject', ({ projectId }) => {
          if (this.#ids.length === 0) throw new Error('This run does not ask which project it was.');
          if (!includesId(this.#ids, projectId)) throw new Error(`Choose one of: ${this.#ids.join(', ')}.`);
        }),
      },
    );
  }

  /**
   * Asks, until a person says it or all but one have been claimed for something else.
   * @returns undefined when nobody could tell in time
   */
  async ask(question: string, ids: readonly string[], subject: string): Promise<string | undefined> {
    this.#ids = ids;
    this.#subject = subject;
    let left: readonly string[] | undefined;
    const watching = new CancellationScope();
    const watch = watching.run(async () => {
      left = await control.awaitLastOne({ account: this.account, but: subject, ids: [...ids] });
    });
    // Until somebody has answered nobody waits for it, and a failure that nobody waits for fails the whole run's tasks.
    watch.catch(() => undefined);
    const asks = `${question}: ${ids.join(', ')}.`;
    const also = 'The run goes on by itself once all but one of them prove to belong to something else.';
    const answers = ids.map((projectId) =>
      ownAnswer('chooseProject', `It is ${projectId}`, 'that project is taken, and no credits are spent', {
        projectId,
      }),
    );
    await this.asker.until({ asks, also, answers }, () => this.#chosen !== undefined || left !== undefined);
    watching.cancel();
    await watch.catch(() => undefined);
    this.#ids = [];
    return this.#chosen ?? left?.[0];
  }
}
