/** The global by which workflows know that their worker is versioned: they see no environment. */
export const VERSIONED = 'auditRunnerIsVersioned';
