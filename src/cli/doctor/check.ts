/** One thing that `doctor` looked at. */
export interface Check {
  /** `this machine`, `configuration`, `Temporal`, `storage` or `account {name}`. */
  area: string;
  name: string;
  /**
   * `warning`: it works, but is hardly meant so. `unknown`: it could not be looked at, because of something else that is wrong or
   * because nobody can see it.
   */
  state: 'ok' | 'warning' | 'wrong' | 'unknown';
  /** What was found, one sentence or less. */
  found: string;
  /** How to mend what is wrong, or better not so. */
  mend?: string;
}

/** Makes checks of one area. */
export function area(name: string) {
  return {
    ok: (what: string, found: string): Check => ({ area: name, name: what, state: 'ok', found }),
    warning: (what: string, found: string, mend: string): Check => ({
      ...{ area: name, name: what, state: 'warning', found, mend },
    }),
    wrong: (what: string, found: string, mend: string): Check => ({
      area: name,
      name: what,
      state: 'wrong',
      found,
      mend,
    }),
    unknown: (what: string, found: string): Check => ({ area: name, name: what, state: 'unknown', found }),
  };
}
