// What may be said of how a bank writes its statements, in TRANSFER_FILE or with a file: signs and columns.
import { type Static, Type } from 'typebox'
import { DELIMITERS, type DelimiterName, ENCODINGS } from '../acts/csv-file.js'
import { query } from '../http/schemas.js'

const column = (what: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 80,
      description: `${what}: the number of its column, from 1 on, or its heading`,
    }),
  )

/** What may be said of a file; the rest is guessed. */
export const bankForm = {
  encoding: Type.Optional(Type.Enum([...ENCODINGS])),
  delimiter: Type.Optional(
    Type.Enum(Object.keys(DELIMITERS) as DelimiterName[], { description: 'Between the columns' }),
  ),
  header_rows: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, description: 'Rows before the first line, headings included' }),
  ),
  date: column('The day'),
  amount: column('What came in; below zero it went out'),
  direction: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 80,
      description:
        'Whether money came in or went out: the number or heading of the column that says it; `sign` if ' +
        'the sign of the amount says it; `in` if each amount came in',
    }),
  ),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The text: numbers or headings of columns, with commas between them',
    }),
  ),
  day_order: Type.Optional(
    Type.Enum(['dmy', 'mdy', 'ymd'], { description: 'The order of day, month and year in the file' }),
  ),
  decimal: Type.Optional(Type.Enum([',', '.'], { description: 'Before the centimes' })),
}
export const BankFormSchema = query(bankForm)
export type SaidForm = Static<typeof BankFormSchema>
