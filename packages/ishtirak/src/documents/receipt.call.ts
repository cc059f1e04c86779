// The call that returns a payment's receipt as PDF to its owner, in the wanted language.
import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { sendUserFile } from '../acts/send-file.js'
import { type SentFile, type UserRequest, userCall } from '../acts/user-call.js'
import type { Locale } from '../core/locale.js'
import { locale, query } from '../http/schemas.js'
import { askForReceipt, type PrintedReceipt, pdfName, type ReceiptDeps } from './receipt.js'

export const LangSchema = query({ lang: Type.Optional(locale) })
export type PdfWish = Static<typeof LangSchema>

/** Refusals of every call that prints. */
export const PRINT_REFUSALS = ['not_found', 'validation_failed', 'busy', 'receipts_unavailable'] as const

export const LANGUAGE =
  'The language is `lang`, else that of the token or of the profile that the platform has set, else ' +
  '`Accept-Language`, else Arabic.'

export const receipt = userCall<ReceiptDeps>()({
  name: 'receipt',
  operationId: 'getReceipt',
  summary: 'The receipt of a payment',
  description: `One page of PDF. ${LANGUAGE}`,
  method: 'GET',
  path: '/payments/:payment_id/receipt',
  withoutHead: true,
  input: LangSchema,
  answer: { file: 'application/pdf', description: 'The receipt' },
  refuses: [...PRINT_REFUSALS, 'payment_not_paid'],
  run: async (deps, request) => {
    const wish = { userId: request.user.userId, paymentId: request.params.payment_id }
    return fileOf(await askForReceipt(deps, { ...wish, locale: await wishedLocale(request) }))
  },
})

/** `lang`, or else the caller's language. */
export async function wishedLocale(request: UserRequest<PdfWish>): Promise<Locale> {
  return request.input.lang ?? request.locale()
}

export function fileOf({ number, pdf, snapshot }: PrintedReceipt): SentFile {
  return { name: pdfName({ number, snapshot }), content: pdf }
}

/** For pages, whose routes leave out HEAD: it would use up the original without showing it. */
export const PRINTS = { exposeHeadRoute: false }

export function sendReceipt(reply: FastifyReply, printed: PrintedReceipt): FastifyReply {
  return sendUserFile(reply, 'application/pdf', fileOf(printed))
}
