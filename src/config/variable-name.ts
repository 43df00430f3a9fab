/** Settings that name a variable of the environment, which holds what must not stand in a file. */
import { z } from 'zod';

const RULE = 'the name of a variable of the environment, not what it holds';
/** What a secret often begins with is a possible name too. */
const NAME = /^(?!whsec_|aky_)[A-Za-z_][\w.-]*$/;

export const VariableName = z.string().regex(NAME, RULE).meta({ allowed: RULE });
