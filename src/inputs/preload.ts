/**
 * Loaded once into the context that all workflow runs of a process share (`preloadModules` of the bundle), before any
 * run. Each run would otherwise hold a zod of its own, 1 MB and 25 ms to evaluate, and a table of 256 KiB of
 * fastest-levenshtein, which it leaves empty after each use. What is shared is frozen after this, so nothing of ours
 * may be shared, and whatever zod makes when it is first used is made here.
 */
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';

// A parser compiled for each run's schemas would cost more than the one input that it reads.
z.config({ jitless: true });
z.object({ text: z.string().transform((text) => text) }).safeParse({ text: '' });
distance('', '');
