// How the database is to plan for us. Every statement of ours looks up rows by a key that it was given; the planner, which
// keeps a named statement's plan and does not know how many keys will come, would rather read a table whole: claiming five
// due payments read all 50,000 (seen with explain, test/store/plans.test.ts), and a plan made while a table was small stays.

/** With these the only way left is one index look-up after the other. Where no index can serve, a table is still read. */
export const plannerSettings = ['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off'] as const
