// How the database is to plan for us. Every statement of ours looks up rows by a key that it was given; the planner, which
// keeps a named statement's plan and does not know how many keys will come, would rather read a table whole: claiming five
// due payments read all 50,000 (seen with explain, test/plans/plans.test.ts), and a plan made while a table was small stays.
// And it is to plan once: of a statement over arrays it believes that planning anew for each length pays, and spends as
// much on that as on the work itself (consuming for one user: 1.4 ms, of which 0.7 were planning).

/** With these the only way left is one index look-up after the other. Where no index can serve, a table is still read. */
export const plannerSettings = [
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'plan_cache_mode=force_generic_plan',
] as const
