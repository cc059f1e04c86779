// What a form led to, for the page that says it: forms are answered by a redirect, so that neither Back nor a
// reload sends them again. What was typed comes in a cookie, in no address.
import type { FastifyReply } from 'fastify'
import type { Pages } from './portal-frame.js'
import type { Session } from './reader.js'

/** Sends the sender of a form to the page that says what it led to. */
export function answerForm(
  pages: Pages,
  reply: FastifyReply,
  session: Session | null,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  pages.reader.keep(reply, session, answer)
  return reply.headers(pages.headers).redirect(`${pages.base}/portal/answer`, 303)
}

/** As much of what was typed as a field takes. */
export function shortened(typed: string): string {
  return typed.slice(0, 100)
}
