// The interface to SQL, with two implementations that run the same statements and return the same values. It
// refuses to build SQL: a statement is text with a name and parameters.
import type { LearntTime } from '../runtime/clock.js'

/** A value of a parameter. Instants are sent as ISO 8601 text, arrays as PostgreSQL arrays. */
export type Parameter = string | number | boolean | null | readonly (string | number | boolean | null)[]

/** `timestamptz` as epoch milliseconds, `int8` and `numeric` as safe integers, `jsonb` parsed. */
export type Row = Readonly<Record<string, unknown>>

/** SQL with a name that is unique in the program. The server caches the plan under it. */
export interface Statement {
  readonly name: string
  readonly text: string
  /** True if it writes. Then a call that is given up must not run later. */
  readonly isChange: boolean
}

/**
 * A call that is not answered after this long is given up, with `DatabaseUnavailable`, and what has not begun
 * by then never does. The wait for a connection is included. Requests are answered within 6 s.
 */
export const CALL_LIMIT_MS = 4_000

/** The deadline of a call that begins now, on the scale of `performance.now()`. */
export function givenUpAfter(ms = CALL_LIMIT_MS): number {
  return performance.now() + ms
}

/** Something that statements run on: the database itself, or a transaction of it. */
export interface Queryable {
  /** Throws `DatabaseUnavailable`, `ConstraintViolation` or `DatabaseError`. Default: `givenUpAfter()`. */
  query(statement: Statement, parameters?: readonly Parameter[], giveUpAt?: number): Promise<readonly Row[]>
}

/** Returns the database with one deadline for several calls. */
export function withLimit(database: Queryable, giveUpAt: number): Queryable {
  return { query: (statement, parameters) => database.query(statement, parameters, giveUpAt) }
}

export interface Transaction extends Queryable {
  /** Runs a script of several statements without parameters, with no time limit: migrations. */
  script(sql: string): Promise<void>
}

export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres'
  /** The server's time, learnt with each connection. The embedded database has this machine's time. */
  readonly serverTime?: LearntTime
  /**
   * Runs `work` between `begin` and `commit`; rolls back when it throws. Nothing inside may await anything
   * else: on the embedded database all other calls wait. After a deadlock or a serialization failure it runs
   * again, so it has no other effect. `DatabaseUnavailable`: perhaps only the commit's answer is lost.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>, giveUpAt?: number): Promise<Result>
  /** Runs a script of several statements without parameters, in one transaction: migrations. */
  script(sql: string): Promise<void>
  /** Housekeeping of the embedded database. A server does its own. */
  maintain?(): Promise<void>
  /** Waits for calls that are running, then closes. */
  close(): Promise<void>
}

/** The database is unreachable, or went away in the middle. A later attempt may succeed; HTTP answers 503. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

/** A constraint, the last reader of every rule, refused. `constraint` is its name in the schema. */
export class ConstraintViolation extends Error {
  override readonly name = 'ConstraintViolation'
  constructor(
    readonly constraint: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Any other refusal by the database: a bug of ours. `code` is the SQLSTATE. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

const names = new Map<string, string>()
export const declaredStatements: ReadonlyMap<string, string> = names

/** Declares a statement at the top of a module. Each name has one text, as both would share a plan. */
export function statement(name: string, text: string): Statement {
  // PostgreSQL silently cuts names after 63 bytes (NAMEDATALEN - 1), and two cut names may be equal.
  if (name === '' || Buffer.byteLength(name) > 63) throw new Error(`statement name too long: ${name}`)
  const known = names.get(name)
  if (known !== undefined && known !== text) throw new Error(`statement ${name} is declared twice`)
  names.set(name, text)
  return { name, text, isChange: /\b(insert|update|delete)\b/.test(text) }
}

/** A statement whose text is assembled from what capabilities add. Another text gets another name. */
export function assembled(name: string, text: string): Statement {
  let [free, others] = [name, 0]
  while ((names.get(free) ?? text) !== text) free = `${name}_${++others}`
  return statement(free, text)
}

/**
 * Works through the items one after the other and counts those that returned true. A failure does not stop
 * the others: the first one is thrown at the end, or at once if the database is gone.
 */
export async function countEach<One>(
  all: readonly One[],
  run: (one: One) => Promise<boolean>,
): Promise<number> {
  const failures: unknown[] = []
  let count = 0
  for (const one of all) {
    try {
      count += (await run(one)) ? 1 : 0
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return count
}

/** Each lost race means that another revision was saved, so 20 rounds are plenty. */
const ROUNDS_MAX = 20

/** Runs a round again, `inTurn`, if its facts were stale. Throws `DatabaseUnavailable` after 20. */
export async function untilFresh<Result>(
  what: string,
  round: () => Promise<Result | 'stale'>,
  inTurn: (again: () => Promise<Result>) => Promise<Result> = (again) => again(),
): Promise<Result> {
  const first = await round()
  if (first !== 'stale') return first
  return inTurn(async () => {
    for (let rounds = 1; rounds < ROUNDS_MAX; rounds++) {
      const result = await round()
      if (result !== 'stale') return result
    }
    throw new DatabaseUnavailable(`${what}: the facts were stale ${ROUNDS_MAX} times`)
  })
}
