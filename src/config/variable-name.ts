/** Settings that name a variable of the environment, which holds what must not stand in a file. */
import { z } from 'zod';

const RULE = 'the name of a variable of the environment, not what it holds';
/** What a secret often begins with is a possible name too. */
const NAME = /^(?!whsec_|aky_)[A-Za-z_][\w.-]*$/;

export const VariableName = z.string().regex(NAME, RULE).meta({ allowed: RULE });

const CUSTOMARY = /^[A-Z_][A-Z0-9_]*$/;

/** The name as it may be said (S4): one that is not set, and that nobody would choose, may be the secret itself. */
export const sayable = (name: string, env: Readonly<Record<string, string | undefined>>): string =>
  env[name] !== undefined || CUSTOMARY.test(name) ? name : 'of the name given there';
