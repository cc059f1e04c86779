// The call that returns the receipts of a year as one table.
import { type Static, Type } from 'typebox'
import { userCall } from '../acts/user-call.js'
import { locale, query } from '../http/schemas.js'
import { fileOfYear } from './documents-of-year.js'
import { LANGUAGE, wishedLocale } from './receipt.call.js'
import type { ReceiptDeps } from './receipt.js'

const DocumentsQuerySchema = query({
  year: Type.Integer({ minimum: 2000, maximum: 9999, description: 'The year of issue' }),
  lang: Type.Optional(locale),
})
export type DocumentsWish = Static<typeof DocumentsQuerySchema>

export const documentsOfYear = userCall<ReceiptDeps>()({
  name: 'documents',
  operationId: 'getDocuments',
  summary: 'The receipts of a year',
  description: `CSV in UTF-8 with amounts in dinars, of the last 600 where there are more. ${LANGUAGE}`,
  method: 'GET',
  path: '/documents',
  input: DocumentsQuerySchema,
  answer: { file: 'text/csv', description: 'The receipts' },
  refuses: ['not_found', 'validation_failed'],
  run: async (deps, request) => {
    const { user, input } = request
    return fileOfYear(deps, { userId: user.userId, year: input.year, locale: await wishedLocale(request) })
  },
})
