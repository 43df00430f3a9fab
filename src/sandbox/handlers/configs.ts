import { z } from 'zod';
import { AssessmentConfigUpdate } from '../../agent-api/bodies';
import { badRequest, found, ok } from '../refusal';
import type { AssessmentConfig } from '../rows';
import { QUESTIONS } from '../seed';
import type { HandlersOf, Service } from '../service';
import { fieldsOf } from './records';

/** The numbers are not shown in the document. */
const MIN_SCORED = 3;
const MAX_QUESTIONS = 50;

/** agent-api.md, "Assessment configs". */
export function configHandlers({ store, shapes, clock, random }: Service): HandlersOf<'assessmentConfigs'> {
  const configOf = (userId: string, id: string) => found(store.configs.get(userId, id), 'Assessment config');
  return {
    'assessmentConfigs.list': ({ user }) =>
      ok(shapes.many('assessmentConfigs', store.configs.all(user.id).map(shownConfig))),
    'assessmentConfigs.get': ({ user, id }) => ok(shapes.one('assessmentConfig', shownConfig(configOf(user.id, id)))),
    'assessmentConfigs.create': ({ user, body }) => {
      const at = clock.iso();
      const isTemplate = z.boolean().catch(true).parse(fieldsOf(body).isTemplate);
      const config: AssessmentConfig = {
        id: random.uuid(),
        userId: user.id,
        name: null,
        isTemplate,
        questionOrder: [...QUESTIONS],
        hiddenQuestions: [],
        scoringWeights: {},
        defaultQuestionOverrides: {},
        createdAt: at,
        updatedAt: at,
      };
      const { isTemplate: _, ...changes } = fieldsOf(body);
      store.configs.add(Object.keys(changes).length === 0 ? config : changed(config, changes));
      return ok(shapes.one('assessmentConfig', shownConfig(configOf(user.id, config.id))), 201);
    },
    'assessmentConfigs.update': ({ user, id, body }) => {
      const config = { ...changed(configOf(user.id, id), fieldsOf(body)), updatedAt: clock.iso() };
      return ok({ data: shownConfig(store.configs.add(config)) });
    },
    'assessmentConfigs.delete': ({ user, id }) => {
      if (!store.configs.remove(user.id, id)) configOf(user.id, id);
      return shapes.deleted();
    },
  };
}

const activeOf = ({ questionOrder, hiddenQuestions }: AssessmentConfig) =>
  questionOrder.filter((question) => !hiddenQuestions.includes(question));

/** A question without a weight of its own weighs 1. @throws 400 `VALIDATION_ERROR`, or without a code when empty */
function changed(config: AssessmentConfig, changes: Record<string, unknown>): AssessmentConfig {
  if (Object.keys(changes).length === 0) throw badRequest('The update is empty');
  const parsed = AssessmentConfigUpdate.safeParse(changes);
  if (!parsed.success) throw badRequest(z.prettifyError(parsed.error), 'VALIDATION_ERROR');
  const given = Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
  const result = { ...config, ...given };
  const active = activeOf(result);
  const scored = active.filter((question) => (result.scoringWeights[question] ?? 1) > 0);
  if (active.length === 0) throw badRequest('No active question is left', 'VALIDATION_ERROR');
  if (scored.length < MIN_SCORED) throw badRequest(`At least ${MIN_SCORED} scored questions`, 'VALIDATION_ERROR');
  if (result.questionOrder.length > MAX_QUESTIONS)
    throw badRequest(`At most ${MAX_QUESTIONS} questions`, 'VALIDATION_ERROR');
  return result;
}

function shownConfig(config: AssessmentConfig) {
  const { userId: _, ...shown } = config;
  return { ...shown, questionCount: activeOf(config).length };
}
