// Which parts a cell has, and which are leaving it.
import { type Queryable, statement } from '../database/database.js'
import { json, rowOf } from '../database/rows.js'

const select = statement(
  'cells.where_parts',
  `select coalesce((select jsonb_agg(part) from cell_parts), '[]') as here,
          coalesce((select to_jsonb(under_way) from cell_moves
                     where from_cell = $1 and (step <> 'copying' or fenced_until > clock_timestamp())), '[]')
            as on_their_way`,
)
const readParts = rowOf({ here: json<readonly number[]>, onTheirWay: json<readonly number[]> })

export async function whereParts(database: Queryable, cell: string) {
  const [row = {}] = await database.query(select, [cell])
  return readParts(row)
}
