// A text of which a date, or an amount with its unit, stays whole.
import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

/** All but the space that does not break. What stands between them is a word, or words that are joined. */
const SPACES = /([^\S\u00a0]+)/

/** They go to the next line together; wider than a line they break between words, not in `2 000`. */
export function Words({ children }: PropsWithChildren<{ children: string }>) {
  const parts = withoutNeedlessMarks(children).split(SPACES)
  return (
    <>
      {parts.map((part) =>
        /\S\u00a0/.test(part) && isClosed(part) ? (
          <span class="whole" safe>
            {part.replace(/\u00a0(?!\d{3}(?!\d))/g, ' ')}
          </span>
        ) : (
          escapeHtml(part)
        ),
      )}
    </>
  )
}

/** What is isolated in it ends in it. */
function isClosed(part: string): boolean {
  return part.replace(/[^\u2066-\u2068]/g, '').length === part.replace(/[^\u2069]/g, '').length
}

/** `⁨31 ديسمبر 2027 على الساعة 13:00⁩`: what two marks isolate. */
const ISOLATED = /\u2068([^\u2066-\u2069]*)\u2069/g
const IS_ARABIC = /^\P{L}*\p{Script=Arabic}/u

/**
 * Arabic in an Arabic text runs as the text does, so a date needs no marks around it. With the marks, a date
 * and its time would be two parts that are not closed, and could not break where they are wider than a line.
 */
function withoutNeedlessMarks(text: string): string {
  if (!IS_ARABIC.test(text.replace(ISOLATED, ''))) return text
  return text.replace(ISOLATED, (marked, inside: string) =>
    /\S\u00a0/.test(inside) && IS_ARABIC.test(inside) ? inside : marked,
  )
}
