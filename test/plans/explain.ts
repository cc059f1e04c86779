import {
  type Database,
  type Parameter,
  type Row,
  type Statement,
  statement,
  type Transaction,
} from '../../packages/ishtirak/src/database/database.js'

export type Run = (database: Database) => Promise<unknown>

export const MODES = ['custom', 'generic'] as const
export type Mode = (typeof MODES)[number]

/** Of several statements this one; the others are answered with no rows, or with these. */
export const only =
  (name: string, run: Run, answers: Readonly<Record<string, readonly Row[]>> = {}): Run =>
  (database) =>
    run(
      databaseThat(async (asked, values) =>
        asked.name === name ? database.query(asked, values) : (answers[asked.name] ?? []),
      ),
    )

function databaseThat(query: Database['query']): Database {
  return {
    ...{ kind: 'postgres', query, script: async () => undefined, close: async () => undefined },
    transaction: (work) => work({ query } as Transaction),
  }
}

export type Asked = { statement: Statement; parameters: readonly Parameter[] }

/** The last statement that a function of the store would send. */
export async function heard(run: Run): Promise<Asked> {
  let asked: Asked | undefined
  const listening = databaseThat(async (given, parameters = []) => {
    asked = { statement: given, parameters }
    return []
  })
  await run(listening).catch(() => undefined)
  if (!asked) throw new Error('nothing was asked')
  return asked
}

const named = new Map<string, Statement>()

export function once(text: string): Statement {
  const known = named.get(text) ?? statement(`test.plans_${named.size}`, text)
  named.set(text, known)
  return known
}

/** A server plans a name's fifth run for any values: `generic` asks for that plan. */
export async function explain(
  database: Database,
  { statement: { text }, parameters }: Asked,
  options: { readonly mode: Mode; readonly with?: string },
): Promise<readonly Row[]> {
  return await database.transaction(async (transaction) => {
    await transaction.query(once(`set local plan_cache_mode = force_${options.mode}_plan`))
    await transaction.query(once(`prepare asked as ${text}`))
    const values = parameters.map(literal).join(', ')
    const found = await transaction.query(
      once(`explain ${options.with ?? ''} execute asked${values === '' ? '' : `(${values})`}`),
    )
    await transaction.query(once('deallocate asked'))
    return found
  })
}

/** The plans that scan one of these tables, by the name of their query. */
export async function scanningPlans(
  database: Database,
  runs: readonly Run[],
  mode: Mode,
  tables: string,
): Promise<readonly unknown[]> {
  const scan = new RegExp(`Seq Scan on (${tables.replaceAll(' ', '|')})\\b`)
  const scanning = []
  for (const run of runs) {
    const asked = await heard(run)
    const plan = textOf(await explain(database, asked, { mode }))
    if (scan.test(plan)) scanning.push([asked.statement.name, plan])
  }
  return scanning
}

/** Of the dearest part: the whole's own figure leaves out what is changed beside its answer. */
export function buffersOf(rows: readonly Row[]): number {
  const parts = textOf(rows).matchAll(/Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/g)
  return Math.max(0, ...Array.from(parts, ([, hit = 0, read = 0]) => Number(hit) + Number(read)))
}

/** Rows that the parts of a plan gave or passed over, in all their runs: of a plan that was run. */
export function rowsInPlan(rows: readonly Row[]): number {
  let runs = 0
  return textOf(rows)
    .split('\n')
    .map((line) => {
      const [, given, loops] = /actual.* rows=([\d.]+) loops=(\d+)/.exec(line) ?? []
      if (loops) runs = Number(loops)
      const [, removed = 0] = /Rows Removed by .*: (\d+)/.exec(line) ?? []
      return runs * (Number(given ?? 0) + Number(removed))
    })
    .reduce((sum, n) => sum + n, 0)
}

export const textOf = (rows: readonly Row[]) => rows.map((row) => row['QUERY PLAN']).join('\n')

export function literal(parameter: Parameter): string {
  if (parameter === null) return 'null'
  if (typeof parameter !== 'object') return `'${String(parameter).replaceAll("'", "''")}'`
  const elements = parameter.map((element) => (element === null ? 'null' : JSON.stringify(String(element))))
  return `'{${elements.join(',')}}'`
}
