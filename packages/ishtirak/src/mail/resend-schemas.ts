// The shapes of a receipt that is sent once more.
import { type Static, Type } from 'typebox'
import { operationId, reason } from '../acts/reason.js'
import { timestampOrNull } from '../core/instant.js'
import { nameSchemas, nullable, timestamp } from '../http/schemas.js'
import type { previewResend } from './resend-receipt.js'

export const ResendRequestSchema = Type.Object(
  {
    operation_id: operationId('Names this sending: asked for again it is answered the same and sent once'),
    why: Type.Optional(reason),
  },
  { additionalProperties: false },
)

export const ResendPreviewSchema = Type.Object({
  payment_id: Type.String(),
  user_id: Type.String(),
  email: Type.String({ description: 'Where it would go' }),
  queued_at: nullable(timestamp),
  outcome: nullable(
    Type.String({ description: 'What became of the mail before; mail is remembered for 90 days' }),
  ),
})

nameSchemas({ ResendRequest: ResendRequestSchema, ResendPreview: ResendPreviewSchema })

export function viewResendPreview({
  payment,
  email,
  mail,
}: Awaited<ReturnType<typeof previewResend>>): Static<typeof ResendPreviewSchema> {
  return {
    payment_id: payment.id,
    user_id: payment.userId,
    email,
    queued_at: timestampOrNull(mail?.queuedAt),
    outcome: mail?.outcome ?? null,
  }
}
