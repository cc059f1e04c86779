// A part of the users moves to another cell while it lives. Their rows are copied beside the tables of the
// target while they change, then a fence of seconds holds them still: what is left is copied, the rows leave
// the tables of the source and enter those of the target, and one update at the source decides. Before it a
// move can be given up or taken up again, after it only be finished.
import {
  ConstraintViolation,
  type Database,
  DatabaseUnavailable,
  type Transaction,
} from '../database/database.js'
import { schemaFit } from '../database/migrate.js'
import { rangesOf } from '../runtime/cells.js'
import { findClaim } from './claim.sql.js'
import {
  actAsMover,
  announce,
  arrivedUsers,
  beginParts,
  closedMonths,
  copyAnew,
  decideSwitch,
  emptyBeside,
  findUsers,
  finishParts,
  forgetArrivals,
  forgetMove,
  forgetUsers,
  hasParts,
  holdMove,
  type KnownMove,
  knownMove,
  letGo,
  lift,
  lockParts,
  type MovedTable,
  mergeClosedMonths,
  movedRows,
  movedTables,
  moveSchema,
  nextUsers,
  noteComparison,
  noteCopied,
  prepareSource,
  prepareTarget,
  rowsDigest,
  takeIn,
  takeOverMove,
  unfinishedActs,
  usersOfParts,
  writeArrivals,
} from './move.sql.js'
import { KNOWN_MS } from './places.js'

/** Why a move does not go on, in a sentence for the person who typed the command. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}

/** What a move has done, in turn; from `copied` on for each group of parts. */
export const MOVE_STEPS = [
  'registered',
  'prepared',
  'found',
  'copied',
  'fenced',
  'switched',
  'arrived',
  'routed',
  'compared',
  'finished',
  'ended',
] as const
export type MoveStep = (typeof MOVE_STEPS)[number]

export interface MoveDeps {
  readonly source: Database
  readonly target: Database
  /** Names this run. */
  readonly mover: string
  /** Brings all receipts of the source into its figures; nobody counts or closes beside it. */
  readonly countReceipts: (s: Transaction) => Promise<void>
  /** The months of these users at the target, whatever changed of their time. */
  readonly countMonths: (t: Transaction, userIds: readonly string[]) => Promise<void>
  /** From now on the target has the parts: for the router and the file of cells. */
  readonly route: (parts: readonly number[], to: string) => Promise<void>
  readonly onStep: (step: MoveStep, parts: readonly number[]) => Promise<void> | void
  readonly sleep: (ms: number) => Promise<void>
  /** How long users who move may be refused. */
  readonly waitMs: number
}

interface MoveWish {
  readonly from: string
  readonly to: string
  readonly parts: readonly number[]
}

interface Move extends MoveDeps {
  readonly wish: MoveWish
  readonly schemas: { readonly source: string; readonly target: string }
  readonly tables: readonly MovedTable[]
}

/** Goes on from wherever a run before this one has ended. */
export async function moveParts(deps: MoveDeps, wish: MoveWish): Promise<void> {
  const { source, target } = deps
  const move = await begin(deps, wish)
  const known = await register(move)
  if (!known) return
  await deps.onStep('registered', known.parts)
  if (known.step !== 'copying') await finish(move, known)
  const left = (await knownMove(source))?.parts ?? []
  if (left.length > 0) {
    await prepareTarget(target, move.schemas.target, move.tables)
    await prepareSource(source, move.schemas.source, move.tables)
    await deps.onStep('prepared', left)
    await findUsers(source, move.schemas.source, { tables: move.tables, parts: left })
    await deps.onStep('found', left)
    for (const parts of await groupsOf(move, left)) await moveTogether(move, parts)
  }
  await end(move)
  await deps.onStep('ended', wish.parts)
}

/** Gives up what has not moved yet. */
export async function giveUpMove(deps: MoveDeps, wish: MoveWish): Promise<void> {
  const move = await begin(deps, wish)
  for (const database of [deps.source, deps.target]) {
    const found = await knownMove(database)
    if (!found) continue
    const taken = await takeOverMove(database, { ...wish, mover: deps.mover })
    if (!taken) throw new MoveRefused(OTHER_MOVE)
    if (database === deps.source && taken.step !== 'copying')
      throw new MoveRefused(`the parts ${say(taken.underWay)} have left ${wish.from}: go on without --back`)
  }
  await end(move)
}

const OTHER_MOVE = 'another move of one of the two cells is under way'
const say = (parts: readonly number[]) => rangesOf(parts).join(', ')

async function begin(deps: MoveDeps, wish: MoveWish): Promise<Move> {
  const { source, target } = deps
  if (source.kind !== 'postgres' || target.kind !== 'postgres')
    throw new MoveRefused('users move between PostgreSQL servers only: this database is embedded')
  for (const [database, cell] of [
    [source, wish.from],
    [target, wish.to],
  ] as const) {
    const claim = await findClaim(database)
    if (claim?.cell !== cell)
      throw new MoveRefused(`the database of cell ${cell} says that it is ${claim?.cell ?? 'none'}`)
  }
  const [here, there] = [await schemaFit(source), await schemaFit(target)]
  if (!here.runs || here.current !== there.current)
    throw new MoveRefused(`the schemas are at ${here.current} and ${there.current}: ishtirak migrate`)
  const schemas = { source: await moveSchema(source), target: await moveSchema(target) }
  return { ...deps, wish, schemas, tables: await movedTables(source) }
}

/** Null: all is done already. */
async function register(move: Move): Promise<KnownMove | null> {
  const { source, target, mover, wish } = move
  const known = await knownMove(source)
  if (!known) {
    if (await hasParts(target, wish.parts)) {
      await move.route(wish.parts, wish.to)
      return null
    }
    if (!(await hasParts(source, wish.parts)))
      throw new MoveRefused(`cell ${wish.from} does not have all of these parts`)
    await requireQuiet(move)
  }
  // The target first: what is known at the source is known to both.
  const taken =
    (await takeOverMove(target, { ...wish, mover })) && (await takeOverMove(source, { ...wish, mover }))
  if (!taken) throw new MoveRefused(OTHER_MOVE)
  if (!taken.parts.every((part) => wish.parts.includes(part)))
    throw new MoveRefused(`the parts ${say(taken.parts)} are on their way: name them, or give up with --back`)
  return taken
}

/** What is of no single user must fit what comes and goes. */
async function requireQuiet({ source, target }: Pick<Move, 'source' | 'target'>): Promise<void> {
  const [here, there] = [Object.keys(await closedMonths(source)), Object.keys(await closedMonths(target))]
  if (here.sort().join() !== there.sort().join())
    throw new MoveRefused(
      'the two cells have not closed the same months: close in each what only the other has closed ' +
        '(`ishtirak month close --url`, the address of one of its services)',
    )
  if ((await unfinishedActs(source)) > 0)
    throw new MoveRefused('an act on many users is under way: wait until it is finished')
}

/** So many users move together: with their rows this takes about a second. */
const USERS_TOGETHER = 2_000

/** Parts that move together, one at least. */
async function groupsOf(move: Move, parts: readonly number[]): Promise<readonly (readonly number[])[]> {
  const counted = new Map(
    (await usersOfParts(move.source, move.schemas.source)).map(({ part, users }) => [part, users]),
  )
  const groups: number[][] = []
  let users = USERS_TOGETHER
  for (const part of parts) {
    users += counted.get(part) ?? 0
    if (users >= USERS_TOGETHER) {
      groups.push([])
      users = counted.get(part) ?? 0
    }
    groups.at(-1)?.push(part)
  }
  return groups
}

async function moveTogether(move: Move, parts: readonly number[]): Promise<void> {
  const { source, target, mover, onStep } = move
  await source.transaction(async (s) => {
    await beginParts(s, mover, parts)
    await copyAnew(s, move.schemas.source, parts)
  }, Number.POSITIVE_INFINITY)
  await emptyBeside(target, move.schemas.target, move.tables)
  await copyUntilLittleIsLeft(move, parts)
  await onStep('copied', parts)
  await fenceAndSwitch(move, parts)
  await onStep('arrived', parts)
  await finish(move, { step: 'switched', underWay: parts })
}

const USERS_A_BATCH = 200
/** So few changes are copied within the fence. */
const FEW_USERS = 20

async function copyUntilLittleIsLeft(move: Move, parts: readonly number[]): Promise<void> {
  for (;;) {
    const copied = await move.source.transaction(async (s) => {
      await s.script('set transaction isolation level repeatable read')
      return copyBatch(move, s, parts)
    }, Number.POSITIVE_INFINITY)
    if (copied < FEW_USERS) return
  }
}

/** All rows of some users as `s` sees them; gives how many users. */
async function copyBatch(move: Move, s: Transaction, parts: readonly number[]): Promise<number> {
  const { source, target } = move.schemas
  await holdMove(s, move.mover)
  const userIds = await nextUsers(s, source, { parts, most: USERS_A_BATCH })
  if (userIds.length === 0) return 0
  await move.target.transaction(async (t) => {
    await holdMove(t, move.mover)
    for (const table of move.tables) {
      const beside = { schema: target, table }
      await forgetArrivals(t, beside, userIds)
      for await (const rows of movedRows(s, table, userIds)) await writeArrivals(t, beside, rows)
      const [here, there] = await Promise.all([
        rowsDigest(s, table, userIds),
        rowsDigest(t, { ...table, schema: target }, userIds),
      ])
      if (here.rows !== there.rows || here.digest !== there.digest)
        throw new MoveRefused(`rows of ${table.name} arrive otherwise than they left: nothing has moved`)
    }
  }, Number.POSITIVE_INFINITY)
  await noteCopied(s, source, userIds)
  return userIds.length
}

/** From then on changes of those who move are refused: services refuse their requests already. */
const REFUSED_AFTER_MS = 700

async function fenceAndSwitch(move: Move, parts: readonly number[]): Promise<void> {
  const { source, target, mover, waitMs } = move
  await source.transaction((s) => move.countReceipts(s), Number.POSITIVE_INFINITY)
  await announce(source, mover, REFUSED_AFTER_MS, waitMs)
  const announcedAt = performance.now()
  await move.onStep('fenced', parts)
  const left = () => announcedAt + waitMs - performance.now()
  try {
    await move.sleep(REFUSED_AFTER_MS)
    await target.transaction(async (t) => {
      await holdMove(t, mover)
      let runs = 0
      await source.transaction(async (s) => {
        // What the target was told in a first run it would be told twice.
        if (runs++ > 0) throw new MoveRefused('the source ran into a deadlock: run the command again')
        await actAsMover(s, left())
        await actAsMover(t, left())
        await leave(move, { s, t }, parts)
        await move.sleep(Math.max(0, announcedAt + KNOWN_MS - performance.now()))
        if (!(await decideSwitch(s, mover, parts))) throw new MoveRefused(tooSlow(waitMs))
      }, announcedAt + waitMs)
      await move.onStep('switched', parts)
    }, Number.POSITIVE_INFINITY)
  } catch (error) {
    // The answer to the commit may be lost: the step says which it was.
    if ((await knownMove(source))?.step !== 'switched') {
      await lift(source, mover)
      if (error instanceof DatabaseUnavailable && left() < LAST_MS) throw new MoveRefused(tooSlow(waitMs))
      if (!(error instanceof ConstraintViolation)) throw error
      throw new MoveRefused(`the users have stayed: cell ${move.wish.to} cannot take them: ${error.message}`)
    }
    await arriveAlone(move, parts)
  }
}

/** With so little time left a statement is not begun. */
const LAST_MS = 500

const tooSlow = (waitMs: number) =>
  `the users could not move within ${waitMs} ms and have stayed: run the command again in a quieter hour, ` +
  `or let them wait longer with --wait`

/** From the first lock to the last row, at both ends. */
async function leave(
  move: Move,
  { s, t }: { readonly s: Transaction; readonly t: Transaction },
  parts: readonly number[],
): Promise<void> {
  const { schemas, tables } = move
  // Its rows are locked before those of the users, as everybody who counts does.
  await move.countReceipts(s)
  await lockParts(s, parts)
  await move.countReceipts(s)
  await requireQuiet(move)
  while ((await copyBatch(move, s, parts)) > 0);
  await mergeClosedMonths(t, await closedMonths(s))
  const [taken, gone] = await Promise.all([
    takeIn(t, { schema: schemas.target, tables, parts }, move.mover),
    letGo(s, { schema: schemas.source, tables, parts }),
  ])
  for (const { name } of tables)
    if (taken.get(name) !== gone.get(name))
      throw new MoveRefused(`of ${name} ${gone.get(name)} rows left and ${taken.get(name)} arrived`)
}

/** After the decision: what was copied enters the tables, if it has not. */
async function arriveAlone(move: Move, parts: readonly number[]): Promise<void> {
  const { source, target, schemas, tables, mover } = move
  if (await hasParts(target, parts)) return
  const months = await closedMonths(source)
  await target.transaction(async (t) => {
    await holdMove(t, mover)
    await mergeClosedMonths(t, months)
    await takeIn(t, { schema: schemas.target, tables, parts }, mover)
  }, Number.POSITIVE_INFINITY)
}

/** All after the decision. */
async function finish(
  move: Move,
  { step, underWay: parts }: Pick<KnownMove, 'step' | 'underWay'>,
): Promise<void> {
  const { source, target, mover, schemas, tables, onStep } = move
  await arriveAlone(move, parts)
  await move.route(parts, move.wish.to)
  await onStep('routed', parts)
  if (step === 'switched') {
    await countMonths(move)
    await compareAll(move)
    await noteComparison(source, mover)
  }
  await onStep('compared', parts)
  await emptyBeside(source, schemas.source, tables)
  await emptyBeside(target, schemas.target, tables)
  await forgetUsers(source, schemas.source, parts)
  await finishParts(target, mover, parts)
  await finishParts(source, mover, parts)
  await onStep('finished', parts)
}

/** What was recorded of them shortly before they left, nobody may have looked at. */
async function countMonths({ target, schemas, countMonths: count }: Move): Promise<void> {
  for (let after = ''; ; ) {
    const userIds = await arrivedUsers(target, schemas.target, after)
    if (userIds.length === 0) return
    await target.transaction((t) => count(t, userIds), Number.POSITIVE_INFINITY)
    after = userIds.at(-1) ?? ''
  }
}

/** The rows that left, as they lie beside the tables of the source, are those that arrived. */
async function compareAll({ source, target, schemas, tables }: Move): Promise<void> {
  for (const table of tables) {
    const gone = await rowsDigest(source, { ...table, schema: schemas.source }, null)
    const arrived = await rowsDigest(target, { ...table, schema: schemas.target }, null)
    if (gone.rows !== arrived.rows || gone.digest !== arrived.digest)
      throw new MoveRefused(`${table.name}: ${gone.rows} rows have left and ${arrived.rows} others arrived`)
  }
}

async function end({ source, target, schemas, tables }: Move): Promise<void> {
  await forgetMove(target, { schema: schemas.target, tables: [] })
  await forgetMove(source, { schema: schemas.source, tables })
}
