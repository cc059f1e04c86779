// What a database says of itself: which cell it is, and which parts of the users it has.
import { type Database, type Queryable, statement, type Transaction } from '../database/database.js'
import { integer, json, text } from '../database/rows.js'
import { type Cell, rangesOf } from '../runtime/cells.js'
import { ConfigError } from '../runtime/config-file.js'

const selectClaim = statement('cells.claim', 'select cell from cell_claim')
const selectParts = statement('cells.parts', 'select part from cell_parts')
const selectMoving = statement('cells.moving', 'select to_jsonb(parts || under_way) as parts from cell_moves')
const insertClaim = statement('cells.insert_claim', 'insert into cell_claim (cell) values ($1)')
const insertParts = statement('cells.insert_parts', 'insert into cell_parts (part) select unnest($1::int[])')
// Before the first row of a user there may be one of these.
const countOthers = statement(
  'cells.count_others',
  `select count(*) as users from (
     select user_id from users union select user_id from usage union select user_id from portal_sessions
   ) u where part_of(user_id) <> all ($1::int[])`,
)

const countGuards = statement(
  'cells.count_guards',
  `select count(*) as guards from pg_trigger join pg_class on pg_class.oid = tgrelid
    where tgname = 'user_of_this_cell' and relnamespace = current_schema()::regnamespace`,
)

// What it had used before.
const claimUsed = statement(
  'cells.claim_used',
  `insert into shop_claims (user_id, kind, holder, claimed_at)
   select method_reference, method, user_id, created_at from payments
    where method in ('cash', 'cheque') and part_of(method_reference) = any ($1::int[])
    union all
   select one.payment_id, 'transfer', l.id, now()
     from bank_lines l cross join unnest(l.payment_ids) one (payment_id)
    where part_of(one.payment_id) = any ($1::int[])`,
)

/**
 * Where a user may have their first row, or a name that is used once. All others refer to `users`, or are
 * written behind one of these.
 */
const FIRST_ROWS = ['users', 'usage', 'usage_refusals', 'portal_sessions', 'code_tries', 'shop_claims']
const GUARDED = `
  lock table cell_claim in access exclusive mode;
  ${FIRST_ROWS.map(
    (table) => `create or replace trigger user_of_this_cell before insert on ${table}
    for each row execute function refuse_other_cells();`,
  ).join('\n')}`

/** Null: it has all users. */
export async function findClaim(database: Queryable): Promise<{ cell: string; parts: number[] } | null> {
  const [claim] = await database.query(selectClaim)
  if (!claim) return null
  const parts = await database.query(selectParts)
  return { cell: text(claim, 'cell'), parts: parts.map((row) => integer(row, 'part')) }
}

/**
 * Makes sure that the database is the cell that the service is; one that is none becomes it, if all of its
 * users belong there. `own` null: a service without cells. Throws `ConfigError`.
 */
export async function claimDatabase(database: Database, own: Cell | null): Promise<void> {
  const claim = await findClaim(database)
  if (claim) {
    checkClaim(claim, own, await movingParts(database))
    return guardAgain(database)
  }
  // A first start reads every user.
  if (own) await database.transaction((transaction) => become(transaction, own), Number.POSITIVE_INFINITY)
}

/** A backup holds the rows of a claim and no triggers: a restore leaves the database without them. */
async function guardAgain(database: Database): Promise<void> {
  const [row = {}] = await database.query(countGuards)
  if (integer(row, 'guards') < FIRST_ROWS.length)
    await database.transaction((transaction) => transaction.script(GUARDED), Number.POSITIVE_INFINITY)
}

/** Of those the file may say already, or still, that they are here. */
async function movingParts(database: Queryable): Promise<ReadonlySet<number>> {
  const [row] = await database.query(selectMoving)
  return new Set(row ? json<readonly number[]>(row, 'parts') : [])
}

function checkClaim(
  { cell, parts }: { readonly cell: string; readonly parts: readonly number[] },
  own: Cell | null,
  moving: ReadonlySet<number> = new Set(),
): void {
  const is = `the database is cell ${cell} with the parts ${written(parts)}`
  if (!own) throw new ConfigError([`${is}: CELL and CELLS_FILE are missing`])
  const said = `${own.name} with the parts ${written(own.parts)}`
  const others = [...parts, ...own.parts].filter((part) => !(parts.includes(part) && own.parts.has(part)))
  if (own.name !== cell || !others.every((part) => moving.has(part)))
    throw new ConfigError([`${is}; CELL and CELLS_FILE say ${said}`])
}

const written = (parts: Iterable<number>) => rangesOf(parts).join(', ') || 'of nobody'

async function become(transaction: Transaction, own: Cell): Promise<void> {
  // Two processes of one cell may begin together.
  await transaction.script(GUARDED)
  const known = await findClaim(transaction)
  if (known) return checkClaim(known, own)
  const parts = [...own.parts]
  const [row] = await transaction.query(countOthers, [parts])
  const others = row ? integer(row, 'users') : 0
  if (others > 0)
    throw new ConfigError([
      `the database has ${others} users of parts that CELLS_FILE gives to other cells: give it all parts ` +
        'first, then bring the users there with `ishtirak cells move`',
    ])
  await transaction.query(insertClaim, [own.name])
  await transaction.query(insertParts, [parts])
  await transaction.query(claimUsed, [parts])
}
